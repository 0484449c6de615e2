// The symbols of the formulas: what they mean, their values, and the fields that set them.
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
    size("d_nope", "part of a head that is not rotated", a.qk_nope_head_dim);
    size("d_v", "head size of the values", a.v_head_dim);
    size("q_lora", "latent of queries", a.q_lora_rank);
    size("W", "attention window", a.window);
    size("f", "FFN width", kind.ffn.width);
    size("mats", "matrices of the FFN, with the gate", kind.ffn.matrices);
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
    add_number("q'", "elements that the query projection writes", s.query_out, "", "derived");
    add_number("o'", "elements that the output projection reads", s.output_in, "", "derived");
    add_number("rho", "elements that are rotated", s.rope, "", "derived");
    add_number("cache", "elements stored per context token", s.cache, "", "derived");
    add_number("g_s", "TP ranks that share one score", s.score_ranks, "", "derived");
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

}  // namespace

void write_symbols(const Inspection& in, report::JsonWriter& out) {
  SymbolWriter(in, out).write();
}

}  // namespace ridgeline::app
