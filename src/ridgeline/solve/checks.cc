#include "ridgeline/solve/checks.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace ridgeline::solve {
namespace {

// Largest degree or count that any product of six stays a whole number with.
constexpr std::int64_t kMostDegree = 1'000'000;
constexpr double kMostParams = 1e18;

Status check_degree(std::string_view where, std::int64_t value) {
  return check_count(where, value, 1, kMostDegree);
}

// The divisors that both rules on heads allow, for hints.
std::string valid_tps(const Model& model) {
  std::string out;
  for (std::int64_t tp = 1; tp <= 64; ++tp) {
    bool ok = true;
    for (const LayerKind& kind : model.kinds) {
      const Attention& a = kind.attention;
      if (a.heads > 0 && a.heads % tp != 0) ok = false;
      if (a.kv_heads > 0 && a.kv_heads % tp != 0 && tp % a.kv_heads != 0) ok = false;
    }
    if (ok) out += fmt::format("{}{}", out.empty() ? "" : ", ", tp);
  }
  return out;
}

// Heads that a partial model does not tell cannot be divided wrongly.
Status check_heads(const Model& model, std::int64_t tp) {
  for (const LayerKind& kind : model.kinds) {
    const Attention& a = kind.attention;
    const bool attends = a.kind == AttentionKind::softmax || a.kind == AttentionKind::mla;
    if (!attends) continue;
    if (a.heads % tp != 0) {
      return out_of_range("tp", fmt::format("tp {} does not divide {} heads", tp, a.heads),
                          fmt::format("one of {}; or pad the heads", valid_tps(model)));
    }
    if (a.kv_heads > 0 && a.kv_heads % tp != 0 && tp % a.kv_heads != 0) {
      return out_of_range(
          "tp",
          fmt::format("of tp {} and {} key and value heads neither divides the other", tp,
                      a.kv_heads),
          fmt::format("one of {}", valid_tps(model)));
    }
  }
  return Ok{};
}

std::int64_t experts_of(const Subject& subject) {
  if (subject.totals != nullptr) return subject.totals->experts.value_or(0);
  std::int64_t experts = 0;
  for (const LayerKind& kind : subject.model->kinds) {
    if (kind.ffn.experts == 0) continue;
    experts = experts == 0 ? kind.ffn.experts : std::min(experts, kind.ffn.experts);
  }
  return experts;
}

Status check_experts(const Subject& subject, const Degrees& d) {
  const std::int64_t experts = experts_of(subject);
  if (d.ep > 1 && experts == 0) {
    return out_of_range("ep", fmt::format("ep {} on a model without routed experts", d.ep),
                        "1; only mixture-of-experts models are split so");
  }
  if (experts > 0 && experts % d.ep != 0) {
    return out_of_range("ep", fmt::format("ep {} does not divide {} experts", d.ep, experts),
                        "a divisor of the number of experts");
  }
  const std::int64_t ranks = d.tp * d.cp * d.dp;
  if (ranks % (d.ep * d.etp) == 0) return Ok{};
  const char* at_fault = d.ep > 1 ? "ep" : "etp";
  return out_of_range(
      at_fault, fmt::format("ep x etp = {} does not divide tp x cp x dp = {}", d.ep * d.etp, ranks),
      "experts are split over ranks of tensor, context and data parallelism");
}

// The shape numbers of totals, where they are given.
Status check_shape(const Totals& t) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const struct {
    const char* where;
    std::optional<std::int64_t> value;
  } kCounts[] = {{"layers", t.layers},
                 {"hidden_dim", t.hidden},
                 {"heads", t.heads},
                 {"head_dim", t.head_dim},
                 {"kv_heads", t.kv_heads},
                 {"experts", t.experts},
                 {"active_experts_per_token", t.active_experts}};
  for (const auto& count : kCounts) {
    if (count.value) RIDGELINE_CHECK(check_count(count.where, *count.value, 1, kMost));
  }
  return Ok{};
}

std::int64_t layers_of(const Subject& subject) {
  if (subject.totals != nullptr) return subject.totals->layers.value_or(0);
  return subject.model->layer_count();
}

}  // namespace

Error out_of_range(std::string_view where, std::string message, std::string hint) {
  return {ErrorCode::out_of_range, std::string(where), std::move(message), std::move(hint)};
}

Error missing(std::string_view where, std::string message, std::string hint) {
  return {ErrorCode::missing, std::string(where), std::move(message), std::move(hint)};
}

Error conflict(std::string_view where, std::string message, std::string hint) {
  return {ErrorCode::conflict, std::string(where), std::move(message), std::move(hint)};
}

Status check_count(std::string_view where, std::int64_t value, std::int64_t least) {
  if (value >= least) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value),
                      fmt::format("at least {}", least));
}

Status check_count(std::string_view where, std::optional<std::int64_t> value, std::int64_t least) {
  return value ? check_count(where, *value, least) : Status(Ok{});
}

Status check_count(std::string_view where, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  RIDGELINE_CHECK(check_count(where, value, least));
  if (value <= most) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value),
                      fmt::format("from {} to {}", least, most));
}

Status check_positive(std::string_view where, double value) {
  if (std::isfinite(value) && value > 0) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value), "greater than zero");
}

Status check_positive(std::string_view where, std::optional<double> value) {
  return value ? check_positive(where, *value) : Status(Ok{});
}

Status check_not_negative(std::string_view where, std::optional<double> value) {
  if (!value || (std::isfinite(*value) && *value >= 0)) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, *value), "zero or more");
}

Status check_share(std::string_view where, double value) {
  if (std::isfinite(value) && value > 0 && value <= 1) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value), "greater than 0, at most 1");
}

Status check_fraction(std::string_view where, double value) {
  if (std::isfinite(value) && value >= 0 && value <= 1) return Ok{};
  return out_of_range(where, fmt::format("{} is {}", where, value), "from 0 to 1");
}

Status check_has_model(const Subject& subject) {
  if (subject.model != nullptr && subject.totals != nullptr) {
    return conflict("params", "a model and totals are given together", "one of --model, --params");
  }
  if (subject.model == nullptr && subject.totals == nullptr) {
    return missing("model", "a model is missing", "--model NAME, or --params 70B for totals alone");
  }
  if (subject.totals == nullptr) return Ok{};
  const Totals& t = *subject.totals;
  RIDGELINE_CHECK(check_positive("params", t.params));
  RIDGELINE_CHECK(check_positive("active_params", t.active_params));
  if (t.params > kMostParams) {
    return out_of_range("params", fmt::format("params is {}", t.params),
                        fmt::format("at most {:g}", kMostParams));
  }
  RIDGELINE_CHECK(check_shape(t));
  if (t.active() <= t.params) return Ok{};
  return out_of_range("active_params", "more active parameters than parameters",
                      "at most the parameters");
}

Status check_countable(const Subject& subject) {
  RIDGELINE_CHECK(check_has_model(subject));
  if (subject.model == nullptr || subject.model->why_no_count.empty()) return Ok{};
  return missing("model", subject.model->why_no_count, "add it to the model");
}

Status check_degrees(const Subject& subject, const Degrees& d, Heads heads) {
  RIDGELINE_CHECK(check_degree("tp", d.tp));
  RIDGELINE_CHECK(check_degree("pp", d.pp));
  RIDGELINE_CHECK(check_degree("dp", d.dp));
  RIDGELINE_CHECK(check_degree("cp", d.cp));
  RIDGELINE_CHECK(check_degree("ep", d.ep));
  RIDGELINE_CHECK(check_degree("etp", d.etp));
  const std::int64_t layers = layers_of(subject);
  if (layers > 0 && d.pp > layers) {
    return out_of_range("pp", fmt::format("{} pipeline stages for {} layers", d.pp, layers),
                        fmt::format("at most {}", layers));
  }
  if (subject.model != nullptr && d.tp > 1 && heads == Heads::as_they_are) {
    RIDGELINE_CHECK(check_heads(*subject.model, d.tp));
  }
  return check_experts(subject, d);
}

std::int64_t expert_tp(std::optional<std::int64_t> etp, std::int64_t ep, std::int64_t tp) {
  return etp.value_or(ep == 1 ? tp : 1);
}

Error in_model(Error error) {
  error.where = error.where.empty() ? "model" : "model" + error.where;
  return error;
}

}  // namespace ridgeline::solve
