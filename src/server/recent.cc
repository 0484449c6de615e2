#include "server/recent.h"

namespace ridgeline::server {

std::optional<std::string> Recent::find(const std::string& question) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(question);
  if (found == index_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->answer;
}

void Recent::put(const std::string& question, const std::string& answer) {
  const std::lock_guard lock(mutex_);
  if (index_.contains(question) || question.size() + answer.size() > most_bytes_) return;
  entries_.push_front({question, answer});
  index_[entries_.front().question] = entries_.begin();
  bytes_ += entries_.front().bytes();
  while (bytes_ > most_bytes_) {
    const Entry& last = entries_.back();
    bytes_ -= last.bytes();
    index_.erase(last.question);
    entries_.pop_back();
  }
}

}  // namespace ridgeline::server
