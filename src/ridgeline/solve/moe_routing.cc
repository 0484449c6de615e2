#include "ridgeline/solve/moe_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/switched.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::moe_routing {
namespace {

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// Mean excess of a normal variable over `limit` standard deviations.
double normal_excess(double limit) {
  const double density = std::exp(-limit * limit / 2) / std::sqrt(2 * std::numbers::pi);
  return density - limit * std::erfc(limit / std::numbers::sqrt2) / 2;
}

// Mean excess of a binomial(T, p) variable over `limit`.
double binomial_excess(double T, double p, double limit) {
  constexpr double kLargeVariance = 1e4, kNegligible = 1e-18;
  const double mean = T * p, deviation = std::sqrt(mean * (1 - p));
  if (deviation * deviation > kLargeVariance) {
    return deviation * normal_excess((limit - mean) / deviation);
  }
  double excess = 0;
  for (double x = std::floor(limit) + 1; x <= T; x += 1) {
    const double log_choose = std::lgamma(T + 1) - std::lgamma(x + 1) - std::lgamma(T - x + 1);
    const double chance = std::exp(log_choose + x * std::log(p) + (T - x) * std::log1p(-p));
    excess += (x - limit) * chance;
    if (x > mean && (x - limit) * chance < kNegligible * mean) break;
  }
  return excess;
}

double dropped(double T, double share, double capacity) {
  if (share >= 1) return std::max(0.0, 1 - capacity);
  return binomial_excess(T, share, capacity * T * share) / (T * share);  // (6)
}

double expected_imbalance(const Inputs& in, double T, double E, double k) {
  const double ep = as_double(in.ep_size);
  if (!in.zipf_exponent) return std::min(ep, 1 + std::sqrt(2 * std::log(ep) / (T * k)));  // (7)
  double all = 0, hot = 0;
  for (double i = 1; i <= E; i += 1) {
    const double popularity = std::pow(i, -*in.zipf_exponent);
    all += popularity;
    if (i <= E / ep) hot += popularity;
  }
  return ep * hot / all;  // (7)
}

double directions(const Inputs& in) {
  if (in.phase == Pass::infer) return 2;
  return in.activation_recomputation == physics::Recompute::full ? 6 : 4;  // (5)
}

Status check_ranks(const Inputs& in) {
  RIDGELINE_CHECK(check_degree_of("ep_size", in.ep_size));
  RIDGELINE_CHECK(check_degree_of("etp_size", in.etp_size));
  const std::int64_t E = *in.model.experts;
  if (E % in.ep_size != 0) {
    return out_of_range("ep_size",
                        fmt::format("ep_size {} does not divide {} experts", in.ep_size, E),
                        fmt::format("{} does", nearest_divisor(E, in.ep_size)));
  }
  if (!in.machine) return Ok{};
  RIDGELINE_CHECK(check_cluster(*in.machine));
  const std::int64_t devices = in.machine->device_count();
  if (in.ep_size * in.etp_size <= devices) return Ok{};
  return out_of_range("ep_size",
                      fmt::format("{} ranks on {} devices", in.ep_size * in.etp_size, devices),
                      "ep_size x etp_size of at most the devices");
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_totals(in.model));
  if (in.model.split().experts == 0) {
    return Error{ErrorCode::unsupported, "model", "the model has no routed experts",
                 "a mixture of experts: experts, active_experts_per_token, active parameters"};
  }
  RIDGELINE_CHECK(check_setting(in.setting));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_ranks(in));
  RIDGELINE_CHECK(check_multiple("routing_imbalance_factor", in.routing_imbalance_factor));
  RIDGELINE_CHECK(check_amount("capacity_factor", in.capacity_factor));
  RIDGELINE_CHECK(check_amount_or_zero("zipf_exponent", in.zipf_exponent));
  if (!in.model.hidden) return missing("model/hidden_dim", "tokens are as wide as the model");
  if (!in.model.layers) return missing("model/layers", "there is traffic in every layer");
  return in;
}

Output solve(const Inputs& in) {
  const physics::ModelSums m = physics::sums_of(in.model, in.setting);
  const double T = as_double(in.batch_size) * as_double(in.seq_len);
  const double E = m.experts, k = m.chosen, ep = as_double(in.ep_size);
  const double I = std::min(in.routing_imbalance_factor, ep);
  const double touched_here = physics::touched_experts(E, k, T * ep) / E;
  const Bytes M = Bytes::from_base(T * k * m.hidden * m.activation_width);  // (3)

  Output out{.experts_touched_count = physics::touched_experts(E, k, T),  // (1)
             .active_parameters_count = in.model.active(),
             .routed_tokens_count = T * k};
  out.weights_read = Bytes::from_base(m.shared_weights + m.expert_weights * touched_here / ep /
                                                             as_double(in.etp_size));  // (2)
  out.dispatch = M * ((ep - 1) / ep);                                                  // (3)
  out.hot_rank_dispatch = I * out.dispatch;
  out.imbalance_factor = I;
  out.expected_imbalance_factor = expected_imbalance(in, T, E, k);
  if (in.capacity_factor) out.dropped_fraction = dropped(T, k / E, *in.capacity_factor);
  out.ep_size = in.ep_size;
  if (!in.machine) return out;
  const physics::RankGroup ranks =
      physics::group_of(physics::links_of(*in.machine, in.setting), in.ep_size, in.etp_size,
                        physics::network_efficiency(&in.machine->device, in.setting));
  const Seconds t = physics::all_to_all_time(ranks, {M.base(), 1}, I).total();  // (4)
  out.all_to_all = t;
  out.per_layer = directions(in) * t;  // (5)
  out.per_step = m.moe_layers * *out.per_layer;
  return out;
}

}  // namespace ridgeline::solve::moe_routing
