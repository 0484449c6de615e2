// JSON: objects indented, lists of plain values on one line, numbers shortest round-trip.
#include <algorithm>
#include <vector>

#include "ridgeline/report/numbers.h"
#include "ridgeline/report/render.h"
#include "ridgeline/report/utf8.h"

namespace ridgeline::report {
namespace {

constexpr std::size_t kFlushBytes = 1U << 16U;

void append_string(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
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
  out += '"';
}

void append_value(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::string: append_string(out, value.get_ref<const std::string&>()); break;
    case Json::value_t::boolean: out += value.get<bool>() ? "true" : "false"; break;
    case Json::value_t::number_integer: append_number(out, value.get<std::int64_t>()); break;
    case Json::value_t::number_unsigned: out += std::to_string(value.get<std::uint64_t>()); break;
    case Json::value_t::number_float:
      if (!append_number(out, value.get<double>())) out += "null";
      break;
    default: out += "null"; break;
  }
}

void append_scalar(std::string& out, const Scalar& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    append_number(out, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    if (!append_number(out, *real)) out += "null";
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    append_string(out, *text);
  } else {
    out += "null";
  }
}

bool is_flat(const Json& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const Json& item) { return !item.is_structured() || item.empty(); });
}

std::vector<std::string> split_path(std::string_view key) {
  std::vector<std::string> parts(1);
  for (const char c : key) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// The text that stands before each value of a row, and behind the last: keys nest at their slashes.
std::vector<std::string> row_frame(const std::vector<std::string>& keys) {
  std::vector<std::string> frame;
  std::vector<std::string> open;  // objects that are open
  for (const std::string& key : keys) {
    std::vector<std::string> path = split_path(key);
    const std::string last = path.back();
    path.pop_back();
    std::size_t shared = 0;
    while (shared < open.size() && shared < path.size() && open[shared] == path[shared]) ++shared;
    std::string text(open.size() - shared, '}');
    text += frame.empty() ? "{" : ", ";
    open.resize(shared);
    for (std::size_t i = shared; i < path.size(); ++i) {
      append_string(text, path[i]);
      text += ": {";
      open.push_back(path[i]);
    }
    append_string(text, last);
    text += ": ";
    frame.push_back(text);
  }
  frame.push_back(std::string(open.size() + 1, '}'));
  return frame;
}

class Writer {
 public:
  Writer(const Document* document, const Sink& sink) : document_(document), sink_(sink) {}

  void write(const Json& value, const std::string& path, std::size_t depth) {
    if (value.is_object() && !(value.empty() && !streams_at(path))) {
      write_object(value, path, depth);
    } else if (value.is_object()) {
      out_ += "{}";
    } else if (value.is_array() && is_flat(value)) {
      write_flat_list(value);
    } else if (value.is_array()) {
      write_list(value, path, depth);
    } else {
      append_value(out_, value);
    }
  }

  void finish() {
    out_ += '\n';
    flush();
  }

 private:
  bool streams_at(const std::string& path) const {
    return document_ != nullptr && document_->stream && document_->stream->parent == path;
  }

  void write_object(const Json& object, const std::string& path, std::size_t depth) {
    out_ += '{';
    bool first = true;
    for (const auto& [key, value] : object.items()) {
      if (!first) out_ += ',';
      first = false;
      new_line(depth + 1);
      append_string(out_, key);
      out_ += ": ";
      write(value, path.empty() ? key : path + "." + key, depth + 1);
    }
    if (streams_at(path)) {
      if (!first) out_ += ',';
      write_stream(document_->stream->key, document_->stream->rows, depth + 1);
    }
    new_line(depth);
    out_ += '}';
    if (out_.size() > kFlushBytes) flush();
  }

  void write_flat_list(const Json& list) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      if (list[i].is_object()) {
        out_ += "{}";
      } else if (list[i].is_array()) {
        out_ += "[]";
      } else {
        append_value(out_, list[i]);
      }
    }
    out_ += ']';
  }

  void write_list(const Json& list, const std::string& path, std::size_t depth) {
    out_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ',';
      new_line(depth + 1);
      write(list[i], path + "[]", depth + 1);
    }
    new_line(depth);
    out_ += ']';
  }

  void write_stream(const std::string& key, const Rows& rows, std::size_t depth) {
    new_line(depth);
    append_string(out_, key);
    out_ += ": [";
    const std::vector<std::string> frame = row_frame(rows.keys);
    bool first = true;
    rows.each([&](std::span<const Scalar> row) {
      if (!first) out_ += ',';
      first = false;
      new_line(depth + 1);
      for (std::size_t i = 0; i < row.size(); ++i) {
        out_ += frame[i];
        append_scalar(out_, row[i]);
      }
      out_ += frame.back();
      return out_.size() < kFlushBytes || flush();
    });
    if (!first) new_line(depth);
    out_ += ']';
  }

  void new_line(std::size_t depth) {
    out_ += '\n';
    out_.append(2 * depth, ' ');
  }

  bool flush() {
    const bool read = sink_(out_);
    out_.clear();
    return read;
  }

  const Document* document_;
  const Sink& sink_;
  std::string out_;
};

}  // namespace

void render_json(const Document& document, const Sink& sink) {
  Writer writer(&document, sink);
  writer.write(document.tree, "", 0);
  writer.finish();
}

std::string json_text(const Json& tree) {
  std::string out;
  const Sink sink = [&out](std::string_view bytes) {
    out += bytes;
    return true;
  };
  Writer writer(nullptr, sink);
  writer.write(tree, "", 0);
  writer.finish();
  return out;
}

Json error_tree(const Error& error) {
  return {{"error",
           {{"code", to_text(error.code)},
            {"where", error.where},
            {"message", error.message},
            {"hint", error.hint}}}};
}

}  // namespace ridgeline::report
