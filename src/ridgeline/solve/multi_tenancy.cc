#include "ridgeline/solve/multi_tenancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/solve/adapters.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::multi_tenancy {
namespace {

using physics::Replica;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

// Of one adapter, one copy, (1).
Bytes adapter_bytes(const Inputs& in) {
  if (in.adapter_size) return *in.adapter_size;
  const Adapters one{.rank = in.lora_rank, .matrices = in.adapted_matrices};
  return Bytes::from_base(one.params(*in.service.model.layers, *in.service.model.hidden) *
                          bytes_per_element(in.adapter_precision));
}

bool is_merged(const Inputs& in) {
  return !in.shares_models() && in.tenants() == 1;
}

// Of a tenant on the fullest device.
Bytes held_tenant(const Inputs& in, const Replica& r) {
  const Bytes weights = physics::held_weights(r);
  if (in.shares_models()) return weights;
  return weights.base() / r.model.weights * adapter_bytes(in);
}

double distinct(const Inputs& in) {
  return physics::touched_experts(as_double(in.tenants()), 1, as_double(in.batch_size));  // (2)
}

physics::StepTime step(const Inputs& in, const Replica& r) {
  const double B = as_double(in.batch_size), touched = distinct(in);
  physics::StepWork work = physics::decode_work(
      r.model, r.count, {.sequences = B, .context = as_double(in.seq_len), .tp = r.tp});
  Seconds overhead = r.decode_overhead;
  if (in.shares_models()) {
    work.weights = touched * physics::touched_weights(r.model, B / touched) / r.tp;
    overhead = touched * overhead;
  } else if (!is_merged(in)) {
    constexpr double kFlopPerParameter = 2;
    const double params = adapter_bytes(in).base() / bytes_per_element(in.adapter_precision);
    work.weights = work.weights + touched * adapter_bytes(in) / r.tp;
    work.flop = work.flop + Flops::from_base(B * kFlopPerParameter * params / r.tp);
  }
  return physics::step_of(r, work, B, overhead);  // (3), (4)
}

Status check_tenants(const Inputs& in) {
  if (in.adapters && in.models) {
    return conflict("models", "adapters and models are given", "keep one of them");
  }
  if (in.adapters) RIDGELINE_CHECK(check_degree_of("adapters", *in.adapters));
  if (in.models) RIDGELINE_CHECK(check_degree_of("models", *in.models));
  RIDGELINE_CHECK(check_degree_of("lora_rank", in.lora_rank));
  RIDGELINE_CHECK(check_degree_of("adapted_matrices", in.adapted_matrices));
  RIDGELINE_CHECK(check_amount("adapter_size", in.adapter_size));
  RIDGELINE_CHECK(check_amount("swap_bandwidth", in.swap_bandwidth));
  if (in.resident_count) {
    RIDGELINE_CHECK(check_count("resident_count", *in.resident_count, 1, in.tenants()));
  }
  return Ok{};
}

// The width and layers that adapters have.
Status check_adapted(const Inputs& in) {
  if (in.adapter_size || in.shares_models()) return Ok{};
  if (!in.service.model.layers) return missing("model/layers", "adapters change every layer");
  if (!in.service.model.hidden) {
    return missing("model/hidden_dim", "adapters are as wide as the model");
  }
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_TRY(in.service, check_service(given.service));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_tenants(in));
  RIDGELINE_CHECK(check_adapted(in));
  if (!in.resident_count) in.resident_count = in.tenants();
  if (!in.swap_bandwidth) in.swap_bandwidth = in.service.hardware.host_link;
  return in;
}

Output solve(const Inputs& in) {
  const Replica r = replica_of(in.service, in.service.hardware);
  const physics::StepTime time = step(in, r);
  Inputs alone = in;
  alone.adapters = 1;
  alone.models.reset();
  Output out{.itl = time.total(), .single_itl = step(alone, r).total()};
  out.slowdown = out.itl / out.single_itl;
  out.bound = time.bound();
  out.tokens_per_s = as_double(in.batch_size) / out.itl.base();
  out.distinct_count = distinct(in);
  out.adapter_size = in.shares_models() ? Bytes::from_base(r.model.weights) : adapter_bytes(in);
  const Bytes tenant = held_tenant(in, r);
  const Bytes base = in.shares_models() ? Bytes{} : physics::held_weights(r);
  const Bytes kv = as_double(in.batch_size) * physics::held_kv(r, as_double(in.seq_len));
  const Bytes usable = physics::usable_memory(in.service.hardware, in.service.setting);
  const double resident = is_merged(in) ? 0 : as_double(*in.resident_count);
  out.memory_required = base + resident * tenant + kv;  // (5)
  out.memory_utilization_fraction = out.memory_required / *in.service.hardware.memory_capacity;
  const double room = std::floor((usable - base - kv) / tenant);
  out.fits_count = static_cast<std::int64_t>(std::clamp(room, 0.0, 1e15));
  if (in.swap_bandwidth) out.swap = tenant / *in.swap_bandwidth;  // (6)
  out.miss_fraction = 1 - as_double(*in.resident_count) / as_double(in.tenants());
  out.feasible = out.memory_required <= usable;
  out.reason = out.feasible ? Reason::none : Reason::memory;
  return out;
}

}  // namespace ridgeline::solve::multi_tenancy
