#include "ridgeline/physics/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ridgeline/physics/collectives.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/placement.h"
#include "ridgeline/physics/shapes.h"

namespace ridgeline::physics {
namespace {

constexpr double kAccumulatorBytes = 4;  // b_c: partial outputs and scores travel in fp32

// A kind of layer that occurs, with its count; in the order of `inspect`.
struct KindUse {
  std::size_t kind;
  std::int64_t count;
};

std::vector<KindUse> kinds_in_order(const Model& model) {
  std::vector<KindUse> uses;
  for (std::size_t k = 0; k < model.kinds.size(); ++k) {
    const auto n =
        std::count(model.layers.begin(), model.layers.end(), static_cast<std::uint8_t>(k));
    if (n > 0) uses.push_back({k, n});
  }
  std::stable_sort(uses.begin(), uses.end(), [&](const KindUse& a, const KindUse& b) {
    const auto rank = [&](const KindUse& u) {
      const LayerKind& kind = model.kinds[u.kind];
      return 2 * (kind.windowed() ? 1 : 0) + (kind.moe() ? 1 : 0);
    };
    return rank(a) < rank(b);
  });
  return uses;
}

// The numbers of one plan that every stage uses. Symbols as in docs/chiplet-model.md section 2.
struct Sizes {
  const Plan* plan;
  Network net;
  const Layout* layout;
  bool decode;
  double d, bw, bkv, ba;  // width; bytes of a weight, cache element, activation
  double cp, tp, dp;
  double b;    // sequences of the replica
  double tok;  // tokens of the rank
  double S;    // context
  ExpertSplit experts;

  // Sum over TP ranks; partial sums that CP ranks of a cube share are split among them first.
  void tp_reduce(double bytes, Traffic& out) const {
    const std::size_t levels = net.levels();
    const bool leaves = levels > 0 && layout->tp.members[0] < plan->tp;
    const std::int64_t cp_near = levels > 0 ? layout->cp.members[0] : 1;
    if (!decode || !leaves || cp_near <= 1) return add_all_reduce(net, layout->tp, bytes, out);
    Span near = layout->cp;
    for (std::size_t l = 1; l < levels; ++l) near.members[l] = 1;
    add_half(net, layout->tp, bytes / static_cast<double>(cp_near), out);
    add_half(net, product(layout->tp, near, levels), bytes, out);
  }
};

StageWork& stage(LayerWork& layer, StageName name) {
  return layer.stages[static_cast<std::size_t>(name)];
}

void lower_norm(const Sizes& z, StageWork& w) {
  w.vector_flop = 4 * z.tok * z.d;
  w.memory_bytes = 2 * z.tok * z.d * z.ba;
}

void add_matmul(const Sizes& z, double params, double elements_moved, StageWork& w) {
  w.matrix_flop += 2 * z.tok * params;
  w.memory_bytes += params * z.bw + z.tok * elements_moved * z.ba;
}

// S2, S3, S4, S9, S10: what stands around the scores.
void lower_projections(const Sizes& z, const Attention& a, const AttentionShape& s,
                       LayerWork& layer) {
  add_matmul(z, s.query_params, z.d + s.query_out, stage(layer, StageName::s2));

  StageWork& s3 = stage(layer, StageName::s3);
  if (s.key_value_params > 0) add_matmul(z, s.key_value_params, z.d + s.key_value_out, s3);
  if (s.expand_params > 0) {
    const auto c = static_cast<double>(a.kv_lora_rank);
    const double out = static_cast<double>(a.heads * (a.qk_nope_head_dim + a.v_head_dim)) / z.tp;
    add_matmul(z, s.expand_params, c + out, s3);
  }
  if (s.absorb_params > 0) {
    const double heads = static_cast<double>(a.heads) / z.tp;
    add_matmul(z, s.absorb_params,
               heads * static_cast<double>(a.qk_nope_head_dim) +
                   heads * static_cast<double>(a.kv_lora_rank),
               s3);
    if (z.plan->kv_shard_mode == KvShardMode::split) {
      add_all_to_all(z.net, z.layout->tp, z.tok * s.q * z.ba, s3.traffic);
    }
  }

  StageWork& s4 = stage(layer, StageName::s4);
  s4.vector_flop = 3 * z.tok * s.rope;
  s4.memory_bytes = 2 * z.tok * s.rope * z.ba + z.tok * s.cache * z.bkv;

  StageWork& s9 = stage(layer, StageName::s9);
  if (a.kind != AttentionKind::recurrent) add_matmul(z, s.output_params, s.output_in + z.d, s9);
  if (s.value_up_params > 0) add_matmul(z, s.value_up_params, s.o + s.output_in, s9);
  z.tp_reduce(z.tok * z.d * z.ba, s9.traffic);

  StageWork& s10 = stage(layer, StageName::s10);
  s10.vector_flop = z.tok * z.d;
  s10.memory_bytes = 3 * z.tok * z.d * z.ba;
}

// R: blocks of the context that one CP rank meets in turn.
double ring_visits(const Sizes& z, const Attention& a) {
  if (z.plan->cp == 1) return 1;
  if (z.decode) return z.plan->cp_ring_variant == CpRing::kv ? z.cp : 1;
  if (a.window == 0) return z.cp;
  const double reach = std::ceil(static_cast<double>(a.window - 1) / (z.S / z.cp));
  return 1 + std::min(z.cp - 1, reach);
}

// What travels around the CP ring, or is summed over it.
void lower_ring(const Sizes& z, const AttentionShape& s, double chunk, double visits, double oml,
                Traffic& out) {
  if (z.plan->cp == 1) return;
  if (z.plan->cp_ring_variant == CpRing::kv) {
    return add_ring(z.net, z.layout->cp, z.b * chunk * (s.k + s.v) * z.bkv, visits - 1, out);
  }
  if (z.decode) return add_all_reduce(z.net, z.layout->cp, oml, out);
  add_ring(z.net, z.layout->cp, z.tok * s.q * z.ba + oml, visits - 1, out);
  add_ring(z.net, z.layout->cp, oml, std::min(visits - 1, z.cp - visits + 1), out);
}

// S5-S8: scores, softmax, values, merge; the ring loop of context parallelism runs over them.
void lower_scores(const Sizes& z, const Attention& a, const AttentionShape& s, std::int64_t context,
                  LayerWork& layer) {
  const double visits = layer.ring_visits = ring_visits(z, a);
  const double chunk = (z.decode ? visible_context(a, context) : z.S) / z.cp;
  const double pairs = z.decode ? z.b * chunk * visits : z.b * causal_pairs(a, context) / z.cp;
  const double scores = pairs * s.score_heads;
  const double oml = z.tok * (s.o + 2 * s.score_heads) * kAccumulatorBytes;

  StageWork& s5 = stage(layer, StageName::s5);
  s5.matrix_flop = 2 * pairs * s.q;
  s5.memory_bytes = visits * z.tok * s.q * z.ba + z.b * chunk * visits * s.k * z.bkv;
  if (s.score_ranks > 1) {
    const auto sharers = static_cast<std::int64_t>(std::ceil(s.score_ranks));
    Traffic once;
    add_all_reduce(z.net, first_ranks(z.layout->tp, sharers, z.net.levels()),
                   scores * kAccumulatorBytes / visits, once);
    for (std::size_t l = 0; l < z.net.levels(); ++l) {
      s5.traffic.hops[l] += visits * once.hops[l];
      s5.traffic.link_bytes[l] += visits * once.link_bytes[l];
    }
  }
  stage(layer, StageName::s6).vector_flop = 5 * scores;

  StageWork& s7 = stage(layer, StageName::s7);
  s7.matrix_flop = 2 * pairs * s.o;
  s7.memory_bytes = z.b * chunk * visits * s.v * z.bkv;

  StageWork& s8 = stage(layer, StageName::s8);
  s8.vector_flop = 3 * visits * z.tok * s.o;
  s8.memory_bytes = z.tok * s.o * z.ba + 2 * (visits - 1) * oml;
  const bool latent = a.kind == AttentionKind::mla && z.decode;
  if (latent && z.plan->kv_shard_mode == KvShardMode::split) {
    add_all_to_all(z.net, z.layout->tp, z.tok * s.o * z.ba, s8.traffic);
  }
  lower_ring(z, s, chunk, visits, oml, s8.traffic);
}

// Indexer of sparse attention: its scores against every token of the context.
void lower_indexer(const Sizes& z, const Attention& a, std::int64_t context, LayerWork& layer) {
  if (a.index_heads == 0) return;
  Attention all = a;
  all.index_heads = 0;
  const double pairs = z.decode ? z.b * z.S / z.cp : z.b * causal_pairs(all, context) / z.cp;
  StageWork& s5 = stage(layer, StageName::s5);
  s5.matrix_flop += 2 * static_cast<double>(a.index_heads * a.index_head_dim) * pairs;
  s5.memory_bytes += z.b * z.S / z.cp * static_cast<double>(a.index_head_dim) * z.bkv;
  add_matmul(z, static_cast<double>(a.index_params),
             static_cast<double>(a.index_heads * a.index_head_dim), stage(layer, StageName::s3));
}

// Linear attention and state-space mixers (an estimate): convolution, state update and read.
void lower_recurrence(const Sizes& z, const Attention& a, LayerWork& layer) {
  const StateFlop flop = state_flop_per_token(a);
  const double state =
      static_cast<double>(a.state_heads * a.state_key_dim * a.state_value_dim) / z.tp;
  StageWork& s4 = stage(layer, StageName::s4);
  s4.vector_flop = z.tok * flop.convolution / z.tp;
  s4.memory_bytes = 2 * z.tok * static_cast<double>(a.conv_channels) / z.tp * z.ba;
  StageWork& s5 = stage(layer, StageName::s5);
  s5.matrix_flop = z.tok * (flop.update + (z.decode ? 0 : flop.chunk)) / z.tp;
  s5.memory_bytes = 2 * z.b * state * z.bkv;
}

// Work of the feed-forward part on one rank. Symbols as in section 5, "FFN".
struct FfnSizes {
  double group = 1;    // G
  double tokens = 0;   // t_f
  double rows = 0;     // x: rows that enter the matrices
  double inner = 0;    // y: elements of the intermediate
  double weights = 0;  // omega: intermediate columns whose weights are read
};

FfnSizes ffn_sizes(const Sizes& z, const Ffn& f, const Workload& work) {
  FfnSizes out;
  out.group = ffn_ranks(*z.plan);
  out.tokens = ffn_tokens(work, *z.plan);
  if (!f.moe()) {
    out.rows = out.tokens;
    out.inner = out.tokens * static_cast<double>(f.width) / out.group;
    out.weights = static_cast<double>(f.width) / out.group;
    return out;
  }
  const auto experts = static_cast<double>(f.experts), k = static_cast<double>(f.top_k);
  const auto ep = static_cast<double>(z.plan->ep), fm = static_cast<double>(f.expert_width);
  const auto shared = static_cast<double>(f.shared_width + f.width);
  const double e = z.decode ? static_cast<double>(z.experts.cp) : 1;
  const double routed = out.tokens * k / e, pool = out.tokens * ep / e;
  const double touched = 1 - std::pow(1 - k / experts, pool);
  out.rows = routed + (shared > 0 ? out.tokens : 0);
  out.inner = routed * fm / out.group + out.tokens * shared / out.group;
  out.weights = experts / ep * touched * fm / out.group + shared / out.group;
  return out;
}

// Ranks whose experts differ, and those that hold a token's vector in common.
struct FfnGroups {
  Span scope;     // all ranks that shard the feed-forward part
  Span same;      // share one token's vector
  Span experts;   // EP
  Span dispatch;  // hold the tokens that EP exchanges in common
};

FfnGroups ffn_groups(const Sizes& z) {
  const Layout& layout = *z.layout;
  const std::size_t levels = z.net.levels();
  const Plan& plan = *z.plan;
  FfnGroups g;
  const Span with_cp = plan.scope_has_cp() ? product(layout.tp, layout.cp, levels) : layout.tp;
  g.scope = plan.scope_has_dp() ? product(with_cp, layout.dp, levels) : with_cp;
  g.same = z.decode ? with_cp : layout.tp;
  g.dispatch = with_cp;
  g.experts = first_ranks(layout.dp, z.experts.dp, levels);
  if (!z.decode) {
    g.experts = product(g.experts, first_ranks(layout.cp, z.experts.cp, levels), levels);
  }
  return g;
}

// F2: tokens of the scope are gathered, routed and sent to their experts.
void lower_gather(const Sizes& z, const Ffn& f, const FfnSizes& t, const FfnGroups& g,
                  StageWork& f2) {
  const Plan& plan = *z.plan;
  if (plan.scope_has_dp()) {
    add_gather(z.net, z.layout->dp, g.same, z.tok * z.dp * z.d * z.ba, f2.traffic);
  }
  if (plan.scope_has_cp() && !z.decode) {
    add_gather(z.net, z.layout->cp, g.same, t.tokens * z.d * z.ba, f2.traffic);
  }
  if (!f.moe()) return;
  const auto experts = static_cast<double>(f.experts);
  f2.matrix_flop = 2 * t.tokens * z.d * experts;
  f2.memory_bytes = z.d * experts * z.bw + t.tokens * (z.d + experts) * z.ba;
  add_exchange(z.net, g.experts, g.dispatch, t.tokens * static_cast<double>(f.top_k) * z.d * z.ba,
               f2.traffic);
}

// F6: routed outputs come home, are weighted and added to the residual.
void lower_combine(const Sizes& z, const Ffn& f, const FfnSizes& t, const FfnGroups& g,
                   StageWork& f6) {
  f6.vector_flop = z.tok * z.d;
  f6.memory_bytes = 3 * z.tok * z.d * z.ba;
  if (!f.moe()) return;
  const auto k = static_cast<double>(f.top_k);
  f6.vector_flop += 2 * z.tok * k * z.d;
  f6.memory_bytes += z.tok * k * z.d * z.ba;
  add_exchange(z.net, g.experts, g.dispatch, t.tokens * k * z.d * z.ba, f6.traffic);
  if (z.decode && z.experts.cp > 1) {
    add_all_reduce(z.net, first_ranks(z.layout->cp, z.experts.cp, z.net.levels()),
                   t.tokens * z.d * z.ba, f6.traffic);
  }
}

void lower_ffn(const Sizes& z, const Ffn& f, const Workload& work, LayerWork& layer) {
  const FfnSizes t = ffn_sizes(z, f, work);
  const FfnGroups g = ffn_groups(z);
  const auto mats = static_cast<double>(f.matrices);
  lower_norm(z, stage(layer, StageName::f1));
  lower_gather(z, f, t, g, stage(layer, StageName::f2));

  StageWork& f3 = stage(layer, StageName::f3);
  f3.matrix_flop = 2 * (mats - 1) * z.d * t.inner;
  f3.memory_bytes =
      (mats - 1) * z.d * t.weights * z.bw + (t.rows * z.d + (mats - 1) * t.inner) * z.ba;

  StageWork& f4 = stage(layer, StageName::f4);
  f4.vector_flop = 4 * t.inner;
  f4.memory_bytes = mats * t.inner * z.ba;

  StageWork& f5 = stage(layer, StageName::f5);
  f5.matrix_flop = 2 * z.d * t.inner;
  f5.memory_bytes = z.d * t.weights * z.bw + (t.inner + t.rows * z.d) * z.ba;
  if (z.plan->ffn_shard_scope == FfnShardScope::tp) {
    z.tp_reduce(z.tok * z.d * z.ba, f5.traffic);
  } else {
    add_half(z.net, g.scope, t.tokens * z.d * z.ba, f5.traffic);
    add_half(z.net, g.same, z.tok * z.d * z.ba, f5.traffic);
  }
  lower_combine(z, f, t, g, stage(layer, StageName::f6));
}

void lower_layer(const Sizes& z, const LayerKind& kind, const Workload& work, LayerWork& layer) {
  const Attention& a = kind.attention;
  layer.stages.fill(StageWork{});
  layer.ring_visits = 1;
  if (a.kind != AttentionKind::none) {
    const AttentionShape s =
        attention_shape(a, static_cast<std::int64_t>(z.d), work.phase, *z.plan);
    lower_norm(z, stage(layer, StageName::s1));
    lower_projections(z, a, s, layer);
    if (a.kind == AttentionKind::recurrent) {
      lower_recurrence(z, a, layer);
    } else {
      lower_scores(z, a, s, work.context, layer);
      lower_indexer(z, a, work.context, layer);
    }
  }
  if (kind.ffn.width > 0 || kind.ffn.moe()) lower_ffn(z, kind.ffn, work, layer);
}

void lower_tables(const Sizes& z, const Model& model, Step& out) {
  const auto v = static_cast<double>(model.vocab);
  StageWork& emb = out.edges[0];
  emb.memory_bytes = z.tok * z.d / z.tp * z.bw + z.tok * z.d * z.ba;
  z.tp_reduce(z.tok * z.d * z.ba, emb.traffic);

  StageWork& head = out.edges[1];
  head.matrix_flop = 2 * z.b * z.d * v / z.tp;
  head.vector_flop = 4 * z.b * z.d;
  head.memory_bytes = z.d * v / z.tp * z.bw + z.b * (2 * z.d + v / z.tp) * z.ba;
  add_half(z.net, z.layout->tp, z.b * v * z.ba, head.traffic);
}

// P2P: the activations of replica 0 pass every stage boundary, then are gathered over TP.
void lower_hand_over(const Sizes& z, const Placement& at, Traffic& out) {
  const Machine& machine = *z.net.machine;
  const double share = z.tok * z.d / z.tp * z.ba;
  for (std::int64_t j = 0; j + 1 < z.plan->pp; ++j) {
    const Boundary boundary = boundary_of(machine, at, j);
    const Level& level = machine.levels[boundary.level];
    const double over = is_switched(level.topology) ? level.oversubscription : 1;
    out.hops[boundary.level] += boundary.hops;
    out.link_bytes[boundary.level] += at.layout.sharing[boundary.level] * over * share;
    add_half(z.net, z.layout->tp, z.tok * z.d * z.ba, out);
  }
}

// What of a layer no machine's stages describe yet; null when all of it.
const char* unmodelled_feature(const Attention& a) {
  if (a.compress_ratio > 0) return "attention over a compressed cache";
  if (a.reuses_cache) return "attention that reuses another layer's cache";
  return nullptr;
}

// What of a layer the chiplet machine's stages do not describe; null when all of it.
const char* foreign_feature(const Attention& a) {
  if (a.kind == AttentionKind::recurrent) return "linear attention or a state-space mixer";
  if (a.index_heads > 0) return "sparse attention with an indexer";
  if (a.chunk > 0) return "chunked attention";
  return unmodelled_feature(a);
}

}  // namespace

PlacementFacts placement_facts(const Model& model, const Workload& work) {
  PlacementFacts facts;
  facts.layers = model.layer_count();
  facts.context = work.context;
  for (const LayerKind& kind : model.kinds) {
    const std::int64_t heads = std::max(kind.attention.heads, kind.attention.state_heads);
    facts.query_heads = std::max(facts.query_heads, heads);
    facts.experts = std::max(facts.experts, kind.ffn.experts);
    if (kind.attention.kind != AttentionKind::softmax) continue;
    const std::int64_t kv = kind.attention.kv_heads;
    facts.kv_heads = facts.kv_heads == 0 ? kv : std::min(facts.kv_heads, kv);
  }
  return facts;
}

Status check_supported(const Model& model, const Machine& machine) {
  if (model.layers.empty()) {
    return Error{ErrorCode::missing, "", fmt::format("model {} has no layers", model.name),
                 "give a model with its architecture, not only totals"};
  }
  const bool chiplet = machine.kind == MachineKind::chiplet;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Attention& a = model.kinds[model.layers[i]].attention;
    const char* feature = chiplet ? foreign_feature(a) : unmodelled_feature(a);
    if (feature == nullptr) continue;
    return Error{ErrorCode::unsupported, "",
                 fmt::format("{} ({}) has {} in layer {}, which {} not model", model.name,
                             model.architecture, feature, i,
                             chiplet ? "the chiplet machine does" : "the stages do"),
                 "softmax attention (MHA, GQA, MQA, MLA, sliding windows) is understood"};
  }
  return Ok{};
}

struct Lowering::State {
  const Model* model;
  Machine machine;
  Workload work;
  std::vector<KindUse> kinds;
  PlacementFacts facts;
  LayerPrefix prefix;
  HopCache hops;
};

Lowering::Lowering(const Model& model, const Machine& machine, const Workload& work)
    : state_(std::make_unique<State>(State{&model,
                                           machine,
                                           work,
                                           kinds_in_order(model),
                                           placement_facts(model, work),
                                           layer_prefix(model),
                                           {}})) {}

Lowering::Lowering(const Lowering& other) : state_(std::make_unique<State>(*other.state_)) {}
Lowering& Lowering::operator=(const Lowering& other) {
  *state_ = *other.state_;
  return *this;
}
Lowering::Lowering(Lowering&&) noexcept = default;
Lowering& Lowering::operator=(Lowering&&) noexcept = default;
Lowering::~Lowering() = default;

const Model& Lowering::model() const {
  return *state_->model;
}
const Machine& Lowering::machine() const {
  return state_->machine;
}
const Workload& Lowering::workload() const {
  return state_->work;
}

void Lowering::lower(const Plan& plan, Step& out) {
  State& s = *state_;
  const Placement at = place(s.machine, s.facts, plan);
  out.layout = at.layout;
  out.memory = memory_of(*s.model, s.prefix, s.machine, s.work, plan);
  out.edges.fill(StageWork{});
  if (!at.layout.valid()) return out.layers.clear();

  const Sizes z{.plan = &plan,
                .net = {&s.machine, &out.layout, &s.hops},
                .layout = &out.layout,
                .decode = s.work.phase == Phase::decode,
                .d = static_cast<double>(s.model->hidden),
                .bw = s.work.weight_bytes(),
                .bkv = bytes_per_element(s.work.kv_precision),
                .ba = bytes_per_element(s.work.activation_precision),
                .cp = static_cast<double>(plan.cp),
                .tp = static_cast<double>(plan.tp),
                .dp = static_cast<double>(plan.dp),
                .b = sequences_per_replica(s.work, plan),
                .tok = tokens_per_rank(s.work, plan),
                .S = static_cast<double>(s.work.context),
                .experts = expert_split(plan)};
  out.layers.resize(s.kinds.size());
  for (std::size_t i = 0; i < s.kinds.size(); ++i) {
    const LayerKind& kind = s.model->kinds[s.kinds[i].kind];
    LayerWork& layer = out.layers[i];
    layer.windowed = kind.windowed();
    layer.moe = kind.moe();
    layer.count = s.kinds[i].count;
    lower_layer(z, kind, s.work, layer);
  }
  lower_tables(z, *s.model, out);
  lower_hand_over(z, at, out.edges[2].traffic);
}

}  // namespace ridgeline::physics
