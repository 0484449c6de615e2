#include "ridgeline/physics/flop_count.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/shapes.h"

namespace ridgeline::physics {
namespace {

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

double banded(double s, double window) {
  if (window <= 0 || window >= s) return s * s;
  return 2 * s * window - window * window;
}

// Blocks of `chunk` tokens that see only themselves.
double chunked(double s, double chunk) {
  if (chunk <= 0 || chunk >= s) return s * s;
  const double whole = std::floor(s / chunk), rest = s - whole * chunk;
  return whole * chunk * chunk + rest * rest;
}

double seen_pairs(const Attention& a, double s) {
  if (a.index_heads > 0) return banded(s, as_double(a.index_top_k));
  return a.chunk > 0 ? chunked(s, as_double(a.chunk)) : banded(s, as_double(a.window));
}

double factor(AttentionCount count) {
  switch (count) {
    case AttentionCount::causal: return 0.5;
    case AttentionCount::full: return 1;
    case AttentionCount::none: return 0;
  }
  return 0;
}

double width_of_pair(const Attention& a) {
  if (a.kind == AttentionKind::mla) {
    return as_double(a.heads * (a.qk_nope_head_dim + a.qk_rope_head_dim + a.v_head_dim));
  }
  if (a.kind != AttentionKind::softmax) return 0;
  const std::int64_t value = a.value_head_dim > 0 ? a.value_head_dim : a.head_dim;
  return as_double(a.heads * (a.head_dim + value));
}

}  // namespace

double counted_pairs(const Attention& attention, double seq_len, AttentionCount count) {
  return factor(count) * seen_pairs(attention, seq_len);  // (3)
}

double attention_flop(const Model& model, double seq_len, AttentionCount count) {
  double flop = 0;
  for (const std::uint8_t index : model.layers) {
    const Attention& a = model.kinds[index].attention;
    flop += 2 * width_of_pair(a) * counted_pairs(a, seq_len, count);  // (2)
    flop += 2 * as_double(a.index_heads * a.index_head_dim) * factor(count) * seq_len * seq_len;
  }
  return flop;
}

double state_flop(const Model& model, double seq_len) {
  double flop = 0;
  for (const std::uint8_t index : model.layers) {
    const StateFlop state = state_flop_per_token(model.kinds[index].attention);
    const double per_token = state.update + state.convolution + state.chunk;
    flop += per_token * seq_len;  // (4)
  }
  return flop;
}

}  // namespace ridgeline::physics
