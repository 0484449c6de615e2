// JSON: objects indented, short ones and lists of plain values on one line, numbers shortest
// round-trip.
#include <vector>

#include "ridgeline/report/json_writer.h"
#include "ridgeline/report/numbers.h"
#include "ridgeline/report/render.h"

namespace ridgeline::report {
namespace {

constexpr std::size_t kFlushBytes = 1U << 16U;

void append_scalar(std::string& out, const Scalar& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    append_number(out, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    if (!append_number(out, *real)) out += "null";
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    append_json_string(out, *text);
  } else {
    out += "null";
  }
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
      append_json_string(text, path[i]);
      text += ": {";
      open.push_back(path[i]);
    }
    append_json_string(text, last);
    text += ": ";
    frame.push_back(text);
  }
  frame.push_back(std::string(open.size() + 1, '}'));
  return frame;
}

class DocumentWriter {
 public:
  DocumentWriter(const Document& document, const Sink& sink) : document_(document), sink_(sink) {}

  void write() {
    json_.begin_object();
    for (const auto& [key, value] : document_.tree.items()) {
      json_.key(key);
      write_member(key, value);
      flush();
    }
    json_.end_object();
    text_ += '\n';
    flush();
  }

 private:
  void write_member(const std::string& key, const Json& value) {
    if (document_.result && key == kResult) return document_.result(json_);
    if (!document_.stream || document_.stream->parent != key) return json_.value(value);
    json_.begin_object();
    for (const auto& [name, inner] : value.items()) {
      json_.key(name);
      json_.value(inner);
    }
    json_.key(document_.stream->key);
    write_rows(document_.stream->rows);
    json_.end_object();
  }

  void write_rows(const Rows& rows) {
    const std::vector<std::string> frame = row_frame(rows.keys);
    json_.begin_list();
    rows.each([&](std::span<const Scalar> row) {
      json_.raw("");
      for (std::size_t i = 0; i < row.size(); ++i) {
        text_ += frame[i];
        append_scalar(text_, row[i]);
      }
      text_ += frame.back();
      return text_.size() < kFlushBytes || flush();
    });
    json_.end_list();
  }

  bool flush() {
    const bool read = sink_(text_);
    text_.clear();
    return read;
  }

  const Document& document_;
  const Sink& sink_;
  std::string text_;
  JsonWriter json_{text_};
};

}  // namespace

void render_json(const Document& document, const Sink& sink) {
  DocumentWriter(document, sink).write();
}

std::string json_text(const Json& tree) {
  std::string out;
  JsonWriter(out).value(tree);
  out += '\n';
  return out;
}

Json tree_of(const Document& document) {
  Json out = document.tree;
  if (!document.result) return out;
  std::string text;
  JsonWriter writer(text);
  document.result(writer);
  out[kResult] = Json::parse(text);
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
