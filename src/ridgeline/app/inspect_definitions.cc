// The work of a stage in symbols: the table of docs/chiplet-model.md section 5, with the shapes of
// each kind of attention and feed-forward part put in.
#include <algorithm>
#include <array>

#include "ridgeline/app/inspect.h"

namespace ridgeline::app {
namespace {

struct Definition {
  const char *m, *v, *bytes, *network;
};

// Heads of keys and values of their own, a dense feed-forward part.
constexpr std::array<Definition, kLayerStages + kEdges> kUsual = {{
    {"", "4 tok d", "2 tok d b_a", ""},
    {"2 tok d q'", "", "d q' b_w + tok (d + q') b_a", ""},
    {"2 tok d (k + v)", "", "d (k + v) b_w + tok (d + k + v) b_a", ""},
    {"", "3 tok rho", "2 tok rho b_a + tok cache b_kv", ""},
    {"2 Pi q", "", "R tok q b_a + b chunk R k b_kv",
     "if g_s > 1: R all-reduces over the first ceil(g_s) TP ranks of Y b_c / R"},
    {"", "5 Y", "0", ""},
    {"2 Pi o", "", "b chunk R v b_kv", ""},
    {"", "3 R tok o", "tok o b_a + 2 (R - 1) oml", "the CP ring, or all-reduce(CP, oml)"},
    {"2 tok o' d", "", "o' d b_w + tok (o' + d) b_a", "tp_reduce(tok d b_a)"},
    {"", "tok d", "3 tok d b_a", ""},
    {"", "4 tok d", "2 tok d b_a", ""},
    {"", "", "", "gather"},
    {"2 (mats - 1) d y", "", "(mats - 1) d omega b_w + (x d + (mats - 1) y) b_a", ""},
    {"", "4 y", "mats y b_a", ""},
    {"2 d y", "", "d omega b_w + (y + x d) b_a", "reduce over the scope"},
    {"", "tok d", "3 tok d b_a", ""},
    {"", "", "tok d / TP b_w + tok d b_a", "tp_reduce(tok d b_a)"},
    {"2 b d V / TP", "4 b d", "d V / TP b_w + b (2 d + V / TP) b_a", "half(TP, b V b_a)"},
    {"", "", "", "kappa tok d / TP b_a at each boundary; half(TP, tok d b_a)"},
}};

constexpr Definition kMoeGather{"2 t_f d E", "", "d E b_w + t_f (d + E) b_a", "gather; dispatch"};
constexpr Definition kMoeCombine{"", "tok d + 2 tok top_k d", "3 tok d b_a + tok top_k d b_a",
                                 "combine"};

// Latent attention; the queries come from a latent of their own where q_lora is no zero.
constexpr Definition kLatentQuery{"2 tok (d q_lora + q_lora q')", "",
                                  "(d q_lora + q_lora q') b_w + tok (d + q') b_a", ""};
constexpr Definition kLatentExpand{"2 tok (d (c + r) + c h_q (d_nope + d_v) / TP)", "",
                                   "(d (c + r) + c h_q (d_nope + d_v) / TP) b_w + tok (d + c + r) "
                                   "b_a + tok (c + h_q (d_nope + d_v) / TP) b_a",
                                   ""};
constexpr Definition kLatentAbsorb{
    "2 tok (d (c + r) + c h_q d_nope / TP)", "",
    "(d (c + r) + c h_q d_nope / TP) b_w + tok (d + c + r) b_a + tok (h_q d_nope / TP + h_q c / "
    "TP) b_a",
    "split: all-to-all(TP, tok q b_a)"};
constexpr Definition kLatentMerge{
    "", "3 R tok o", "tok o b_a + 2 (R - 1) oml",
    "split: all-to-all(TP, tok o b_a); the CP ring, or all-reduce(CP, oml)"};
constexpr Definition kLatentOutput{
    "2 tok (o' d + c h_q d_v / TP)", "",
    "(o' d + c h_q d_v / TP) b_w + tok (o' + d) b_a + tok (o + o') b_a", "tp_reduce(tok d b_a)"};

Definition definition_of(StageName stage, const Attention& a, bool moe, bool decode) {
  const bool latent = a.kind == AttentionKind::mla;
  switch (stage) {
    case StageName::s2:
      if (latent && a.q_lora_rank > 0) return kLatentQuery;
      break;
    case StageName::s3:
      if (latent) return decode ? kLatentAbsorb : kLatentExpand;
      break;
    case StageName::s8:
      if (latent && decode) return kLatentMerge;
      break;
    case StageName::s9:
      if (latent && decode) return kLatentOutput;
      break;
    case StageName::f2:
      if (moe) return kMoeGather;
      break;
    case StageName::f6:
      if (moe) return kMoeCombine;
      break;
    default: break;
  }
  return kUsual[static_cast<std::size_t>(stage)];
}

// Layers that the table does not have: recurrent ones, those with an indexer, keys that are values
// too, attention that is left out.
bool beyond_table(const LayerKind& kind) {
  const Attention& a = kind.attention;
  const bool known = a.kind == AttentionKind::softmax || a.kind == AttentionKind::mla;
  return !known || a.index_heads > 0 || a.shared_key_value;
}

}  // namespace

bool has_definitions(const Model& model) {
  return std::none_of(model.kinds.begin(), model.kinds.end(), beyond_table);
}

void write_definitions(const Inspection& in, StageName stage, bool moe, report::JsonWriter& out) {
  const Model& model = in.c.model;
  const bool decode = in.c.scenario.work.phase == Phase::decode;
  const Definition d = definition_of(stage, model.kinds[model.layers[0]].attention, moe, decode);
  const auto put = [&out](const char* key, const char* text) {
    if (*text != '\0') out.member(key, text);
  };
  out.begin_object(report::JsonWriter::Form::line);
  put("m", d.m);
  put("v", d.v);
  put("bytes", d.bytes);
  put("network", d.network);
  out.end_object();
}

}  // namespace ridgeline::app
