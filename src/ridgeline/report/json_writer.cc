#include "ridgeline/report/json_writer.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/report/numbers.h"
#include "ridgeline/report/utf8.h"

namespace ridgeline::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLargestWhole = 9e15;

void append_escaped(std::string& out, char32_t c) {
  constexpr char kHex[] = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    out += '\\';
    out += static_cast<char>(c);
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else if (c < 0x20) {
    out += "\\u00";
    out += kHex[(c >> 4U) & 0xFU];
    out += kHex[c & 0xFU];
  } else {
    append_utf8(out, c);
  }
}

bool is_plain(char c) {
  return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

bool is_flat(const Json& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const Json& item) { return !item.is_structured() || item.empty(); });
}

// Does the object hold only plain values, flat lists, and objects of those `levels` deep?
bool is_short(const Json& object, int levels) {
  return std::all_of(object.begin(), object.end(), [levels](const Json& member) {
    if (member.is_object()) return member.empty() || (levels > 0 && is_short(member, levels - 1));
    return !member.is_array() || is_flat(member);
  });
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text, i, end - i);
    i = end;
    if (i < text.size()) append_escaped(out, next_code_point(text, i));
  }
  out += '"';
}

void JsonWriter::begin(char bracket, Form form) {
  separate();
  out_ += bracket;
  const bool on_a_line = !open_.empty() && open_.back().form == Form::line;
  open_.push_back({on_a_line ? Form::line : form, true});
}

void JsonWriter::end(char bracket) {
  const Open closed = open_.back();
  open_.pop_back();
  if (!closed.empty && closed.form == Form::lines) new_line();
  out_ += bracket;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (open_.empty()) return;
  Open& here = open_.back();
  if (here.form == Form::line) {
    if (!here.empty) out_.append(", ");
  } else {
    if (!here.empty) out_ += ',';
    new_line();
  }
  here.empty = false;
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(2 * open_.size(), ' ');
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::plain_key(std::string_view name) {
  separate();
  const std::size_t start = out_.size();
  out_.resize(start + name.size() + 4);  // grown once: an answer has thousands of keys
  char* to = out_.data() + start;
  *to = '"';
  to = std::copy(name.begin(), name.end(), to + 1);
  std::copy_n("\": ", 3, to);
  after_key_ = true;
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::value(double number) {
  separate();
  if (!append_number(out_, number)) out_ += "null";
}

void JsonWriter::value(std::int64_t number) {
  separate();
  append_number(out_, number);
}

void JsonWriter::value(std::uint64_t number) {
  separate();
  out_ += std::to_string(number);
}

void JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::value(const Json& tree) {
  switch (tree.type()) {
    case Json::value_t::string: return value(tree.get_ref<const std::string&>());
    case Json::value_t::boolean: return value(tree.get<bool>());
    case Json::value_t::number_integer: return value(tree.get<std::int64_t>());
    case Json::value_t::number_unsigned: return value(tree.get<std::uint64_t>());
    case Json::value_t::number_float: return value(tree.get<double>());
    case Json::value_t::array:
      begin_list(is_flat(tree) ? Form::line : Form::lines);
      for (const Json& item : tree) value(item);
      return end_list();
    case Json::value_t::object:
      begin_object(depth() > 1 && is_short(tree, 1) ? Form::line : Form::lines);
      for (const auto& [name, member] : tree.items()) {
        key(name);
        value(member);
      }
      return end_object();
    default: return value(nullptr);
  }
}

void JsonWriter::number(double number) {
  const bool whole = number == std::floor(number) && std::fabs(number) < kLargestWhole;
  whole ? value(static_cast<std::int64_t>(number)) : value(number);
}

void JsonWriter::member_number(std::string_view plain_name, double its_number) {
  plain_key(plain_name);
  number(its_number);
}

void JsonWriter::member_or_null(std::string_view plain_name, bool known, double number) {
  plain_key(plain_name);
  known ? value(number) : value(nullptr);
}

}  // namespace ridgeline::report
