#include "ridgeline/solve/model_flops.h"

#include "ridgeline/physics/parameters.h"
#include "ridgeline/solve/checks.h"

namespace ridgeline::solve::model_flops {
namespace {

constexpr double kForward = 2;         // a multiply and an add
constexpr double kTrainedExtra = 2;    // gradient of the weights
constexpr double kFrozen = 4;          // forward, and gradient of the inputs
constexpr double kTrainAttention = 3;  // forward and both gradients

std::optional<double> counted_params(const Subject& s) {
  if (s.totals != nullptr) return s.totals->active();
  if (!s.model->why_no_count.empty()) return std::nullopt;
  return static_cast<double>(physics::forward_params(*s.model));  // (2)
}

// Shape numbers stand in for layers where all three are given.
std::optional<double> attention_of_totals(const Totals& t, double s,
                                          physics::AttentionCount count) {
  if (count == physics::AttentionCount::none) return 0;
  if (!t.layers || !t.heads || (!t.head_dim && !t.hidden)) return std::nullopt;
  const auto heads = static_cast<double>(*t.heads);
  const double width =
      t.head_dim ? heads * static_cast<double>(*t.head_dim) : static_cast<double>(*t.hidden);
  const double pairs = count == physics::AttentionCount::full ? s * s : s * s / 2;
  return 4 * static_cast<double>(*t.layers) * width * pairs;
}

bool lacks_heads(const Model& model) {
  for (const LayerKind& kind : model.kinds) {
    const Attention& a = kind.attention;
    if (a.kind == AttentionKind::softmax && (a.heads == 0 || a.head_dim == 0)) return true;
    if (a.kind == AttentionKind::mla && (a.heads == 0 || a.v_head_dim == 0)) return true;
  }
  return false;
}

std::optional<double> head_params(const Subject& s) {
  if (s.model == nullptr || s.model->vocab == 0 || s.model->embedding_width == 0) {
    return std::nullopt;
  }
  return static_cast<double>(s.model->vocab) * static_cast<double>(s.model->embedding_width);
}

std::optional<Flops> as_flop(std::optional<double> value, double factor) {
  if (!value) return std::nullopt;
  return Flops::from_base(*value * factor);
}

}  // namespace

double weight_factor(Pass phase, double trainable_fraction) {
  return phase == Pass::infer ? kForward : kFrozen + kTrainedExtra * trainable_fraction;
}

std::optional<double> attention_of_sequence(const Subject& subject, double seq_len,
                                            physics::AttentionCount count) {
  if (subject.totals != nullptr) return attention_of_totals(*subject.totals, seq_len, count);
  if (lacks_heads(*subject.model)) return std::nullopt;
  return physics::attention_flop(*subject.model, seq_len, count);
}

Result<Inputs> check(const Inputs& in, const Subject& subject) {
  RIDGELINE_CHECK(check_has_model(subject));
  RIDGELINE_CHECK(check_count("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_count("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_fraction("trainable_fraction", in.trainable_fraction));
  return in;
}

Output solve(const Inputs& in, const Subject& subject) {
  const auto sequences = static_cast<double>(in.batch_size), s = static_cast<double>(in.seq_len);
  const double tokens = sequences * s, mu_w = weight_factor(in.phase, in.trainable_fraction);
  const double mu_a = in.phase == Pass::train ? kTrainAttention : 1;
  const std::optional<double> n = counted_params(subject);
  Output out;
  out.params_in_flop = n;
  out.weight = as_flop(n, tokens * mu_w);  // (1)
  if (n) out.weight_flop_per_token = *n * mu_w;
  out.head = as_flop(head_params(subject), tokens * mu_w);  // (5)
  out.attention =
      as_flop(attention_of_sequence(subject, s, in.attention_count), mu_a * sequences);  // (3), (4)
  if (subject.model != nullptr) {
    out.state = as_flop(physics::state_flop(*subject.model, s), mu_a * sequences);  // (6)
  }
  if (out.weight) {
    const Flops none;
    out.total = *out.weight + out.attention.value_or(none) + out.state.value_or(none);
  }
  return out;
}

}  // namespace ridgeline::solve::model_flops
