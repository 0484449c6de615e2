#include "ridgeline/physics/replica.h"

#include <cmath>

namespace ridgeline::physics {
namespace {

// Share of the layers on the fullest stage.
double stage_share(const Replica& r) {
  return r.model.layers > 0 ? std::ceil(r.model.layers / r.pp) / r.model.layers : 1;
}

double activation_bytes(const Replica& r, double tokens) {
  return tokens * r.model.hidden * r.model.activation_width;
}

Seconds messages(const Replica& r, double tokens) {
  const double bytes = activation_bytes(r, tokens);
  const Seconds reduce =
      all_reduce_time(r.tp_group, {.bytes = bytes}, AllReduce::automatic).total();
  const Seconds send = point_to_point_time(r.pp_group, {.bytes = bytes}).total();
  return 2 * r.model.layers * reduce + (r.pp - 1) * send;
}

DecodeLoad on_rank(DecodeLoad load, const Replica& r) {
  load.tp = r.tp;
  return load;
}
PrefillLoad on_rank(PrefillLoad load, const Replica& r) {
  load.tp = r.tp;
  return load;
}

double tokens_of(const DecodeLoad& load) {
  return load.sequences * load.tokens;
}
double tokens_of(const PrefillLoad& load) {
  return load.sequences * static_cast<double>(load.part.fresh);
}

}  // namespace

Replica replica_of(const Totals& totals, const Hardware& hardware, const Setting& setting,
                   const LinkTree& links, const ReplicaPlan& plan) {
  Replica r;
  r.model = sums_of(totals, setting);
  r.pace = pace_of(hardware, setting, compute_precision(hardware, totals, setting));
  r.count = setting.attention_count;
  r.tp = static_cast<double>(plan.tp);
  r.pp = static_cast<double>(plan.pp);
  r.tp_group = group_of(links, plan.tp, 1, r.pace.network_efficiency);
  r.pp_group = group_of(links, plan.pp, plan.tp, r.pace.network_efficiency);
  const Seconds usual = r.pace.overhead(r.model.layers);
  r.prefill_overhead = setting.prefill_overhead.value_or(usual);
  r.decode_overhead = setting.decode_overhead.value_or(usual);
  return r;
}

StepTime step_of(const Replica& r, const StepWork& work, double tokens, Seconds overhead) {
  return step_time(work, r.pace, overhead, messages(r, tokens));
}

Bytes sent_bytes(const Replica& r, double tokens) {
  const double bytes = activation_bytes(r, tokens);
  const Bytes reduce = all_reduce_bytes(r.tp_group, {.bytes = bytes}, AllReduce::automatic);
  return 2 * r.model.layers * reduce + (r.pp - 1) * Bytes::from_base(bytes);
}

StepTime decode_step(const Replica& r, const DecodeLoad& load) {
  return step_of(r, decode_work(r.model, r.count, on_rank(load, r)), tokens_of(load),
                 r.decode_overhead);
}

StepTime prefill_step(const Replica& r, const PrefillLoad& load) {
  return step_of(r, prefill_work(r.model, r.count, on_rank(load, r)), tokens_of(load),
                 r.prefill_overhead);
}

StepTime mixed_step(const Replica& r, const DecodeLoad& decode, const PrefillLoad& prefill) {
  const StepWork work = mixed_work(r.model, r.count, on_rank(decode, r), on_rank(prefill, r));
  return step_of(r, work, tokens_of(decode) + tokens_of(prefill), r.decode_overhead);
}

Bytes held_weights(const Replica& r) {
  return Bytes::from_base(r.model.weights) / r.tp * stage_share(r);
}

Bytes held_kv(const Replica& r, double context) {
  return kept_kv(r.model, context, r.tp) * stage_share(r);
}

Bytes held_kv_per_token(const Replica& r) {
  return kv_per_token(r.model, r.tp) * stage_share(r);
}

}  // namespace ridgeline::physics
