#include "ridgeline/solve/efficiency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/physics/kernels.h"
#include "ridgeline/physics/switched.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::efficiency {
namespace {

constexpr double kRowsOfGroup = 16;  // to which decode attention pads a query group
constexpr double kTileOfScores = 128;

// One operator: its least time at the peak that counts, its time here, and the parts of (7).
struct Timed {
  Flops flop;
  Seconds ideal, time, launch;
  double tile = 1, wave = 1, memory = 1;
  const FitError* fit = nullptr;  // of the curve that gave the time
};

double number(const std::optional<std::int64_t>& value) {
  return static_cast<double>(value.value_or(1));
}

const Kernels* curves_of(const Inputs& in) {
  return in.setting.is_flat() ? nullptr : in.kernels;
}

Precision weights_of(const Inputs& in) {
  return in.setting.precision.value_or(in.setting.activation_precision.value_or(Precision::bf16));
}
Precision activations_of(const Inputs& in) {
  return physics::compute_precision(in.hardware, Totals{}, in.setting);
}

double waves_share(double tiles, const std::optional<std::int64_t>& units) {
  if (!units) return 1;
  return tiles / (std::ceil(tiles / number(units)) * number(units));  // (4)
}

// Time without a curve, and what memory takes, from arithmetic and traffic at their peaks.
void put_roofline(const physics::Pace& pace, BytesPerSecond bandwidth, Bytes traffic, Timed& t) {
  const Seconds busy = t.ideal / (t.tile * t.wave), memory = traffic / bandwidth;
  t.memory = memory > busy ? busy / memory : 1;  // (5)
  t.launch = pace.step_overhead;
  t.time = t.launch + std::max(busy * (pace.peak / pace.rate), traffic / pace.bandwidth);  // (2)
}

Timed time_product(const Inputs& in) {
  const double m = number(in.m), n = number(in.n), k = number(in.k);
  const Precision weights = weights_of(in), activations = activations_of(in);
  const double a = bytes_per_element(activations), b = bytes_per_element(weights);
  const physics::Pace pace = physics::pace_of(in.hardware, in.setting, activations);
  Timed t{.flop = Flops::from_base(2 * m * n * k)};
  t.ideal = t.flop / pace.peak;
  const double tm = static_cast<double>(in.tile_m), tn = static_cast<double>(in.tile_n);
  const double tiles = std::ceil(m / tm) * std::ceil(n / tn);
  t.tile = m * n / (tiles * tm * tn);  // (3)
  t.wave = waves_share(tiles, in.units);
  const Bytes Q = Bytes::from_base(a * m * k + b * n * k + std::max(2.0, a) * m * n);
  put_roofline(pace, *in.hardware.memory_bandwidth, Q, t);
  const Kernels* kernels = curves_of(in);
  const GemmCurve* curve =
      kernels != nullptr ? physics::gemm_curve(*kernels, weights, activations) : nullptr;
  if (curve == nullptr) return t;
  t.launch = curve->launch;
  t.time = physics::gemm_time(*kernels, *curve, {m, n, k});  // (2)
  t.fit = &curve->error;
  return t;
}

Timed time_attention(const Inputs& in) {
  const double B = static_cast<double>(in.batch_size), H = number(in.heads);
  const double H_k = number(in.kv_heads), h = static_cast<double>(in.head_dim);
  const double S = number(in.seq_len), b_kv = bytes_per_element(in.setting.kv_precision);
  const bool decodes = in.phase == Phase::decode;
  physics::Pace pace = physics::pace_of(in.hardware, in.setting, Precision::bf16);
  pace.rate = pace.attention_rate;
  const double pairs = decodes ? S : S * (S + 1) / 2, q = std::ceil(S / kTileOfScores);
  Timed t{.flop = Flops::from_base(4 * B * H * h * pairs)};
  t.ideal = t.flop / pace.peak;
  const double group = H / H_k;
  t.tile = decodes ? group / (std::ceil(group / kRowsOfGroup) * kRowsOfGroup)
                   : pairs / (q * (q + 1) / 2 * kTileOfScores * kTileOfScores);  // (3)
  t.wave = waves_share(decodes ? B * H_k * q : B * H * q, in.units);
  const double elements = decodes ? 2 * H_k * b_kv : 2 * 2.0 * (H + H_k);
  put_roofline(pace, *in.hardware.memory_bandwidth, Bytes::from_base(B * S * h * elements), t);
  const Kernels* kernels = curves_of(in);
  const AttentionCurve* curve =
      kernels != nullptr ? kernels->attention_of(decodes, false) : nullptr;
  if (curve == nullptr) return t;
  t.launch = curve->launch;
  t.time = physics::attention_time(*kernels, *curve, {B, H, H_k, h, S, b_kv});  // (2)
  t.fit = &curve->error;
  return t;
}

// Reads and writes every element once. A launch takes what it takes a product.
Timed time_norm(const Inputs& in) {
  const physics::Pace pace = physics::pace_of(in.hardware, in.setting, activations_of(in));
  const double elements = number(in.m) * number(in.n);
  const Bytes Q = Bytes::from_base(2 * elements * bytes_per_element(activations_of(in)));
  Timed t{.ideal = Q / *in.hardware.memory_bandwidth, .launch = pace.step_overhead};
  const Kernels* kernels = curves_of(in);
  const GemmCurve* product = kernels != nullptr ? kernels->gemm_of("bf16") : nullptr;
  if (product != nullptr) t.launch = t.launch + product->launch;
  t.time = t.launch + Q / pace.bandwidth;  // (2)
  return t;
}

Seconds collective_over_links(const Inputs& in) {
  LinkTree tree;
  tree.push_back({*in.ranks, *in.link_bandwidth, in.link_latency});
  const double e_n = physics::network_efficiency(&in.hardware, in.setting);
  const physics::RankGroup group = physics::group_of(tree, *in.ranks, 1, e_n);
  const physics::Payload payload{in.bytes->base()};
  const auto algorithm = physics::AllReduce::automatic;
  switch (in.op) {
    case Collective::all_reduce: return physics::all_reduce_time(group, payload, algorithm).total();
    case Collective::all_gather:
    case Collective::reduce_scatter: return physics::half_time(group, payload, algorithm).total();
    case Collective::all_to_all: break;
  }
  return physics::all_to_all_time(group, payload, 1).total();
}

const CollectiveCurve* collective_curve(const Inputs& in) {
  constexpr std::array kMeasured = {"all_reduce", "all_gather", "reduce_scatter", "alltoall"};
  const Kernels* kernels = curves_of(in);
  if (kernels == nullptr) return nullptr;
  const CollectiveCurve* curve =
      kernels->collective_of(kMeasured[static_cast<std::size_t>(in.op)], "nccl");
  return curve != nullptr && *in.ranks <= curve->most_devices ? curve : nullptr;
}

Timed time_collective(const Inputs& in) {
  const double p = number(in.ranks), half = (p - 1) / p;
  const double f = in.op == Collective::all_reduce ? 2 * half : half;
  Timed t{.ideal = f * *in.bytes / *in.link_bandwidth};
  const CollectiveCurve* curve = collective_curve(in);
  if (curve == nullptr) {
    t.time = collective_over_links(in);
    t.launch = t.time - t.ideal / physics::network_efficiency(&in.hardware, in.setting);
    return t;
  }
  t.time = physics::collective_time(*curve, p, *in.bytes);  // (2)
  t.launch = curve->base + (p - 1) * curve->per_peer;
  t.fit = &curve->error;
  return t;
}

Timed timed(const Inputs& in) {
  switch (in.what) {
    case Operator::gemm:
    case Operator::conv: return time_product(in);
    case Operator::attention: return time_attention(in);
    case Operator::norm: return time_norm(in);
    case Operator::collective: break;
  }
  return time_collective(in);
}

physics::Basis basis_of(const Inputs& in, const Timed& t) {
  if (t.fit != nullptr) return physics::Basis::calibrated;
  const bool links = in.what == Operator::collective;
  if (links && !in.setting.is_flat()) return physics::Basis::datasheet;
  return physics::basis_of(in.hardware, in.setting);
}

Status check_numbers(const Inputs& in) {
  RIDGELINE_CHECK(check_number("m", in.m, 1));
  RIDGELINE_CHECK(check_number("n", in.n, 1));
  RIDGELINE_CHECK(check_number("k", in.k, 1));
  RIDGELINE_CHECK(check_number("tile_m", in.tile_m, 1));
  RIDGELINE_CHECK(check_number("tile_n", in.tile_n, 1));
  RIDGELINE_CHECK(check_number("units", in.units, 1));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_number("heads", in.heads, 1));
  RIDGELINE_CHECK(check_number("kv_heads", in.kv_heads, 1));
  RIDGELINE_CHECK(check_number("head_dim", in.head_dim, 1));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_amount("bytes", in.bytes));
  RIDGELINE_CHECK(check_number("ranks", in.ranks, 2));
  RIDGELINE_CHECK(check_amount("link_bandwidth", in.link_bandwidth));
  return check_amount_or_zero("link_latency", in.link_latency);
}

template <class T>
Status due(const char* name, const std::optional<T>& value, const char* what) {
  if (value) return Ok{};
  return missing(name, fmt::format("{} has no {}", what, name), fmt::format("give {}", name));
}

Status check_sizes(const Inputs& in) {
  switch (in.what) {
    case Operator::gemm:
    case Operator::conv:
      RIDGELINE_CHECK(due("m", in.m, "the product"));
      RIDGELINE_CHECK(due("n", in.n, "the product"));
      return due("k", in.k, "the product");
    case Operator::attention:
      RIDGELINE_CHECK(due("heads", in.heads, "attention"));
      return due("seq_len", in.seq_len, "attention");
    case Operator::norm:
      RIDGELINE_CHECK(due("m", in.m, "the norm"));
      return due("n", in.n, "the norm");
    case Operator::collective:
      RIDGELINE_CHECK(due("bytes", in.bytes, "the collective"));
      RIDGELINE_CHECK(due("ranks", in.ranks, "the collective"));
      return due("link_bandwidth", in.link_bandwidth, "the device");
  }
  return Ok{};
}

Status check_groups(const Inputs& in) {
  if (!in.heads || *in.heads % *in.kv_heads == 0) return Ok{};
  return out_of_range("kv_heads", fmt::format("{} heads over {} KV heads", *in.heads, *in.kv_heads),
                      fmt::format("a divisor of {}", *in.heads));
}

Status check_device(const Inputs& in) {
  RIDGELINE_CHECK(check_hardware(in.hardware));
  RIDGELINE_CHECK(check_setting(in.setting));
  if (in.what == Operator::collective) return Ok{};
  RIDGELINE_CHECK(check_needed("hardware/memory_bandwidth", in.hardware.memory_bandwidth,
                               "every operator reads main memory"));
  if (in.what != Operator::attention) return check_rate(in.hardware, Totals{}, in.setting);
  physics::Setting halves;
  halves.precision = Precision::bf16;
  return check_rate(in.hardware, Totals{}, halves);
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_numbers(in));
  RIDGELINE_CHECK(check_device(in));
  if (!in.link_bandwidth) in.link_bandwidth = in.hardware.host_link;
  RIDGELINE_CHECK(check_sizes(in));
  if (!in.kv_heads) in.kv_heads = in.heads;
  RIDGELINE_CHECK(check_groups(in));
  if (!in.units && in.kernels != nullptr) in.units = in.kernels->units;
  return in;
}

Answer<Output, Loss> solve(const Inputs& in) {
  const Timed t = timed(in);
  Answer<Output, Loss> out;
  Output& o = out.output;
  o.time = t.time;
  o.ideal = t.ideal;
  const double e = t.ideal / t.time;  // (1)
  o.efficiency_fraction = e;
  if (t.flop > Flops{}) o.achieved = t.flop / t.time;
  o.basis = basis_of(in, t);
  if (t.fit != nullptr) {
    o.interval.push_back(e / (1 + t.fit->p90));
    o.interval.push_back(t.fit->p90 < 1 ? std::min(1.0, e / (1 - t.fit->p90)) : 1);
    o.fit_rows = t.fit->rows;
    o.fit_error_fraction = t.fit->median;
  }
  const double idle = (t.time - t.launch) / t.time;               // (6)
  const double kernel = e / (t.tile * t.wave * t.memory * idle);  // (7)
  out.rows = {{Cause::tile, t.tile},
              {Cause::wave, t.wave},
              {Cause::memory, t.memory},
              {Cause::launch, idle},
              {Cause::kernel, kernel}};
  if (in.what == Operator::norm || in.what == Operator::collective) {
    out.rows.erase(out.rows.begin(), out.rows.begin() + 3);  // no tiles, one bound
  }
  return out;
}

}  // namespace ridgeline::solve::efficiency
