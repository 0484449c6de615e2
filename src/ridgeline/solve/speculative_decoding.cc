#include "ridgeline/solve/speculative_decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/speculation.h"

namespace ridgeline::solve::speculative_decoding {
namespace {

using physics::Replica;

constexpr std::int64_t kMostSearched = 16;    // proposals
constexpr std::int64_t kMostBatch = 1 << 20;  // sequences
constexpr std::size_t kMostNodes = 1'000;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// An MTP head: layers like the model's mean one, and the output head once more.
Totals mtp_head(const Totals& model, std::int64_t layers) {
  const double share = as_double(layers) / as_double(*model.layers);
  const double table = model.layered ? model.layered->table : 0;
  const double tables = model.layered ? table + model.layered->head : 0;
  Totals out = model;
  out.layered.reset();
  out.layers = layers;
  out.params = (model.params - tables) * share + table;
  out.active_params = std::max(0.0, model.active() - tables) * share + table;
  if (model.flop_per_unit) {
    out.flop_per_unit = (*model.flop_per_unit - 2 * table) * share + 2 * table;
  }
  out.size = share * model.size;
  return out;
}

// Proposals of one step.
struct Proposals {
  double verified = 1;  // tokens of a sequence that the model sees
  double drafts = 0;    // steps of the draft
  double yield = 1;     // X
};

Proposals in_a_row(double a, std::int64_t K) {
  return {as_double(K + 1), as_double(K), accepted_tokens(a, K)};  // (1)
}

Proposals of_tree(const Inputs& in) {
  std::array<double, kMostNodes + 1> chance{}, depth{};
  chance[0] = 1;
  Proposals out{.verified = as_double(static_cast<std::int64_t>(in.tree_parents.size()) + 1)};
  for (std::size_t i = 0; i < in.tree_parents.size(); ++i) {
    const auto parent = static_cast<std::size_t>(in.tree_parents[i]);
    chance[i + 1] = chance[parent] * in.tree_acceptance[i];
    depth[i + 1] = depth[parent] + 1;
    out.yield += chance[i + 1];  // (1)
    out.drafts = std::max(out.drafts, depth[i + 1]);
  }
  return out;
}

Proposals proposals_of(const Inputs& in) {
  return in.tree_parents.empty() ? in_a_row(in.draft_acceptance_rate, in.draft_tokens)
                                 : of_tree(in);
}

struct Times {
  Seconds plain, draft, verify;

  double yield_needed(double drafts) const { return (drafts * draft + verify) / plain; }
  double speedup(const Proposals& p) const { return p.yield / yield_needed(p.drafts); }  // (4)
};

// The model and its draft; neither where only the ratio of their steps is known.
struct Pair {
  const Inputs& in;
  std::optional<Replica> model, draft;

  Times times(double B, double tokens) const {
    if (!model) return {1 * second, *in.draft_cost_ratio * second, 1 * second};
    const double S = as_double(in.seq_len);
    const Seconds plain = verify_step(*model, B, S, 1).total();
    const Seconds drafted = draft ? draft_step(*draft, B, S) : *in.draft_cost_ratio * plain;
    return {plain, drafted, verify_step(*model, B, S, tokens).total()};  // (2)
  }

  bool pays(std::int64_t B, const Proposals& p) const {
    return times(as_double(B), p.verified).speedup(p) > 1;
  }

  bool computes(std::int64_t B, const Proposals& p) const {
    const auto t = verify_step(*model, as_double(B), as_double(in.seq_len), p.verified);
    return t.compute >= t.memory;
  }
};

// The first whole number above `low`, where `holds` is false, at which it holds.
template <class F>
std::int64_t first_above(std::int64_t low, std::int64_t high, const F& holds) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

std::optional<std::int64_t> break_even_batch(const Pair& pair, const Proposals& p) {
  std::int64_t paying = 0;
  for (std::int64_t B = 1; B <= kMostBatch; B *= 2) {
    if (pair.pays(B, p)) paying = B;
  }
  if (paying == kMostBatch) return std::nullopt;
  if (paying == 0) return 1;
  return first_above(paying, 2 * paying, [&](std::int64_t B) { return !pair.pays(B, p); });
}

std::optional<std::int64_t> compute_bound_batch(const Pair& pair, const Proposals& p) {
  const auto computes = [&](std::int64_t B) { return pair.computes(B, p); };
  if (!computes(kMostBatch)) return std::nullopt;
  return first_above(0, kMostBatch, computes);
}

// The acceptance at which K proposals in a row yield what they cost.
std::optional<double> break_even_acceptance(double needed, std::int64_t K) {
  if (needed > as_double(K + 1)) return std::nullopt;
  constexpr int kHalvings = 60;
  double low = 0, high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (accepted_tokens(middle, K) < needed ? low : high) = middle;
  }
  return high;  // (6)
}

void put_best(const Pair& pair, Output& out) {
  const Inputs& in = pair.in;
  for (std::int64_t K = 1; K <= kMostSearched; ++K) {
    const Proposals p = in_a_row(in.draft_acceptance_rate, K);
    const double gain = pair.times(as_double(in.batch_size), p.verified).speedup(p);
    if (gain <= out.best_speedup) continue;
    out.best_speedup = gain;
    out.best_draft_tokens = K;
  }  // (5)
}

void put_memory(const Pair& pair, Output& out) {
  const Service& s = pair.in.service;
  const auto held = [&](const Replica& r) {
    return physics::held_weights(r) +
           as_double(pair.in.batch_size) * physics::held_kv(r, as_double(pair.in.seq_len));
  };
  out.memory_required = held(*pair.model) + (pair.draft ? held(*pair.draft) : Bytes{});
  out.feasible = *out.memory_required <= physics::usable_memory(s.hardware, s.setting);
  out.reason = out.feasible ? Reason::none : Reason::memory;
}

Status check_tree(const Inputs& in) {
  const auto& parents = in.tree_parents;
  if (parents.size() > kMostNodes) {
    return out_of_range("tree_parents", fmt::format("{} proposals", parents.size()),
                        fmt::format("at most {}", kMostNodes));
  }
  if (parents.size() != in.tree_acceptance.size()) {
    return out_of_range(
        "tree_acceptance",
        fmt::format("{} chances for {} proposals", in.tree_acceptance.size(), parents.size()),
        "one for each of tree_parents");
  }
  std::array<double, kMostNodes + 1> taken{};
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i] < 0 || parents[i] > static_cast<std::int64_t>(i)) {
      return out_of_range("tree_parents",
                          fmt::format("proposal {} has the parent {}", i + 1, parents[i]),
                          fmt::format("from 0, the root, to {}", i));
    }
    RIDGELINE_CHECK(check_fraction("tree_acceptance", in.tree_acceptance[i]));
    constexpr double kRounding = 1e-9;
    double& sum = taken[static_cast<std::size_t>(parents[i])];
    sum += in.tree_acceptance[i];
    if (sum > 1 + kRounding) {
      return out_of_range("tree_acceptance",
                          fmt::format("the proposals after {} have chances of {}", parents[i], sum),
                          "at most 1 together: one of them is taken");
    }
  }
  return Ok{};
}

Status check_draft(const Inputs& in) {
  RIDGELINE_CHECK(check_number("mtp_layers", in.mtp_layers, 1));
  RIDGELINE_CHECK(check_amount_or_zero("draft_cost_ratio", in.draft_cost_ratio));
  const int given = int{in.draft_model.has_value()} + int{in.mtp_layers.has_value()} +
                    int{in.draft_cost_ratio.has_value()};
  if (given == 0) {
    return missing("draft_model", "nothing says what drafts",
                   "draft_model, mtp_layers or draft_cost_ratio");
  }
  if (given > 1) {
    return conflict(in.draft_cost_ratio ? "draft_cost_ratio" : "mtp_layers",
                    "more than one thing says what drafts", "one of them");
  }
  if (in.mtp_layers && *in.mtp_layers > *in.service.model.layers) {
    return out_of_range("mtp_layers",
                        fmt::format("{} of {} layers", *in.mtp_layers, *in.service.model.layers),
                        "at most the model's layers");
  }
  if (!in.draft_model) return Ok{};
  RIDGELINE_CHECK(check_totals(*in.draft_model, "draft_model"));
  RIDGELINE_CHECK(check_computes(*in.draft_model, "draft_model"));
  return check_attends(*in.draft_model, "draft_model");
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  const bool classic = !is_given(in.service.model) && in.draft_cost_ratio;
  if (classic) {
    RIDGELINE_CHECK(check_setting(in.service.setting));
  } else {
    RIDGELINE_TRY(in.service, check_service(given.service));
  }
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_fraction("draft_acceptance_rate", in.draft_acceptance_rate));
  RIDGELINE_CHECK(check_number("draft_tokens", in.draft_tokens, 1));
  if (in.draft_tokens > kMostDraftTokens) {
    return out_of_range("draft_tokens", fmt::format("draft_tokens is {}", in.draft_tokens),
                        fmt::format("at most {}", kMostDraftTokens));
  }
  RIDGELINE_CHECK(check_draft(in));
  RIDGELINE_CHECK(check_tree(in));
  return in;
}

Output solve(const Inputs& in) {
  Pair pair{.in = in, .model = {}, .draft = {}};
  Totals head;
  if (in.mtp_layers) head = mtp_head(in.service.model, *in.mtp_layers);
  const Hardware& hardware = in.service.hardware;
  if (is_given(in.service.model)) pair.model = replica_of(in.service, hardware);
  if (in.draft_model) pair.draft = draft_replica(in.service, *in.draft_model, hardware);
  if (in.mtp_layers) pair.draft = draft_replica(in.service, head, hardware);

  const Proposals p = proposals_of(in);
  const Times t = pair.times(as_double(in.batch_size), p.verified);
  Output out{.accepted_tokens_per_step = p.yield, .speedup = t.speedup(p)};
  put_best(pair, out);
  if (in.tree_parents.empty()) {
    out.break_even_acceptance_fraction =
        break_even_acceptance(t.yield_needed(p.drafts), in.draft_tokens);
  }
  if (!pair.model) return out;
  out.break_even_batch = break_even_batch(pair, p);
  out.compute_bound_batch = compute_bound_batch(pair, p);
  out.plain_itl = t.plain;
  out.draft = t.draft;
  out.verify = t.verify;
  out.itl = t.plain / out.speedup;  // (3)
  put_memory(pair, out);
  return out;
}

}  // namespace ridgeline::solve::speculative_decoding
