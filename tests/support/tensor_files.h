// Small files of weights, made in memory: headers as GGUF and safetensors lay them out, data of
// zeros.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridgeline::testing {

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

class GgufWriter {
 public:
  void text(const std::string& key, const std::string& value) {
    put_text(keys_, key);
    append<std::uint32_t>(keys_, 8);
    put_text(keys_, value);
    ++key_count_;
  }
  void count(const std::string& key, std::uint32_t value) {
    put_text(keys_, key);
    append<std::uint32_t>(keys_, 4);
    append(keys_, value);
    ++key_count_;
  }
  void counts(const std::string& key, const std::vector<std::uint32_t>& values) {
    put_text(keys_, key);
    append<std::uint32_t>(keys_, 9);
    append<std::uint32_t>(keys_, 4);
    append<std::uint64_t>(keys_, values.size());
    for (const std::uint32_t value : values) append(keys_, value);
    ++key_count_;
  }
  void tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
              std::uint32_t type) {
    put_text(tensors_, name);
    append(tensors_, static_cast<std::uint32_t>(shape.size()));
    for (const std::uint64_t side : shape) append(tensors_, side);
    append(tensors_, type);
    append<std::uint64_t>(tensors_, data_);
    data_ += (bytes_of(shape, type) + 31) / 32 * 32;
    ++tensor_count_;
  }
  // The file, with more data than any of the tests' tensors needs.
  std::string bytes() const {
    constexpr std::size_t kData = 1 << 21;
    std::string out = "GGUF";
    append<std::uint32_t>(out, 3);
    append(out, tensor_count_);
    append(out, key_count_);
    return out + keys_ + tensors_ + std::string(kData, '\0');
  }

 private:
  // Of the types that the tests write: F32, F16, Q4_0, Q8_0, Q4_K.
  static std::uint64_t bytes_of(const std::vector<std::uint64_t>& shape, std::uint32_t type) {
    std::uint64_t elements = 1;
    for (const std::uint64_t side : shape) elements *= side;
    switch (type) {
      case 0: return elements * 4;
      case 1: return elements * 2;
      case 2: return elements / 32 * 18;
      case 8: return elements / 32 * 34;
      case 12: return elements / 256 * 144;
      default: return 0;
    }
  }
  static void put_text(std::string& out, const std::string& text) {
    append<std::uint64_t>(out, text.size());
    out += text;
  }
  std::string keys_, tensors_;
  std::uint64_t key_count_ = 0, tensor_count_ = 0, data_ = 0;
};

inline std::string safetensors_of(const std::string& header, std::size_t data_bytes) {
  std::string out;
  append<std::uint64_t>(out, header.size());
  return out + header + std::string(data_bytes, '\0');
}

}  // namespace ridgeline::testing
