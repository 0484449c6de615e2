#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgeline/app/command.h"
#include "ridgeline/app/derived.h"
#include "ridgeline/app/fleet.h"
#include "ridgeline/base/text.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::app {
namespace {

constexpr std::array kPlans = {"reduced", "full"};
constexpr std::array kMlaForms = {"latent", "expanded"};
constexpr std::array<const char*, kPrecisionCount> kPrecisions = {
    "fp32", "tf32", "bf16", "fp16", "fp8", "int8", "int4", "fp4", "mxfp4", "nvfp4"};

constexpr Field kModel{"model", FieldKind::model, "",
                       "a name of the registry, a file, or a config.json"};
constexpr Field kMachine{"machine", FieldKind::machine, "chiplet-sip",
                         "a name of the registry, a file, or {\"base\": NAME, FIELD: value}"};
constexpr Field kOrder{"plan.order", FieldKind::axes, "tp,cp,pp,dp",
                       "axes from the inside out (not on the chiplet machine)"};

constexpr std::array kInspectFields = {
    kModel,
    kMachine,
    kOrder,
    Field{"topology", FieldKind::toggle, "false", "list each device with its rank as well (json)"},
    Field{"rank", FieldKind::count, "0", "whose parts of the tensors are told (json)"},
    Field{"formulas", FieldKind::toggle, "false", "the formulas of each stage with their values"},
    Field{"parts", FieldKind::texts, "",
          "which of formulas, symbols, topology, shards and effects are told (json), or none; all "
          "where nothing is given"},
};

constexpr std::array kExploreFields = {
    kModel,
    kMachine,
    kOrder,
    Field{"depth", FieldKind::text, "balanced", "two_stage, balanced, coarse or full"},
    Field{"plans", FieldKind::choice, "reduced", "which plans go with the machines of a depth",
          kPlans},
    Field{"space", FieldKind::space, "", "in place of depth: a name, a file, or axes inline"},
    Field{"objectives", FieldKind::texts, "latency_s,cost_score",
          "what the Pareto front weighs; \"maximize NAME\" turns the sense"},
    Field{"constraints", FieldKind::texts, "fits_memory", "such as \"pes_used <= 512\""},
    Field{"misfits", FieldKind::toggle, "false",
          "answer pairs that do not fit in memory too, their memory_headroom_bytes below 0"},
    Field{"top", FieldKind::count, "0", "list the N fastest pairs as well"},
    Field{"per_hardware", FieldKind::toggle, "false", "list the best pair of every machine"},
    Field{"points", FieldKind::toggle, "false", "write every feasible pair (json, csv)"},
    Field{"thin", FieldKind::count, "0",
          "the front, and one pair per cell of a grid over two objectives, N cells per 8 octaves "
          "(json)"},
    Field{"columns", FieldKind::toggle, "false",
          "with thin: the points column by column, a fifth as long (json)"},
    Field{"heat_map", FieldKind::texts, "",
          "two axes of the space, such as plan.tp,plan.cp: the best pair of each cell (json)"},
    Field{"at", FieldKind::object, "", "a row of the answer: take the sensitivity there"},
    Field{"threads", FieldKind::count, "0", "threads to use, 0: all; changes only the speed"},
};

constexpr std::array kListFields = {Field{
    "kind", FieldKind::text, "",
    "models, accelerators, machines, fabrics, spaces, engines, grids, sites, filesystems, failures "
    "or prices"}};
constexpr std::array kShowFields = {
    Field{"kind", FieldKind::text, "",
          "model, accelerator, machine, fabric, space, engine, grid, site, filesystem, failure or "
          "price"},
    Field{"name", FieldKind::model, "", "a name of the registry; of a model also a config.json"},
    kModel,
    Field{"kv_precision", FieldKind::choice, "bf16", "number format of the KV cache", kPrecisions},
    Field{"mla", FieldKind::choice, "latent", "what an MLA cache keeps", kMlaForms},
};
constexpr std::array kImportFields = {
    Field{"file", FieldKind::model, "",
          "a Hugging Face config.json, or a GGUF or safetensors file"},
    kModel};
constexpr std::array kReplayFields = {Field{"files", FieldKind::texts, "", "case files (JSON)"}};
constexpr std::array kValidateFields = {
    Field{"files", FieldKind::texts, "",
          "tables of measurements (CSV); those that come with the program if none is given"}};
constexpr std::array kCompareFields = {
    Field{"files", FieldKind::texts, "", "results that were saved, or specs that are run first"},
    Field{"baseline", FieldKind::count, "0", "the one that changes are told against, from 0"}};
constexpr std::array kSignatureFields = {
    Field{"threads", FieldKind::count, "0", "threads to use, 0: all; changes only the speed"}};
constexpr std::array kCommandFields = {
    Field{"command", FieldKind::text, "", "a command"},
    Field{"variant", FieldKind::text, "", "a solver, of the commands that take one"}};

constexpr std::array kServeFields = {
    Field{"address", FieldKind::text, "127.0.0.1",
          "where to listen; one that others can reach needs a token"},
    Field{"port", FieldKind::count, "8080", "0: any that is free"},
    Field{"token", FieldKind::text, "", "what callers must know: Authorization: Bearer TOKEN"},
    Field{"no_browser", FieldKind::toggle, "false", "open no browser"},
};

constexpr std::array kModelWord = {"model"};
constexpr std::array kKindWord = {"kind"};
constexpr std::array kKindNameWords = {"kind", "name"};
constexpr std::array kFileWord = {"file"};
constexpr std::array kFilesWord = {"files"};
constexpr std::array kCommandWords = {"command", "variant"};

constexpr std::array kFixed = {
    Command{
        "explore", "search machines and plans together: best, Pareto front, sensitivity",
        "ridgeline explore --model llama-3.1-70b --phase decode --context 128k --depth balanced",
        Scope::scenario, kExploreFields, kModelWord, answer_explore},
    Command{"inspect", "one configuration in full: stages with formulas, memory, copies, hints",
            "ridgeline inspect --model llama-3.1-70b --context 128k --cp 16 --tp 32",
            Scope::scenario, kInspectFields, kModelWord, answer_inspect},
    Command{"validate", "predictions against published measurements; error per class",
            "ridgeline validate", Scope::own, kValidateFields, kFilesWord, answer_validate},
    Command{"replay", "run case files and check their right answers", "ridgeline replay cases.json",
            Scope::own, kReplayFields, kFilesWord, answer_replay},
    Command{"compare", "saved results side by side, the best of each row marked",
            "ridgeline compare a.json b.json", Scope::own, kCompareFields, kFilesWord,
            answer_compare},
    Command{"signature",
            "twelve digits that change when a result of a fixed suite does",
            "ridgeline signature",
            Scope::own,
            kSignatureFields,
            {},
            answer_signature},
    Command{"list", "what a registry holds", "ridgeline list models", Scope::own, kListFields,
            kKindWord, answer_list},
    Command{"show", "one entry of a registry, with its sources", "ridgeline show model gpt-oss-20b",
            Scope::own, kShowFields, kKindNameWords, answer_show},
    Command{"import", "what is derived from a config.json", "ridgeline import path/to/config.json",
            Scope::own, kImportFields, kFileWord, answer_import},
    Command{"serve",
            "the dashboard and the HTTP API",
            "ridgeline serve",
            Scope::own,
            kServeFields,
            {},
            answer_serve},
    Command{"schema", "JSON Schema of the input and output of a command",
            "ridgeline schema inspect", Scope::own, kCommandFields, kCommandWords, answer_schema},
    Command{"help", "the commands, or one of them", "ridgeline help explore", Scope::own,
            kCommandFields, kCommandWords, answer_help},
    Command{"version",
            "the version of this program",
            "ridgeline --version",
            Scope::own,
            {},
            {},
            answer_version},
};

// "serving" of "Serving" and of "ServingModel", "singlenode" of "single-node".
std::string plain_word(std::string_view word) {
  std::string out = lower(word);
  std::erase_if(out, [](char c) { return c == '-' || c == '_'; });
  for (const std::string_view ending : {"model", "solver", "optimizer"}) {
    if (out.size() > ending.size() && out.ends_with(ending)) {
      out.resize(out.size() - ending.size());
      break;
    }
  }
  return out;
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Field> kExplore = [] {
    std::vector<Field> all(kExploreFields.begin(), kExploreFields.end());
    all.insert(all.end(), fleet_fields().begin(), fleet_fields().end());
    return all;
  }();
  static const std::vector<Command> kCommands = [] {
    std::vector<Command> all(kFixed.begin(), kFixed.end());
    all.front().fields = kExplore;
    const std::array derived = {fit_command(), solve_command(), evaluate_command(),
                                explain_command()};
    all.insert(all.begin() + 2, derived.begin(), derived.end());
    return all;
  }();
  return kCommands;
}

Result<report::Document> answer_serve(const Request&, const Context&) {
  return Error{ErrorCode::unsupported, "", "serve answers at a shell alone",
               "run: ridgeline serve"};
}

Result<const Command*> find_command(std::string_view name) {
  const std::string wanted = lower(name);
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (wanted == command.name) return &command;
    names.emplace_back(command.name);
  }
  std::string hint = did_you_mean(wanted, names);
  if (hint.empty()) hint = fmt::format("the commands are {}", fmt::join(names, ", "));
  return Error{ErrorCode::unknown_name, "", fmt::format("\"{}\" is no command", name.substr(0, 80)),
               hint};
}

Result<const Command*> find_variant(const Command& command, std::string_view word) {
  const std::string wanted = plain_word(word);
  std::vector<std::string> names;
  for (const Command& variant : command.variants()) {
    if (wanted == plain_word(variant.variant)) return &variant;
    names.emplace_back(variant.variant);
  }
  std::string hint = did_you_mean(word, names);
  if (hint.empty()) hint = fmt::format("there are {}", fmt::join(names, ", "));
  return Error{ErrorCode::unknown_name, "",
               fmt::format("{} has no \"{}\"", command.name, word.substr(0, 80)), hint};
}

const Field* find_field(const Command& command, std::string_view name) {
  for (const Field& field : command.fields) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

}  // namespace ridgeline::app
