// JsonWriter: JSON text, made member by member in the form that all answers have.
//
// Members stand on lines of their own; or all on one line, where that says so or something around
// it does. What has no member is "{}" or "[]".
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::report {

class JsonWriter {
 public:
  enum class Form : std::uint8_t { lines, line };

  // Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object(Form form = Form::lines) { begin('{', form); }
  void end_object() { end('}'); }
  void begin_list(Form form = Form::lines) { begin('[', form); }
  void end_list() { end(']'); }

  // The name of the member that follows; `plain_key` where it needs no escapes.
  void key(std::string_view name);
  void plain_key(std::string_view name);

  void value(double number);  // null where not finite
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(bool truth) { raw(truth ? "true" : "false"); }
  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(std::nullptr_t) { raw("null"); }
  template <std::integral T>
  void value(T number) {
    value(static_cast<std::int64_t>(number));
  }

  // A tree: an object at depth 2 or more that holds little more than plain values is on one line.
  void value(const nlohmann::ordered_json& tree);

  // Text that is JSON already; the caller may append more of the same value to the string itself.
  void raw(std::string_view json);

  template <class T>
  void member(std::string_view plain_name, const T& its_value) {
    plain_key(plain_name);
    value(its_value);
  }
  // A number that is shown as an integer where it is one.
  void member_number(std::string_view plain_name, double number);
  void number(double number);
  void member_or_null(std::string_view plain_name, bool known, double number);

  // How deep what follows stands: 0 outside of everything.
  std::size_t depth() const { return open_.size(); }

 private:
  struct Open {
    Form form;
    bool empty;
  };
  void begin(char bracket, Form form);
  void end(char bracket);
  void separate();  // before an item: what stands between it and the one before
  void new_line();

  std::string& out_;
  std::vector<Open> open_;
  bool after_key_ = false;
};

// `text` in quotes, with the escapes that JSON wants; bytes that are not UTF-8 as U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace ridgeline::report
