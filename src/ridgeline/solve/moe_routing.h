#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/physics/activations.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/solve/subject.h"
#include "ridgeline/spec/hardware.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve::moe_routing {

inline constexpr char kCard[] = R"(
How many experts and bytes does a step of a mixture of experts touch, what does uneven routing cost,
and how long do the tokens travel?

Equations, for the T = batch x seq_len tokens of one rank
  (1) touched  = E (1 - (1 - k/E)^T)                experts of a layer that they meet
  (2) read     = b_w (S_0 + E x/(ep etp) (1 - (1 - k/E)^(T ep)))   by one rank, tokens of all ranks
  (3) M        = T k d b,  dispatch = M (ep - 1)/ep,  hot rank receives I dispatch  [lepikhin2020]
  (4) t        = I (q - 1)/n M/bw_in + I (n - q)/n M/bw_out + (q - 1) a_in + (n - q) a_out  n = ep
  (5) layer    = 2 t to infer; 4 t to train, with full recompute 6 t       dispatch and combine
  (6) dropped  = E[max(0, X - c T k/E)]/(T k/E),  X binomial(T, k/E), at capacity factor c
                                                                                  [fedus2021]
  (7) expected I = 1 + sqrt(2 ln(ep)/(T k)) at random routing; with popularity i^-s of expert i and
      the most popular on one rank, ep times their share
Assumes     routing uniform and independent but for I; active parameters per token stay as they are.
Leaves out  time of the experts themselves (x I on the hot rank); overlap with them.
Trust       (7) is an upper estimate: 1.05 against 1.04 simulated at ep 8 and T k 1536.
)";

struct Inputs {
  Totals model;
  std::optional<Cluster> machine;
  physics::Setting setting;
  std::int64_t batch_size = 1;
  std::int64_t seq_len = 1;
  std::int64_t ep_size = 1;
  std::int64_t etp_size = 1;
  double routing_imbalance_factor = 1;
  std::optional<double> capacity_factor;
  std::optional<double> zipf_exponent;
  Pass phase = Pass::train;
  physics::Recompute activation_recomputation = physics::Recompute::none;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::model, "model", "", "a mixture of experts"),
        field(&Inputs::machine, "machine", "", "whose links carry the tokens"),
        flat(&Inputs::setting), field(&Inputs::batch_size, "batch_size", "", "sequences of a rank"),
        field(&Inputs::seq_len, "seq_len", "", "tokens of a sequence"),
        field(&Inputs::ep_size, "ep_size", "ep", "ranks over which experts are spread"),
        field(&Inputs::etp_size, "etp_size", "etp", "ranks that share one expert"),
        field(&Inputs::routing_imbalance_factor, "routing_imbalance_factor", "I",
              "load of the hot rank over the mean, at most ep"),
        field(&Inputs::capacity_factor, "capacity_factor", "c",
              "tokens that an expert takes over the mean; the rest are dropped"),
        field(&Inputs::zipf_exponent, "zipf_exponent", "s", "of the experts' popularity"),
        field(&Inputs::phase, "phase", "", "of per_step: inference, or a training step"),
        field(&Inputs::activation_recomputation, "activation_recomputation", "",
              "full repeats the forward traffic"));
  }
};

struct Output {
  double experts_touched_count = 0;
  double active_parameters_count = 0;
  double routed_tokens_count = 0;
  Bytes weights_read, dispatch, hot_rank_dispatch;
  std::optional<Seconds> all_to_all, per_layer, per_step;
  double imbalance_factor = 1, expected_imbalance_factor = 1;
  std::optional<double> dropped_fraction;
  std::int64_t ep_size = 1;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::experts_touched_count, "experts_touched_count", "touched",
              "experts of a layer that the rank's tokens meet"),
        field(&Output::active_parameters_count, "active_parameters_count", "P_a", "of one token"),
        field(&Output::routed_tokens_count, "routed_tokens_count", "T k", "copies that are sent"),
        field(&Output::weights_read, "weights_read", "read", "by one rank in a step"),
        field(&Output::dispatch, "dispatch", "", "that leave a rank in one layer"),
        field(&Output::hot_rank_dispatch, "hot_rank_dispatch", "", "that the hot rank receives"),
        field(&Output::all_to_all, "all_to_all", "t", "one direction, one layer"),
        field(&Output::per_layer, "per_layer", "", "all directions of a layer"),
        field(&Output::per_step, "per_step", "", "of all layers with experts"),
        field(&Output::imbalance_factor, "imbalance_factor", "I", "as used, at most ep"),
        field(&Output::expected_imbalance_factor, "expected_imbalance_factor", "",
              "of random routing, or of the popularity given"),
        field(&Output::dropped_fraction, "dropped_fraction", "", "of the routed copies"),
        field(&Output::ep_size, "ep_size", "ep", "as given"));
  }
};

Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` passed check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::moe_routing
