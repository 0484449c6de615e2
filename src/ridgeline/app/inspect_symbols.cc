// The symbols of the formulas: what they mean, their values, and the fields that set them.
#include <array>

#include "ridgeline/app/field_symbols.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/inspect.h"
#include "ridgeline/physics/memory.h"
#include "ridgeline/physics/shapes.h"

namespace ridgeline::app {
namespace {

class SymbolWriter {
 public:
  SymbolWriter(const Inspection& in, report::JsonWriter& out) : in_(in), out_(out) {}

  void write() {
    out_.begin_list();
    for (const ScalarField& field : in_.c.fields) add_field(field);
    add_model();
    add_derived();
    out_.end_list();
  }

 private:
  template <class Value>
  void add(std::string_view symbol, std::string_view meaning, std::string_view unit,
           std::string_view from, const Value& write_value) {
    out_.begin_object(report::JsonWriter::Form::line);
    out_.member("symbol", symbol);
    out_.member("meaning", meaning);
    out_.plain_key("value");
    write_value();
    out_.member("unit", unit);
    out_.member("from", from);
    out_.end_object();
  }

  void add_number(std::string_view symbol, const char* meaning, double value, const char* unit,
                  std::string_view from) {
    add(symbol, meaning, unit, from, [&] { out_.number(value); });
  }

  void add_field(const ScalarField& field) {
    const std::string symbol = symbol_of(field, in_.c.scenario.machine);
    if (symbol.empty()) return;
    const double value = get_scalar(in_.c.scenario, field);
    const bool format = symbol == "b_w" || symbol == "b_kv" || symbol == "b_a";
    if (format) {
      const auto precision = static_cast<Precision>(static_cast<int>(value));
      const double bytes =
          symbol == "b_w" ? in_.c.scenario.work.weight_bytes() : bytes_per_element(precision);
      return add_number(symbol, field.help, bytes, "B", field.path);
    }
    add(symbol, field.help, unit_text(field), field.path,
        [&] { out_.value(scalar_json(field, value)); });
  }

  // Sizes of the model; of layers that differ, the first kind.
  void add_model() {
    const Model& model = in_.c.model;
    const LayerKind& kind = model.kinds[model.layers[0]];
    const Attention& a = kind.attention;
    const auto size = [&](const char* symbol, const char* meaning, std::int64_t value) {
      if (value > 0) add_number(symbol, meaning, static_cast<double>(value), "", "model");
    };
    size("L", "layers", model.layer_count());
    size("d", "hidden size", model.hidden);
    size("V", "vocabulary", model.vocab);
    size("h_q", "query heads", a.heads);
    size("h_kv", "KV heads", a.kv_heads);
    size("d_h", "head size", a.head_dim);
    size("c", "latent of keys and values", a.kv_lora_rank);
    size("r", "rotated part of a head", a.qk_rope_head_dim);
    size("W", "attention window", a.window);
    size("f", "FFN width", kind.ffn.width);
    size("E", "experts", kind.ffn.experts);
    size("top_k", "experts per token", kind.ffn.top_k);
    size("f_m", "width of an expert", kind.ffn.expert_width);
    size("f_s", "width of the shared experts together", kind.ffn.shared_width);
  }

  void add_derived() {
    const auto& [machine, work, plan] = in_.c.scenario;
    const Model& model = in_.c.model;
    const Attention& a = model.kinds[model.layers[0]].attention;
    const physics::AttentionShape s = physics::attention_shape(a, model.hidden, work.phase, plan);
    add_number("b", "sequences of a replica", physics::sequences_per_replica(work, plan), "",
               "derived");
    add_number("tok", "tokens that a rank processes", physics::tokens_per_rank(work, plan), "",
               "derived");
    add_number("t_f", "tokens that the FFN of a rank sees", physics::ffn_tokens(work, plan), "",
               "derived");
    add_number("ctx", "tokens of the context that are attended",
               physics::visible_context(a, work.context), "", "derived");
    add_number("q", "query elements of a rank", s.q, "", "derived");
    add_number("k", "key elements per context token", s.k, "", "derived");
    add_number("v", "value elements per context token", s.v, "", "derived");
    add_number("o", "output elements of a rank", s.o, "", "derived");
    add_number("g_kv", "copies of the cache over TP", s.kv_copies, "", "derived");
    add_number("h_s", "query heads whose scores a rank holds", s.score_heads, "", "derived");
    add_number("G", "ranks that share the FFN", physics::ffn_ranks(plan), "", "derived");
    if (!in_.step.layers.empty()) {
      add_number("R", "blocks of the context visited in turn", in_.step.layers[0].ring_visits, "",
                 "derived");
    }
    add_number("F u", "FLOP/s that kernels reach", in_.rates.flop_per_s, "FLOP/s", "derived");
    add_links(machine);
  }

  void add_links(const Machine& machine) {
    for (std::size_t l = 0; l < machine.levels.size(); ++l) {
      const double kappa = in_.step.layout.sharing[l];
      add_number("kappa_" + machine.levels[l].name, "devices that share one link of the level",
                 kappa, "", "derived");
    }
  }

  const Inspection& in_;
  report::JsonWriter& out_;
};

// Columns of the table of docs/chiplet-model.md section 5.
struct Definition {
  const char *m, *v, *bytes, *network;
};
constexpr std::array<Definition, kLayerStages + kEdges> kDefinitions = {{
    {"", "4 tok d", "2 tok d b_a", ""},
    {"2 tok n", "", "n b_w + tok (d + q') b_a", ""},
    {"2 tok n", "", "n b_w + tok (d + k + v) b_a", ""},
    {"", "3 tok rho", "2 tok rho b_a + tok cache b_kv", ""},
    {"2 Pi q", "", "R tok q b_a + b chunk R k b_kv",
     "if g_s > 1: R all-reduces over the first ceil(g_s) TP ranks of Y b_c / R"},
    {"", "5 Y", "0 (on chip)", ""},
    {"2 Pi o", "", "b chunk R v b_kv", ""},
    {"", "3 R tok o", "tok o b_a + 2 (R - 1) oml", "the CP ring, or all-reduce(CP, oml)"},
    {"2 tok n", "", "n b_w + tok (o' + d) b_a", "tp_reduce(tok d b_a)"},
    {"", "tok d", "3 tok d b_a", ""},
    {"", "4 tok d", "2 tok d b_a", ""},
    {"MoE: 2 t_f d E", "", "MoE: d E b_w + t_f (d + E) b_a", "gather; dispatch"},
    {"2 (mats - 1) d y", "", "(mats - 1) d omega b_w + (x d + (mats - 1) y) b_a", ""},
    {"", "4 y", "mats y b_a", ""},
    {"2 d y", "", "d omega b_w + (y + x d) b_a", "reduce over the scope"},
    {"", "tok d (MoE: + 2 tok top_k d)", "3 tok d b_a (MoE: + tok top_k d b_a)", "combine"},
    {"", "", "tok d / TP b_w + tok d b_a", "tp_reduce(tok d b_a)"},
    {"2 b d V / TP", "4 b d", "d V / TP b_w + b (2 d + V / TP) b_a", "half(TP, b V b_a)"},
    {"", "", "", "kappa tok d / TP b_a at each boundary; half(TP, tok d b_a)"},
}};

}  // namespace

void write_symbols(const Inspection& in, report::JsonWriter& out) {
  SymbolWriter(in, out).write();
}

void write_definitions(StageName stage, report::JsonWriter& out) {
  const Definition& d = kDefinitions[static_cast<std::size_t>(stage)];
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
