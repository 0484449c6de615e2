#include "ridgeline/spec/scenario.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "ridgeline/base/text.h"

namespace ridgeline {
namespace {

// Largest values accepted: far beyond any machine, far below overflow of products.
constexpr double kMostDegree = 1 << 20;
constexpr double kMostTokens = 1099511627776.0;  // 2^40
constexpr double kMostBatch = 16777216.0;        // 2^24
constexpr double kMostCount = 1 << 20;
constexpr double kMostReal = 1e24;

constexpr double kMostBits = 64;  // of a weight
constexpr Dim kBytesDim{.byte = 1};
constexpr Dim kTimeDim{.time = 1};
constexpr Dim kByteRate{.time = -1, .byte = 1};
constexpr Dim kFlopRate{.time = -1, .flop = 1};
constexpr Dim kPower{.time = -1, .energy = 1};
constexpr Dim kPerByte{.byte = -1, .energy = 1};
constexpr Dim kPerFlop{.flop = -1, .energy = 1};

// Which member a ScalarField stands for.
enum Slot : int {
  kMemoryCapacity,
  kMemoryBandwidth,
  kPeak,
  kComputeUtil,
  kVectorFraction,
  kEnergyPerFlop,
  kEnergyPerMemoryByte,
  kStaticPower,
  kTreeMax,
  kFfnChunkTokens,
  kLevelCount,
  kLevelTopology,
  kLevelBandwidth,
  kLevelLatency,
  kLevelLinkOf,
  kLevelOversubscription,
  kLevelColumns,
  kLevelRows,
  kLevelEnergy,
  kPhase,
  kContext,
  kBatch,
  kPrecision,
  kKvPrecision,
  kActivationPrecision,
  kBitsPerWeight,
  kCp,
  kTp,
  kPp,
  kDp,
  kEp,
  kKvShardMode,
  kFfnShardScope,
  kTpPlacement,
  kCpPlacement,
  kCpRing,
};

template <class T>
T at(double value) {
  return static_cast<T>(static_cast<int>(value));
}

template <class E>
double index(E value) {
  return static_cast<double>(static_cast<int>(value));
}

double get_device(const Accelerator& device, int slot) {
  switch (slot) {
    case kMemoryCapacity: return device.memory_capacity.base();
    case kMemoryBandwidth: return device.memory_bandwidth.base();
    case kPeak: return device.peak_of(device.main_precision()).base();
    case kComputeUtil: return device.compute_util;
    case kVectorFraction: return device.vector_fraction;
    case kEnergyPerFlop: return device.energy_per_flop.base();
    case kEnergyPerMemoryByte: return device.energy_per_memory_byte.base();
    default: return device.static_power.base();
  }
}

// The peak of a device is one knob: the rate of its main format; the others keep their ratio to it.
void set_peak(Accelerator& device, double rate) {
  const auto main = static_cast<std::size_t>(device.main_precision());
  const double old = device.peak[main].base();
  for (FlopsPerSecond& peak : device.peak) {
    if (peak.base() > 0) peak = FlopsPerSecond::from_base(peak.base() / old * rate);
  }
  device.peak[main] = FlopsPerSecond::from_base(rate);
}

void set_device(Accelerator& device, int slot, double v) {
  switch (slot) {
    case kMemoryCapacity: {
      const double share = device.usable_memory / device.memory_capacity;
      device.memory_capacity = Bytes::from_base(v);
      if (device.usable_memory.base() > 0) device.usable_memory = Bytes::from_base(v * share);
      return;
    }
    case kMemoryBandwidth: device.memory_bandwidth = BytesPerSecond::from_base(v); return;
    case kPeak: set_peak(device, v); return;
    case kComputeUtil: device.compute_util = v; return;
    case kVectorFraction: device.vector_fraction = v; return;
    case kEnergyPerFlop: device.energy_per_flop = JoulesPerFlop::from_base(v); return;
    case kEnergyPerMemoryByte: device.energy_per_memory_byte = JoulesPerByte::from_base(v); return;
    default: device.static_power = Watts::from_base(v); return;
  }
}

double get_level(const Level& level, int slot) {
  switch (slot) {
    case kLevelCount: return static_cast<double>(level.count);
    case kLevelTopology: return index(level.topology);
    case kLevelBandwidth: return level.bandwidth.base();
    case kLevelLatency: return level.latency.base();
    case kLevelLinkOf: return index(level.link_of);
    case kLevelOversubscription: return level.oversubscription;
    case kLevelColumns: return static_cast<double>(level.shape[0]);
    default: return static_cast<double>(level.shape[1]);
  }
}

void set_level(Level& level, int slot, double v) {
  const auto whole = static_cast<std::int64_t>(v);
  switch (slot) {
    case kLevelCount: level.count = whole; return;
    case kLevelTopology: level.topology = at<Topology>(v); return;
    case kLevelBandwidth: level.bandwidth = BytesPerSecond::from_base(v); return;
    case kLevelLatency: level.latency = Seconds::from_base(v); return;
    case kLevelLinkOf: level.link_of = at<LinkOf>(v); return;
    case kLevelOversubscription: level.oversubscription = v; return;
    case kLevelColumns: level.shape[0] = whole; break;
    default: level.shape[1] = whole; break;
  }
  level.count = level.shape[0] * level.shape[1];
}

double get_work(const Workload& work, int slot) {
  switch (slot) {
    case kPhase: return index(work.phase);
    case kContext: return static_cast<double>(work.context);
    case kBatch: return static_cast<double>(work.batch);
    case kPrecision: return index(work.precision);
    case kKvPrecision: return index(work.kv_precision);
    case kActivationPrecision: return index(work.activation_precision);
    default: return work.bits_per_weight;
  }
}

void set_work(Workload& work, int slot, double v) {
  switch (slot) {
    case kPhase: work.phase = at<Phase>(v); return;
    case kContext: work.context = static_cast<std::int64_t>(v); return;
    case kBatch: work.batch = static_cast<std::int64_t>(v); return;
    case kPrecision: work.precision = at<Precision>(v); return;
    case kKvPrecision: work.kv_precision = at<Precision>(v); return;
    case kActivationPrecision: work.activation_precision = at<Precision>(v); return;
    default: work.bits_per_weight = v; return;
  }
}

double get_plan(const Plan& plan, int slot) {
  switch (slot) {
    case kCp: return static_cast<double>(plan.cp);
    case kTp: return static_cast<double>(plan.tp);
    case kPp: return static_cast<double>(plan.pp);
    case kDp: return static_cast<double>(plan.dp);
    case kEp: return static_cast<double>(plan.ep);
    case kKvShardMode: return index(plan.kv_shard_mode);
    case kFfnShardScope: return index(plan.ffn_shard_scope);
    case kTpPlacement: return index(plan.tp_placement);
    case kCpPlacement: return index(plan.cp_placement);
    default: return index(plan.cp_ring_variant);
  }
}

void set_plan(Plan& plan, int slot, double v) {
  const auto whole = static_cast<std::int64_t>(v);
  switch (slot) {
    case kCp: plan.cp = whole; return;
    case kTp: plan.tp = whole; return;
    case kPp: plan.pp = whole; return;
    case kDp: plan.dp = whole; return;
    case kEp: plan.ep = whole; return;
    case kKvShardMode: plan.kv_shard_mode = at<KvShardMode>(v); return;
    case kFfnShardScope: plan.ffn_shard_scope = at<FfnShardScope>(v); return;
    case kTpPlacement: plan.tp_placement = at<Spread>(v); return;
    case kCpPlacement: plan.cp_placement = at<Spread>(v); return;
    default: plan.cp_ring_variant = at<CpRing>(v); return;
  }
}

using Fields = std::vector<ScalarField>;

// Key and stem of a field whose unit has a suffix; `unit` in base units.
ScalarField real(const char* prefix, std::string key, std::string stem, Dim dim, double unit,
                 int slot) {
  ScalarField f;
  f.path = prefix + key;
  f.key = std::move(key);
  f.stem = std::move(stem);
  f.dim = dim;
  f.unit = unit;
  f.positive = true;
  f.maximum = kMostReal;
  f.slot = slot;
  return f;
}

ScalarField count(const char* prefix, const char* key, int slot, double most) {
  ScalarField f = real(prefix, key, key, Dim{}, 1, slot);
  f.kind = ScalarKind::integer;
  f.minimum = 1;
  f.maximum = most;
  return f;
}

ScalarField choice(const char* prefix, const char* key, std::span<const char* const> names,
                   int slot) {
  ScalarField f = real(prefix, key, key, Dim{}, 1, slot);
  f.kind = ScalarKind::choice;
  f.choices = names;
  f.positive = false;
  f.maximum = static_cast<double>(names.size()) - 1;
  return f;
}

ScalarField& with(ScalarField& f, ScalarEffect effect, const char* help, int level = 0) {
  f.effect = effect;
  f.help = help;
  f.level = level;
  return f;
}

void add(Fields& out, ScalarField f, ScalarEffect effect, const char* help, int level = 0) {
  out.push_back(with(f, effect, help, level));
}

void add_fraction(Fields& out, const char* prefix, const char* key, int slot, ScalarEffect effect,
                  const char* help) {
  ScalarField f = real(prefix, key, key, Dim{}, 1, slot);
  f.maximum = 1;
  out.push_back(with(f, effect, help));
}

// Zero is a value: latencies and energies may be switched off.
void add_or_zero(Fields& out, ScalarField f, ScalarEffect effect, const char* help, int level = 0) {
  f.positive = false;
  out.push_back(with(f, effect, help, level));
}

// The flat names of docs/chiplet-model.md section 2.
void add_chiplet_fields(Fields& out) {
  constexpr auto kRateOnly = ScalarEffect::rate;
  constexpr auto kShape = ScalarEffect::shape;
  const char* m = "machine.";
  add(out, real(m, "pe_hbm_gb", "pe_hbm", kBytesDim, 1e9, kMemoryCapacity), ScalarEffect::capacity,
      "HBM of one PE");
  add(out, real(m, "bw_hbm_gbs", "bw_hbm", kByteRate, 1e9, kMemoryBandwidth), kRateOnly,
      "HBM bandwidth of one PE (B_h)");
  add(out, real(m, "peak_tflops_f16", "peak_f16", kFlopRate, 1e12, kPeak), kRateOnly,
      "dense matrix peak of one PE (F)");
  add(out, real(m, "bw_intra_gbs", "bw_intra", kByteRate, 1e9, kLevelBandwidth), kRateOnly,
      "one PE port of the cube's network, per direction (beta0)", 0);
  add(out, real(m, "bw_inter_gbs", "bw_inter", kByteRate, 1e9, kLevelBandwidth), kRateOnly,
      "one link between cubes, shared by the cube's PEs (beta1)", 1);
  add(out, real(m, "bw_intersip_gbs", "bw_intersip", kByteRate, 1e9, kLevelBandwidth), kRateOnly,
      "one link between SIPs (beta2)", 2);
  add_or_zero(out, real(m, "alpha_intra_ns", "alpha_intra", kTimeDim, 1e-9, kLevelLatency),
              kRateOnly, "latency of a hop inside a cube", 0);
  add_or_zero(out, real(m, "alpha_inter_ns", "alpha_inter", kTimeDim, 1e-9, kLevelLatency),
              kRateOnly, "latency of a hop between cubes", 1);
  add_or_zero(out, real(m, "alpha_intersip_ns", "alpha_intersip", kTimeDim, 1e-9, kLevelLatency),
              kRateOnly, "latency of a hop between SIPs", 2);
  add_fraction(out, m, "compute_util", kComputeUtil, kRateOnly,
               "share of the peak that kernels reach");
  add_fraction(out, m, "vector_fraction", kVectorFraction, kShape, "vector rate over matrix rate");
  add(out, count(m, "pes_per_cube", kLevelCount, kMostCount), kShape, "PEs in a cube (P)", 0);
  add(out, count(m, "cube_mesh_cols", kLevelColumns, 1024), kShape, "columns of the cube mesh", 1);
  add(out, count(m, "cube_mesh_rows", kLevelRows, 1024), kShape, "rows of the cube mesh", 1);
  add(out, count(m, "sips", kLevelCount, kMostCount), kShape, "SIPs available (N)", 2);
  static constexpr std::array<const char*, 7> kSipTopologies = {"",       "",        "", "ring",
                                                                "mesh2d", "torus2d", ""};
  add(out, choice(m, "sip_topology", kSipTopologies, kLevelTopology), kShape, "how SIPs are joined",
      2);
  add_or_zero(out, real(m, "tree_max_bytes", "tree_max", kBytesDim, 1, kTreeMax), kShape,
              "largest message sent along a tree");
  add(out, real(m, "ffn_chunk_tokens", "ffn_chunk_tokens", Dim{}, 1, kFfnChunkTokens), kShape,
      "tokens whose feed-forward intermediates are live at once");
  add_or_zero(out, real(m, "pj_per_flop", "energy_per_flop", kPerFlop, 1e-12, kEnergyPerFlop),
              kShape, "energy of one FLOP");
  add_or_zero(
      out, real(m, "pj_per_hbm_byte", "energy_per_hbm_byte", kPerByte, 1e-12, kEnergyPerMemoryByte),
      kShape, "energy of one HBM byte");
  add_or_zero(out,
              real(m, "pj_per_intra_byte", "energy_per_intra_byte", kPerByte, 1e-12, kLevelEnergy),
              kShape, "energy of one byte inside a cube", 0);
  add_or_zero(out,
              real(m, "pj_per_inter_byte", "energy_per_inter_byte", kPerByte, 1e-12, kLevelEnergy),
              kShape, "energy of one byte between cubes", 1);
  add_or_zero(
      out,
      real(m, "pj_per_intersip_byte", "energy_per_intersip_byte", kPerByte, 1e-12, kLevelEnergy),
      kShape, "energy of one byte between SIPs", 2);
  add_or_zero(out, real(m, "static_w_per_pe", "static_power_per_pe", kPower, 1, kStaticPower),
              kShape, "power that a PE draws whatever it does");
}

void add_device_fields(Fields& out) {
  const char* m = "machine.device.";
  add(out, real(m, "memory_capacity_bytes", "memory_capacity", kBytesDim, 1, kMemoryCapacity),
      ScalarEffect::capacity, "memory per device, as sold");
  add(out,
      real(m, "memory_bandwidth_bytes_per_s", "memory_bandwidth", kByteRate, 1, kMemoryBandwidth),
      ScalarEffect::rate, "main memory, read or write (B_h)");
  add(out, real(m, "peak_flop_per_s", "peak", kFlopRate, 1, kPeak), ScalarEffect::rate,
      "dense matrix peak (F), bf16 where there is one; other formats keep their ratio");
  add_fraction(out, m, "compute_util", kComputeUtil, ScalarEffect::rate,
               "share of the peak that kernels reach");
  add_fraction(out, m, "vector_fraction", kVectorFraction, ScalarEffect::shape,
               "vector rate over matrix rate");
  add_or_zero(out,
              real(m, "energy_per_flop_j_per_flop", "energy_per_flop", kPerFlop, 1, kEnergyPerFlop),
              ScalarEffect::shape, "dynamic energy of one FLOP");
  add_or_zero(out,
              real(m, "energy_per_memory_byte_j_per_byte", "energy_per_memory_byte", kPerByte, 1,
                   kEnergyPerMemoryByte),
              ScalarEffect::shape, "dynamic energy of one memory byte");
  add_or_zero(out, real(m, "static_power_w", "static_power", kPower, 1, kStaticPower),
              ScalarEffect::shape, "power that a device draws whatever it does");
}

void add_level_fields(Fields& out, const Level& level, int l) {
  const std::string group = "machine.levels." + level.name + ".";
  const std::string link = group + "link.";
  const ScalarEffect rate = is_switched(level.topology) ? ScalarEffect::shape : ScalarEffect::rate;
  add(out, count(group.c_str(), "count", kLevelCount, kMostCount), ScalarEffect::shape,
      "members from the level below", l);
  add(out, choice(group.c_str(), "topology", names_of(Topology{}), kLevelTopology),
      ScalarEffect::shape, "how the members are joined", l);
  add(out, real(link.c_str(), "bandwidth_bytes_per_s", "bandwidth", kByteRate, 1, kLevelBandwidth),
      rate, "per direction of one endpoint", l);
  add_or_zero(out, real(link.c_str(), "latency_s", "latency", kTimeDim, 1, kLevelLatency), rate,
              "per hop, software included", l);
  add(out, choice(group.c_str(), "link_of", names_of(LinkOf{}), kLevelLinkOf), ScalarEffect::shape,
      "whose link it is", l);
  ScalarField over =
      real(group.c_str(), "oversubscription", "oversubscription", Dim{}, 1, kLevelOversubscription);
  over.minimum = 1;
  add(out, over, ScalarEffect::shape, "of the switches", l);
}

void add_tree_fields(Fields& out, const Machine& machine) {
  add_device_fields(out);
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    add_level_fields(out, machine.levels[l], static_cast<int>(l));
  }
  add_or_zero(out, real("machine.", "tree_max_bytes", "tree_max", kBytesDim, 1, kTreeMax),
              ScalarEffect::shape, "direct levels: largest message sent along a tree");
  add(out, real("machine.", "ffn_chunk_tokens", "ffn_chunk_tokens", Dim{}, 1, kFfnChunkTokens),
      ScalarEffect::shape, "tokens whose feed-forward intermediates are live at once");
}

void add_work_fields(Fields& out) {
  const std::size_t first = out.size();
  add(out, choice("", "phase", names_of(Phase{}), kPhase), ScalarEffect::shape,
      "decode (one new token) or prefill (the whole prompt)");
  add(out, count("", "context", kContext, kMostTokens), ScalarEffect::shape,
      "tokens attended, the new ones included");
  add(out, count("", "batch", kBatch, kMostBatch), ScalarEffect::shape, "sequences in the pass");
  add(out, choice("", "precision", names_of(Precision{}), kPrecision), ScalarEffect::shape,
      "number format of the weights");
  add(out, choice("", "kv_precision", names_of(Precision{}), kKvPrecision), ScalarEffect::shape,
      "number format of the KV cache");
  add(out, choice("", "activation_precision", names_of(Precision{}), kActivationPrecision),
      ScalarEffect::shape, "number format of the activations");
  ScalarField bits = real("", "bits_per_weight", "bits_per_weight", Dim{}, 1, kBitsPerWeight);
  bits.maximum = kMostBits;
  add_or_zero(out, bits, ScalarEffect::shape,
              "mean bits of a weight, where they are of several formats; 0: those of precision");
  for (std::size_t i = first; i < out.size(); ++i) out[i].owner = ScalarOwner::workload;
}

void add_plan_fields(Fields& out, const Machine& machine) {
  const std::size_t first = out.size();
  const char* p = "plan.";
  constexpr auto kShape = ScalarEffect::shape;
  add(out, count(p, "cp", kCp, kMostDegree), kShape, "context-parallel ranks");
  add(out, count(p, "tp", kTp, kMostDegree), kShape, "tensor-parallel ranks");
  add(out, count(p, "pp", kPp, kMostDegree), kShape, "pipeline stages");
  add(out, count(p, "dp", kDp, kMostDegree), kShape, "data-parallel replicas");
  add(out, count(p, "ep", kEp, kMostDegree), kShape, "expert-parallel ranks, taken from CP x DP");
  add(out, choice(p, "kv_shard_mode", names_of(KvShardMode{}), kKvShardMode), kShape,
      "KV heads beyond h_kv: split or replicate");
  add(out, choice(p, "ffn_shard_scope", names_of(FfnShardScope{}), kFfnShardScope), kShape,
      "axes that shard the feed-forward part");
  if (machine.kind == MachineKind::chiplet) {
    add(out, choice(p, "tp_placement", names_of(Spread{}), kTpPlacement), kShape,
        "TP ranks on PEs or one per cube");
    add(out, choice(p, "cp_placement", names_of(Spread{}), kCpPlacement), kShape,
        "CP ranks on PEs or one per cube");
  }
  add(out, choice(p, "cp_ring_variant", names_of(CpRing{}), kCpRing), kShape,
      "the ring moves K and V (kv) or Q with partial outputs (qoml)");
  for (std::size_t i = first; i < out.size(); ++i) out[i].owner = ScalarOwner::plan;
}

Fields fields_of(const Machine& machine) {
  Fields out;
  if (machine.kind == MachineKind::chiplet) {
    add_chiplet_fields(out);
  } else {
    add_tree_fields(out, machine);
  }
  add_work_fields(out);
  add_plan_fields(out, machine);
  return out;
}

Fields knobs_among(const Fields& fields) {
  Fields out;
  for (const ScalarField& f : fields) {
    const bool knob = f.owner == ScalarOwner::machine &&
                      (f.slot == kMemoryCapacity || f.slot == kMemoryBandwidth || f.slot == kPeak ||
                       f.slot == kLevelBandwidth);
    if (knob) out.push_back(f);
  }
  return out;
}

// The part of `key` after `stem_` when it names a unit of the field; 0 otherwise.
double factor_of_key(const ScalarField& field, std::string_view key) {
  if (key == field.key) return field.unit;
  if (key.size() <= field.stem.size() + 1 || key.substr(0, field.stem.size()) != field.stem)
    return 0;
  if (key[field.stem.size()] != '_') return 0;
  return suffix_factor(key.substr(field.stem.size() + 1), field.dim);
}

}  // namespace

std::vector<ScalarField> scalar_fields(const Machine& machine) {
  static const Fields kChiplet = fields_of(default_chiplet());  // the same of all of them
  return machine.kind == MachineKind::chiplet ? kChiplet : fields_of(machine);
}

std::vector<ScalarField> hardware_knobs(const Machine& machine) {
  static const Fields kChiplet = knobs_among(scalar_fields(default_chiplet()));
  return machine.kind == MachineKind::chiplet ? kChiplet : knobs_among(scalar_fields(machine));
}

double get_scalar(const Scenario& s, const ScalarField& field) {
  if (field.owner == ScalarOwner::workload) return get_work(s.work, field.slot);
  if (field.owner == ScalarOwner::plan) return get_plan(s.plan, field.slot);
  if (field.slot == kTreeMax) return s.machine.tree_max.base();
  if (field.slot == kFfnChunkTokens) return s.machine.ffn_chunk_tokens;
  const auto level = static_cast<std::size_t>(field.level);
  if (field.slot == kLevelEnergy) return s.machine.energy_per_link_byte[level].base();
  if (field.slot < kTreeMax) return get_device(s.machine.device, field.slot);
  return get_level(s.machine.levels[level], field.slot);
}

void set_scalar(Scenario& s, const ScalarField& field, double v) {
  if (field.owner == ScalarOwner::workload) return set_work(s.work, field.slot, v);
  if (field.owner == ScalarOwner::plan) return set_plan(s.plan, field.slot, v);
  const auto level = static_cast<std::size_t>(field.level);
  if (field.slot == kTreeMax) {
    s.machine.tree_max = Bytes::from_base(v);
  } else if (field.slot == kFfnChunkTokens) {
    s.machine.ffn_chunk_tokens = v;
  } else if (field.slot == kLevelEnergy) {
    s.machine.energy_per_link_byte[level] = JoulesPerByte::from_base(v);
  } else if (field.slot < kTreeMax) {
    set_device(s.machine.device, field.slot, v);
  } else {
    set_level(s.machine.levels[level], field.slot, v);
  }
}

Status check_scalar(const ScalarField& field, double value) {
  const double shown = value / field.unit;
  if (!std::isfinite(value)) {
    return Error{ErrorCode::out_of_range, "", fmt::format("{} must be finite", field.key), ""};
  }
  const bool whole = std::floor(value) == value;
  if (field.kind != ScalarKind::real && !whole) {
    return Error{ErrorCode::bad_value, "",
                 fmt::format("{} must be a whole number, not {}", field.key, shown), ""};
  }
  const bool low = value < field.minimum || (field.positive && value <= 0);
  if (low || value > field.maximum) {
    const std::string least = field.positive && field.minimum == 0
                                  ? std::string("greater than 0")
                                  : fmt::format("at least {}", field.minimum / field.unit);
    return Error{ErrorCode::out_of_range, "",
                 fmt::format("{} is {}, which is out of range", field.key, shown),
                 fmt::format("give a value {} and at most {}", least, field.maximum / field.unit)};
  }
  if (field.kind == ScalarKind::choice && *field.choices[static_cast<std::size_t>(value)] == '\0') {
    return Error{ErrorCode::bad_value, "", fmt::format("{} cannot be that", field.key), ""};
  }
  return Ok{};
}

Result<ScalarRef> find_scalar(std::span<const ScalarField> fields, std::string_view path) {
  for (const ScalarField& field : fields) {
    const std::string_view prefix =
        std::string_view(field.path).substr(0, field.path.size() - field.key.size());
    if (path.substr(0, prefix.size()) != prefix) continue;
    const std::string_view key = path.substr(prefix.size());
    if (const double factor = factor_of_key(field, key); factor != 0)
      return ScalarRef{field, factor};
    if (key == field.stem) return ScalarRef{field, field.dim == Dim{} ? 1.0 : 0.0};
  }
  std::vector<std::string> paths;
  for (const ScalarField& field : fields) paths.push_back(field.path);
  return Error{ErrorCode::unknown_key, "", fmt::format("unknown field \"{}\"", path),
               did_you_mean(path, paths)};
}

double chiplet_cost_score(const Machine& machine) {
  const Scenario scenario{machine, {}, {}};
  const Scenario defaults{default_chiplet(), {}, {}};
  double sum = 0;
  for (const ScalarField& knob : hardware_knobs(defaults.machine)) {
    sum += get_scalar(scenario, knob) / get_scalar(defaults, knob);
  }
  return sum;
}

Machine default_chiplet() {
  Machine m;
  m.name = "chiplet-sip";
  m.kind = MachineKind::chiplet;
  m.device.name = "pe";
  m.device.peak.fill(8 * teraflop_per_second);
  m.device.memory_capacity = 6 * gigabyte;
  m.device.memory_bandwidth = 256 * gigabyte_per_second;
  m.device.compute_util = 0.7;
  m.device.vector_fraction = 1.0 / 16;
  m.device.energy_per_flop = 0.5 * picojoule_per_flop;
  m.device.energy_per_memory_byte = 31.2 * picojoule_per_byte;
  m.device.static_power = 2 * watt;
  m.levels.push_back({.name = "cube",
                      .count = 8,
                      .topology = Topology::crossbar,
                      .bandwidth = 512 * gigabyte_per_second,
                      .latency = 50 * nanosecond});
  m.levels.push_back({.name = "sip",
                      .count = 16,
                      .topology = Topology::mesh2d,
                      .bandwidth = 128 * gigabyte_per_second,
                      .latency = 150 * nanosecond,
                      .link_of = LinkOf::group,
                      .shape = {4, 4, 0}});
  m.levels.push_back({.name = "system",
                      .count = 16,
                      .topology = Topology::ring,
                      .bandwidth = 50 * gigabyte_per_second,
                      .latency = 1000 * nanosecond,
                      .link_of = LinkOf::group});
  m.energy_per_link_byte[0] = 8 * picojoule_per_byte;
  m.energy_per_link_byte[1] = 4 * picojoule_per_byte;
  m.energy_per_link_byte[2] = 40 * picojoule_per_byte;
  return m;
}

}  // namespace ridgeline
