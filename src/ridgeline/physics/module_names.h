// Module names of published checkpoints, and the patterns by which a quantisation leaves some out.
//
// A pattern names a module when it matches whole dot-separated parts of the module's path, from any
// of them on: `lm_head`, `self_attn`, `model.layers.*.mlp.gate`; `*` stands for anything. Patterns
// that start with `re:` are regular expressions; of these `.*`, `\.`, `\d+`, `^`, `$` and lists in
// parentheses are understood, what is left of others matches nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::physics {

// The patterns that can name a module of the language model, brought to one form.
class ModulePatterns {
 public:
  explicit ModulePatterns(std::span<const std::string> raw);

  bool empty() const { return patterns_.empty(); }

  // Does a pattern name this module of the layer ("self_attn.q_proj"), or one that it is part of?
  bool name(std::int64_t layer, std::string_view module) const;

  // Does any pattern depend on the layer's number? If not, one layer stands for all of its kind.
  bool by_layer() const;

 private:
  struct Pattern {
    std::int64_t layer;  // that it is about; -1: any
    std::string text;
  };
  std::vector<Pattern> patterns_;
};

}  // namespace ridgeline::physics
