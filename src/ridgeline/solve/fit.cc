#include "ridgeline/solve/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ridgeline/physics/activations.h"
#include "ridgeline/physics/device_kv.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/parameters.h"
#include "ridgeline/physics/weights.h"
#include "ridgeline/solve/checks.h"

namespace ridgeline::solve::fit {
namespace {

using physics::DeviceCache;
using physics::StageLayers;
using physics::StageWeights;
using physics::WeightSplit;

constexpr double kBitsPerByte = 8;
constexpr std::int64_t kMostRanks = 65'536;
constexpr std::int64_t kMostTokens = std::int64_t{1} << 42;

double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

Bytes bytes(double n) {
  return Bytes::from_base(n);
}

const Engine& or_default(const Engine* engine) {
  static const Engine kNone;
  return engine != nullptr ? *engine : kNone;
}

bool gives_pool(const Inputs& in) {
  return in.kv_pool || in.kv_blocks || in.kv_tokens;
}

// ---- check ----

Status check_pool(const Inputs& in, const Subject& subject) {
  const int given = (in.kv_pool ? 1 : 0) + (in.kv_blocks ? 1 : 0) + (in.kv_tokens ? 1 : 0);
  if (given > 1) {
    return conflict(in.kv_blocks ? "kv_blocks" : "kv_tokens", "the pool is given twice",
                    "one of --kv-pool, --kv-blocks, --kv-tokens");
  }
  if (subject.totals != nullptr && (in.kv_blocks || in.kv_tokens)) {
    return missing("model", "a pool in tokens needs the model's layers", "--model, or --kv-pool");
  }
  RIDGELINE_CHECK(check_not_negative("kv_pool", in.kv_pool));
  RIDGELINE_CHECK(check_count("kv_blocks", in.kv_blocks, 0));
  return check_count("kv_tokens", in.kv_tokens, 0);
}

Status check_tokens(std::string_view where, std::optional<std::int64_t> tokens,
                    std::int64_t least) {
  return tokens ? check_count(where, *tokens, least, kMostTokens) : Status(Ok{});
}

Status check_ranges(const Inputs& in) {
  RIDGELINE_CHECK(check_tokens("context", in.context, 1));
  RIDGELINE_CHECK(check_tokens("batch", in.batch, 1));
  RIDGELINE_CHECK(check_tokens("block_size", in.block_size, 1));
  RIDGELINE_CHECK(check_tokens("prefill_tokens", in.prefill_tokens, 1));
  RIDGELINE_CHECK(check_tokens("window_extra", in.window_extra, 0));
  RIDGELINE_CHECK(check_positive("memory", in.memory));
  if (in.memory_utilization) {
    RIDGELINE_CHECK(check_share("memory_utilization", *in.memory_utilization));
  }
  RIDGELINE_CHECK(check_positive("weight_memory", in.weight_memory));
  RIDGELINE_CHECK(check_not_negative("activation_memory", in.activation_memory));
  RIDGELINE_CHECK(check_not_negative("runtime_memory", in.runtime_memory));
  RIDGELINE_CHECK(check_tokens("group_size", in.group_size, 1));
  RIDGELINE_CHECK(check_tokens("scale_bits", in.scale_bits, 0));
  RIDGELINE_CHECK(check_tokens("zero_bits", in.zero_bits, 0));
  return check_positive("bits_per_weight", in.bits_per_weight);
}

Status check_stages(const Inputs& in, const Subject& subject) {
  if (in.pp_layers.empty()) return Ok{};
  const auto stages = static_cast<std::int64_t>(in.pp_layers.size());
  if (stages != in.pp) {
    return conflict("pp_layers", fmt::format("{} stages in pp_layers, but pp is {}", stages, in.pp),
                    "one entry per stage");
  }
  for (const std::int64_t n : in.pp_layers) RIDGELINE_CHECK(check_tokens("pp_layers", n, 1));
  const std::int64_t layers =
      subject.model != nullptr ? subject.model->layer_count() : subject.totals->layers.value_or(0);
  if (layers == 0) return missing("model", "pp_layers needs a model with layers", "--model");
  const std::int64_t sum = std::accumulate(in.pp_layers.begin(), in.pp_layers.end(), 0LL);
  if (sum == layers) return Ok{};
  return out_of_range("pp_layers",
                      fmt::format("stages of {} layers for a model of {}", sum, layers),
                      fmt::format("sizes that add up to {}", layers));
}

// What the question needs of a partial model.
Status check_facts(const Inputs& in, const Subject& subject) {
  if (subject.model == nullptr) return Ok{};
  const Model& model = *subject.model;
  if (in.context || gives_pool(in)) {
    const auto kv = physics::kv_cache(model, in.kv_precision, in.mla);
    if (!kv) return in_model(kv.error());
  }
  if (!in.memory) return Ok{};
  if (!in.weight_memory) RIDGELINE_CHECK(check_countable(subject));
  if (!in.activation_memory && model.hidden == 0) {
    return missing("model/hidden_size", "activations cannot be sized: hidden_size is missing",
                   "add it, or give --activation-memory");
  }
  return Ok{};
}

std::int64_t ranks_per_stage(const Inputs& in, const Subject& subject) {
  bool routed = subject.totals != nullptr && subject.totals->experts.has_value();
  if (subject.model != nullptr) {
    for (const LayerKind& kind : subject.model->kinds) routed = routed || kind.moe();
  }
  const std::int64_t dense = in.tp * in.cp;
  return routed ? std::lcm(dense, in.ep * *in.etp) : dense;
}

Status check_plan(const Inputs& in, const Subject& subject) {
  const Degrees degrees{in.tp, in.pp, in.dp, in.cp, in.ep, *in.etp};
  RIDGELINE_CHECK(
      check_degrees(subject, degrees, in.pad_heads ? Heads::padded : Heads::as_they_are));
  RIDGELINE_CHECK(check_stages(in, subject));
  const std::int64_t per_stage = ranks_per_stage(in, subject);
  if (per_stage <= kMostRanks && per_stage * in.pp <= kMostRanks) return Ok{};
  return out_of_range(per_stage > in.pp ? "tp" : "pp", "too many devices in a replica",
                      fmt::format("at most {}", kMostRanks));
}

// ---- solve ----

std::int64_t round_up(std::int64_t n, std::int64_t step) {
  return (n + step - 1) / step * step;
}

// The heads after padding: query heads to a multiple of tp; key and value heads with them where
// each query has its own, else to what divides tp or is divided by it.
Attention padded(Attention a, std::int64_t tp) {
  const bool own = a.kv_heads == a.heads;
  a.heads = round_up(a.heads, tp);
  if (own) {
    a.kv_heads = a.heads;
  } else if (a.kv_heads > tp) {
    a.kv_heads = round_up(a.kv_heads, tp);
  } else {
    while (a.kv_heads > 0 && tp % a.kv_heads != 0) ++a.kv_heads;
  }
  return a;
}

Model with_padded_heads(const Model& model, std::int64_t tp) {
  Model out = model;
  for (LayerKind& kind : out.kinds) {
    const AttentionKind k = kind.attention.kind;
    if (k == AttentionKind::softmax || k == AttentionKind::mla) {
      kind.attention = padded(kind.attention, tp);
    }
  }
  return out;
}

WeightRequest request_of(const Inputs& in) {
  return {in.precision,       in.group_size, in.scale_bits,           in.zero_bits,
          in.bits_per_weight, in.gguf,       in.unquantized_precision};
}

// Bits of every weight of a model known by its totals: all are stored alike.
double bits_of_totals(const Inputs& in) {
  if (in.bits_per_weight) return *in.bits_per_weight;
  if (in.gguf) return bits_of(base_type(*in.gguf));
  return physics::matrix_bits(Model{}, request_of(in));
}

// Everything about the question that no stage changes.
struct Question {
  const Inputs& in;
  const Subject& subject;
  const Engine& engine;
  const Model* model = nullptr;  // as the devices hold it; null for totals
  WeightSplit split;
  std::int64_t per_stage = 1;  // devices
  std::int64_t sequences = 1;  // of a replica
  bool counts = false;         // parameters are known
  bool caches = false;         // the cache is known
  physics::WeightBits bits;

  std::int64_t devices() const { return per_stage * in.pp; }
  std::int64_t tokens_per_pass() const {
    if (!in.context) return *in.prefill_tokens;
    const double asked = as_double(sequences) * as_double(*in.context);
    return asked < as_double(*in.prefill_tokens) ? static_cast<std::int64_t>(asked)
                                                 : *in.prefill_tokens;
  }
  physics::CacheOptions cache_options() const {
    return {in.tp, in.cp, in.kv_precision, in.state_precision, in.mla, in.full_kv, in.window_extra};
  }
};

// One device of a stage.
struct Stage {
  StageLayers layers;
  std::optional<StageWeights> weights;
  std::optional<DeviceCache> cache;
};

StageWeights share_of_totals(const Question& q, const StageLayers& layers) {
  const Totals& t = *q.subject.totals;
  const Totals::Split parts = t.split();
  const double share =
      t.layers ? as_double(layers.count) / as_double(*t.layers) : 1.0 / as_double(q.in.pp);
  StageWeights out;
  out.dense_params = parts.shared / as_double(q.split.tp) * share;
  out.expert_params = parts.experts / as_double(q.split.ep * q.split.etp) * share;
  out.params = out.dense_params + out.expert_params;
  out.bytes = out.params * bits_of_totals(q.in) / kBitsPerByte;
  return out;
}

std::vector<Stage> stages_of(const Question& q) {
  const std::int64_t layers =
      q.model != nullptr ? q.model->layer_count() : q.subject.totals->layers.value_or(0);
  std::vector<Stage> out;
  for (const StageLayers& part : physics::stages_of(layers, q.in.pp, q.in.pp_layers)) {
    Stage stage{part, {}, {}};
    if (q.model == nullptr) stage.weights = share_of_totals(q, part);
    if (q.model != nullptr && q.counts) {
      stage.weights = physics::stage_weights(*q.model, q.bits, q.split, part);
    }
    if (q.caches) stage.cache.emplace(*q.model, q.cache_options(), part);
    out.push_back(std::move(stage));
  }
  return out;
}

// Reserve by an engine's rule, where it has one and nothing was measured.
std::optional<Bytes> reserve_by_rule(const Question& q) {
  const Engine& e = q.engine;
  if (!e.reserves_by_rule() || q.in.activation_memory || q.in.runtime_memory) return std::nullopt;
  const Bytes sum = e.reserve + as_double(*q.in.prefill_tokens) * e.reserve_per_prefill_token +
                    as_double(q.in.tp * q.in.pp) * e.reserve_per_device + e.graphs;
  const bool large = q.in.memory && *q.in.memory > e.reserve_least_above;
  return large ? std::max(sum, e.reserve_least) : sum;
}

Bytes runtime_of(const Question& q) {
  if (q.in.runtime_memory) return *q.in.runtime_memory;
  if (const auto rule = reserve_by_rule(q)) return *rule;
  const Bytes shared = q.devices() > 1 ? q.engine.communication : Bytes{};
  return q.engine.context + q.engine.graphs + shared;
}

std::optional<Bytes> activations_of(const Question& q, const StageLayers& layers) {
  if (q.in.activation_memory) return *q.in.activation_memory;
  if (reserve_by_rule(q)) return Bytes{};
  if (q.model == nullptr || q.model->hidden == 0) return std::nullopt;
  const physics::ForwardLoad load{as_double(q.tokens_per_pass()) / as_double(q.in.cp),
                                  as_double(q.sequences), q.in.activation_precision, q.split};
  return bytes(physics::forward_peak_bytes(*q.model, load, layers));
}

// Weights, activations and runtime; what is not known counts as nothing.
Bytes fixed_need(const Rank& r) {
  const Bytes none;
  return r.weights.value_or(none) + r.activations.value_or(none) + r.runtime.value_or(none);
}

std::optional<Bytes> given_pool(const Inputs& in, const Stage& stage) {
  if (in.kv_pool) return in.kv_pool;
  if (!stage.cache || (!in.kv_blocks && !in.kv_tokens)) return std::nullopt;
  const double tokens = in.kv_blocks ? as_double(*in.kv_blocks) * as_double(*in.block_size)
                                     : as_double(*in.kv_tokens);
  return bytes(tokens * stage.cache->bytes_per_token());
}

// (1), (4)
void divide_memory(const Question& q, const Stage& stage, Rank& r) {
  r.kv_pool = given_pool(q.in, stage);
  if (!q.in.memory) return;
  const double u = *q.in.memory_utilization;
  const Bytes fixed = fixed_need(r), memory = *q.in.memory;
  const Bytes nothing;
  if (q.engine.utilization_of == UtilizationOf::total) {
    r.capacity = u * memory;
  } else {
    r.capacity = std::min(fixed, memory) + u * std::max(memory - fixed, nothing);
  }
  if (!r.kv_pool) r.kv_pool = std::max(*r.capacity - fixed, nothing);
}

Bytes sequence_bytes(const Question& q, const DeviceCache& cache) {
  const std::int64_t tokens = round_up(*q.in.context, *q.in.block_size);
  return bytes(cache.bytes(as_double(tokens)));
}

// (6)
std::optional<std::int64_t> longest_context(const Question& q, const Stage& stage, const Rank& r) {
  if (!stage.cache || !r.kv_pool) return std::nullopt;
  const auto tokens = stage.cache->longest(r.kv_pool->base() / as_double(q.sequences));
  if (!tokens) return std::nullopt;
  return *tokens - *tokens % *q.in.block_size;
}

Rank rank_of(const Question& q, const Stage& stage, std::int64_t stage_index) {
  Rank r;
  r.stage = stage_index;
  if (stage.layers.count > 0) r.layers = stage.layers.count;
  if (stage.weights) {
    r.weights = bytes(stage.weights->bytes);  // (2)
    r.params = std::llround(stage.weights->params);
    r.routed_expert_params = std::llround(stage.weights->expert_params);
    if (q.model != nullptr) r.norm_params = stage.weights->norm_params;
  }
  if (q.in.weight_memory) r.weights = q.in.weight_memory;
  r.activations = activations_of(q, stage.layers);
  r.runtime = runtime_of(q);
  divide_memory(q, stage, r);
  Bytes sequences;
  if (stage.cache && q.in.context) {
    const double n = as_double(*q.in.context), batch = as_double(q.sequences);
    r.kv_cache = bytes(batch * stage.cache->kv_bytes(n));  // (3)
    r.state = bytes(batch * stage.cache->state_bytes());
    sequences = bytes(batch * stage.cache->bytes(n));
  }
  r.total = fixed_need(r) + (gives_pool(q.in) ? r.kv_pool.value_or(Bytes{}) : sequences);
  r.max_context_tokens = longest_context(q, stage, r);
  return r;
}

// (8): why the rank does not hold what is asked.
Reason reason_of(const Question& q, const Stage& stage, const Rank& r) {
  if (r.capacity) {
    if (r.weights.value_or(Bytes{}) > *r.capacity) return Reason::weights;
    if (fixed_need(r) > *r.capacity) return Reason::working_memory;
    if (gives_pool(q.in) && *r.total > *r.capacity) return Reason::pool;
  }
  if (!r.kv_pool || !stage.cache || !q.in.context) return Reason::none;
  const Bytes needed = as_double(q.sequences) * sequence_bytes(q, *stage.cache);
  return needed > *r.kv_pool ? Reason::context_and_batch : Reason::none;
}

// The rank that holds the shortest context; of equals the one with least to spare.
bool is_fuller(const Rank& a, const Rank& b) {
  constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  const std::int64_t longest_a = a.max_context_tokens.value_or(kEndless);
  const std::int64_t longest_b = b.max_context_tokens.value_or(kEndless);
  if (longest_a != longest_b) return longest_a < longest_b;
  const Bytes spare_a = a.capacity.value_or(Bytes{}) - *a.total;
  const Bytes spare_b = b.capacity.value_or(Bytes{}) - *b.total;
  return spare_a < spare_b;
}

// What the pools of all ranks hold, (5) and (7): the smallest decides.
void put_capacity(const Question& q, const std::vector<Stage>& stages,
                  const std::vector<Rank>& ranks, Output& out) {
  std::optional<std::int64_t> tokens, sequences;
  const auto least = [](std::optional<std::int64_t>& most, double n) {
    const auto whole = static_cast<std::int64_t>(std::min(n, as_double(kMostTokens)));
    most = most ? std::min(*most, whole) : whole;
  };
  const double block = as_double(*q.in.block_size);
  for (const Rank& r : ranks) {
    const Stage& stage = stages[static_cast<std::size_t>(r.stage)];
    if (!r.kv_pool || !stage.cache) continue;
    const double pool = r.kv_pool->base(), per_token = stage.cache->bytes_per_token();
    if (per_token > 0) least(tokens, std::floor(pool / (block * per_token)) * block);  // (5)
    if (!q.in.context) continue;
    const double sequence = sequence_bytes(q, *stage.cache).base();
    if (sequence > 0) least(sequences, std::floor(pool / sequence));  // (7)
  }
  out.kv_tokens_capacity = tokens;
  if (sequences) out.max_batch = *sequences * q.in.dp;
  if (tokens && q.in.context) {
    out.max_concurrency = as_double(*tokens * q.in.dp) / as_double(*q.in.context);
  }
}

void put_verdict(const Question& q, const std::vector<Stage>& stages,
                 const std::vector<Rank>& ranks, Output& out) {
  std::size_t fullest = 0;
  bool fits = true;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (is_fuller(ranks[i], ranks[fullest])) fullest = i;
    const Reason why = reason_of(q, stages[static_cast<std::size_t>(ranks[i].stage)], ranks[i]);
    if (why != Reason::none && fits) out.reason = why;
    fits = fits && why == Reason::none;
  }
  const Rank& r = ranks[fullest];
  out.limiting_rank = static_cast<std::int64_t>(fullest);
  if (q.in.memory || gives_pool(q.in)) {
    out.fits = fits;
    if (fits) out.reason = Reason::none;
  }
  out.usable = r.capacity;
  if (r.capacity) out.headroom = *r.capacity - *r.total;
  out.kv_pool = r.kv_pool;
  out.max_context_tokens = r.max_context_tokens;
  const Stage& stage = stages[static_cast<std::size_t>(r.stage)];
  if (!stage.cache) return;
  out.kv_bytes_per_token_per_device = stage.cache->bytes_per_token();
  out.kv_bytes_per_token_all_devices = as_double(q.in.tp) * stage.cache->bytes_per_token();
}

// The whole model, one copy.
void put_cache(const Question& q, Output& out) {
  if (!q.caches) return;
  const Model& model = *q.subject.model;
  const auto kv = physics::kv_cache(model, q.in.kv_precision, q.in.mla);
  RIDGELINE_ASSERT(kv.has_value());
  out.kv_bytes_per_token = kv->bytes_per_token;
  out.kv_bytes_per_token_beyond_window =
      q.in.full_kv ? kv->bytes_per_token : kv->bytes_per_token_beyond_window;
  out.kv_fixed_bytes_per_sequence = q.in.full_kv ? 0 : kv->fixed_bytes_per_sequence;
  out.kv_heads_per_device = physics::kv_heads_per_device(*q.model, q.in.tp, q.in.mla);
  physics::CacheOptions options = q.cache_options();
  options.tp = options.cp = 1;
  const DeviceCache all(model, options, {0, model.layer_count(), true, true});
  const double batch = as_double(q.in.batch);
  out.state = bytes(batch * all.state_bytes());
  if (!q.in.context) return;
  const double n = as_double(*q.in.context);
  out.kv_full = bytes(batch * all.full_bytes(n));
  out.kv_sliding = bytes(batch * all.sliding_bytes(n));
  out.kv_cache = *out.kv_full + *out.kv_sliding;
  out.index_cache = bytes(batch * all.index_bytes(n));
}

void put_params(const Question& q, const std::vector<Rank>& ranks, Output& out) {
  if (q.subject.totals != nullptr) {
    const double p = q.subject.totals->params;
    out.total_params = std::llround(p);
    out.weights = bytes(p * bits_of_totals(q.in) / kBitsPerByte);
  } else if (q.counts) {
    const Model& model = *q.subject.model;
    out.total_params = physics::count_parameters(model).total;
    const physics::WeightBits whole = physics::weight_bits(model, request_of(q.in));
    out.weights = bytes(physics::model_weights(model, whole).bytes);
  }
  if (q.in.weight_memory) out.weights = as_double(q.devices()) * *q.in.weight_memory;
  if (out.total_params && *out.total_params > 0) {
    out.bits_per_weight = kBitsPerByte * out.weights->base() / as_double(*out.total_params);
  }
  if (!q.counts) return;
  std::int64_t resident = 0;
  for (const Rank& r : ranks) resident += r.params.value_or(0);
  out.resident_params = resident;
}

void put_plan(const Question& q, const std::vector<Stage>& stages, Output& out) {
  std::int64_t sum = 0, most = 0, fewest = std::numeric_limits<std::int64_t>::max();
  for (const Stage& stage : stages) {
    sum += stage.layers.count;
    most = std::max(most, stage.layers.count);
    fewest = std::min(fewest, stage.layers.count);
  }
  if (sum > 0) {
    out.layers_assigned = sum;
    out.max_layers_per_stage = most;
    out.min_layers_per_stage = fewest;
    out.even_split = most == fewest;
  }
  if (!q.in.pad_heads || q.subject.model == nullptr) return;
  std::int64_t before = 0, after = 0;
  for (std::size_t k = 0; k < q.model->kinds.size(); ++k) {
    before = std::max(before, q.subject.model->kinds[k].attention.heads);
    after = std::max(after, q.model->kinds[k].attention.heads);
  }
  if (before == 0) return;
  out.padded_heads = after;
  out.padding_fraction = as_double(after - before) / as_double(before);
}

Question question_of(const Inputs& in, const Subject& subject, const Engine* engine,
                     Model& padded_copy) {
  Question q{in, subject, or_default(engine)};
  q.model = subject.model;
  if (q.model != nullptr && in.pad_heads) {
    padded_copy = with_padded_heads(*q.model, in.tp);
    q.model = &padded_copy;
  }
  q.split = {in.tp, in.ep, *in.etp};
  q.per_stage = ranks_per_stage(in, subject);
  q.sequences = (in.batch + in.dp - 1) / in.dp;
  q.counts = q.model == nullptr || q.model->why_no_count.empty();
  q.caches = q.model != nullptr && physics::kv_cache(*q.model, in.kv_precision, in.mla).has_value();
  if (q.model != nullptr && q.counts) q.bits = physics::weight_bits(*q.model, request_of(in));
  return q;
}

}  // namespace

Result<Inputs> check(const Inputs& given, const Subject& subject, const Engine* engine) {
  Inputs in = given;
  const Engine& e = or_default(engine);
  RIDGELINE_CHECK(check_has_model(subject));
  RIDGELINE_CHECK(check_ranges(in));
  if (in.pp == 1 && !in.pp_layers.empty()) in.pp = static_cast<std::int64_t>(in.pp_layers.size());
  if (!in.memory && subject.machine != nullptr) {
    const double usable = physics::usable_bytes(*subject.machine);
    if (usable > 0) in.memory = bytes(usable);
  }
  in.memory_utilization = in.memory_utilization.value_or(e.memory_utilization);
  in.block_size = in.block_size.value_or(e.block_size);
  in.prefill_tokens = in.prefill_tokens.value_or(e.prefill_tokens);
  in.etp = expert_tp(in.etp, in.ep, in.tp);
  RIDGELINE_CHECK(check_pool(in, subject));
  RIDGELINE_CHECK(check_plan(in, subject));
  RIDGELINE_CHECK(check_facts(in, subject));
  return in;
}

Answer<Output, Rank> solve(const Inputs& in, const Subject& subject, const Engine* engine) {
  Model padded_copy;
  const Question q = question_of(in, subject, engine, padded_copy);
  const std::vector<Stage> stages = stages_of(q);
  Answer<Output, Rank> answer;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Rank r = rank_of(q, stages[s], static_cast<std::int64_t>(s));
    for (std::int64_t copy = 0; copy < q.per_stage; ++copy) {
      r.rank = static_cast<std::int64_t>(answer.rows.size());
      answer.rows.push_back(r);
    }
  }
  put_verdict(q, stages, answer.rows, answer.output);
  put_capacity(q, stages, answer.rows, answer.output);
  put_cache(q, answer.output);
  put_params(q, answer.rows, answer.output);
  put_plan(q, stages, answer.output);
  return answer;
}

}  // namespace ridgeline::solve::fit
