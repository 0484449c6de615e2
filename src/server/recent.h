// Recent: the last answers, to give again to the same question. Answers depend on nothing else.
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ridgeline::server {

class Recent {
 public:
  // Holds at most so many bytes of questions and answers; the one longest unused goes first.
  explicit Recent(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  std::optional<std::string> find(const std::string& question);
  void put(const std::string& question, const std::string& answer);

 private:
  struct Entry {
    std::string question, answer;
    std::size_t bytes() const { return question.size() + answer.size(); }
  };

  std::mutex mutex_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::list<Entry> entries_;  // last used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;
};

}  // namespace ridgeline::server
