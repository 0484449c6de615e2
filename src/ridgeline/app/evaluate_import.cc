// Plans of mlsysim (its YAML, version 1.0) in our words. What it means is kept: all accelerators
// train data-parallel for so many days. What has no counterpart is refused by name.
#include <fmt/format.h>

#include <array>
#include <span>

#include "ridgeline/app/evaluate.h"
#include "ridgeline/app/input.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

constexpr std::array kTop = {"version", "name", "workload", "hardware", "ops", "constraints"};
constexpr std::array kWorkload = {"name", "batch_size", "seq_len"};
constexpr std::array kHardware = {"name",       "nodes",     "accelerators",
                                  "node_count", "precision", "accelerators_per_node",
                                  "efficiency"};
constexpr std::array kOps = {"region", "duration_days"};
constexpr std::array kAssertion = {"metric", "min", "max"};

// Its defaults, where a plan is silent.
constexpr int kSequence = 2048;
constexpr double kEfficiency = 0.5, kDays = 365, kPue = 1.12, kWaterPerKwh = 1.8, kPriceUsd = 0.12;

// A metric of its scorecard, ours, and our units per one of its.
struct Metric {
  const char* theirs;
  const char* ours;
  double factor;
};
constexpr std::array kMetrics = {
    Metric{"performance.step_latency", "performance.step_s", 1e-3},  // milliseconds
    Metric{"performance.mfu", "performance.mfu_fraction", 1},
    Metric{"macro.carbon_footprint", "carbon.emissions_kgco2e", 1000},  // tonnes
    Metric{"macro.energy_cost", "cost.energy_usd", 1},
    Metric{"macro.capex", "cost.capex_usd", 1},
    Metric{"macro.tco", "cost.tco_usd", 1},
};

// Models of its registry whose names differ from ours.
struct ModelName {
  const char* theirs;
  const char* ours;
};
constexpr std::array kModels = {
    ModelName{"llama3_8b", "llama-3-8b"},
    ModelName{"llama3_70b", "llama-3-70b"},
    ModelName{"llama3_405b", "llama-3.1-405b"},
    ModelName{"llama2_7b", "llama-2-7b"},
    ModelName{"llama2_13b", "llama-2-13b"},
    ModelName{"llama2_70b", "llama-2-70b"},
    ModelName{"gpt2", "gpt2-xl"},
    ModelName{"gpt3", "gpt3-175b"},
    ModelName{"mixtral_8x7b", "mixtral-8x7b"},
    ModelName{"deepseek_v3", "deepseek-v3"},
};

Json model_of_plan(const Json& workload) {
  const Json name = workload.value("name", Json(nullptr));
  if (!name.is_string()) return name;
  for (const ModelName& model : kModels) {
    if (lower(name.get<std::string>()) == model.theirs) return model.ours;
  }
  return name;
}

Error unsupported(const std::string& pointer, std::string message, std::string hint) {
  return {ErrorCode::unsupported, pointer, std::move(message), std::move(hint)};
}

Status check_object(const Json& object, const std::string& pointer,
                    std::span<const char* const> known) {
  if (!object.is_object()) {
    return Error{ErrorCode::bad_value, pointer,
                 fmt::format("is {}, not an object", kind_name(object)),
                 "give {FIELD: value, ...}"};
  }
  for (const auto& [key, value] : object.items()) {
    bool found = false;
    for (const char* name : known) found = found || key == name;
    if (!found) {
      return unsupported(pointer + "/" + key,
                         fmt::format("\"{}\" has no counterpart in a plan", key.substr(0, 80)),
                         fmt::format("what is read: {}", fmt::join(known, ", ")));
    }
  }
  return Ok{};
}

// The named object of the plan; an empty one where it may be missing.
Result<Json> object_of(const Json& plan, const char* name, std::span<const char* const> known,
                       bool required) {
  const auto it = plan.find(name);
  const std::string pointer = fmt::format("/{}", name);
  if (it == plan.end() || it->is_null()) {
    if (!required) return Json::object();
    return Error{ErrorCode::missing, pointer, fmt::format("the plan has no {}", name), ""};
  }
  RIDGELINE_CHECK(check_object(*it, pointer, known));
  return *it;
}

Result<std::int64_t> devices_of(const Json& hardware) {
  const auto count = [&](const char* key, std::int64_t otherwise) -> Result<std::int64_t> {
    const auto it = hardware.find(key);
    if (it == hardware.end()) return otherwise;
    Member member;
    member.name = key;
    auto number = count_of(member, *it);
    if (!number) return inside_of(fmt::format("/hardware/{}", key), number.error());
    return *number;
  };
  RIDGELINE_TRY(const std::int64_t all, count("accelerators", 0));
  RIDGELINE_TRY(const std::int64_t plain, count("nodes", 1));
  RIDGELINE_TRY(const std::int64_t nodes, count("node_count", plain));
  RIDGELINE_TRY(const std::int64_t each, count("accelerators_per_node", 1));
  const std::int64_t devices = all > 0 ? all : nodes * each;
  if (devices > 1) return devices;
  return unsupported("/hardware",
                     "a plan of one accelerator means a single pass of inference, which has no "
                     "arrivals and no bill",
                     "ridgeline solve single-node, or a plan of our own with serving: {qps: ...}");
}

Result<Json> assertion_of(const Json& item, const std::string& pointer, std::string& name) {
  RIDGELINE_CHECK(check_object(item, pointer, kAssertion));
  const std::string metric = item.value("metric", Json("")).is_string()
                                 ? item.value("metric", std::string())
                                 : item["metric"].dump();
  const Metric* found = nullptr;
  std::vector<std::string> names;
  for (const Metric& m : kMetrics) {
    if (lower(metric) == m.theirs) found = &m;
    names.emplace_back(m.theirs);
  }
  if (found == nullptr) {
    return unsupported(pointer + "/metric",
                       fmt::format("\"{}\" is no metric with a counterpart", metric.substr(0, 80)),
                       fmt::format("give {}", fmt::join(names, ", ")));
  }
  name = found->ours;
  Json out = Json::array();
  for (const auto& [key, relation] : {std::pair("min", ">="), std::pair("max", "<=")}) {
    const auto it = item.find(key);
    if (it == item.end() || it->is_null()) continue;
    if (!it->is_number()) {
      return Error{ErrorCode::bad_value, fmt::format("{}/{}", pointer, key),
                   fmt::format("is {}, not a number", kind_name(*it)), "give a number"};
    }
    out.push_back(fmt::format("{} {}", relation, it->get<double>() * found->factor));
  }
  return out;
}

Result<Json> assertions_of(const Json& plan) {
  Json out = Json::object();
  RIDGELINE_TRY(const Json constraints,
                object_of(plan, "constraints", std::array{"assert"}, false));
  if (!constraints.contains("assert")) return out;
  const Json& list = constraints["assert"];
  if (!list.is_array()) {
    return Error{ErrorCode::bad_value, "/constraints/assert",
                 fmt::format("is {}, not a list", kind_name(list)), "give [{metric, max}]"};
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string name;
    RIDGELINE_TRY(const Json conditions,
                  assertion_of(list[i], fmt::format("/constraints/assert/{}", i), name));
    if (!out.contains(name)) out[name] = Json::array();
    for (const Json& condition : conditions) out[name].push_back(condition);
  }
  return out;
}

}  // namespace

Result<Json> from_mlsysim(const Json& plan) {
  RIDGELINE_CHECK(check_object(plan, "", kTop));
  RIDGELINE_TRY(const Json workload, object_of(plan, "workload", kWorkload, true));
  RIDGELINE_TRY(const Json hardware, object_of(plan, "hardware", kHardware, true));
  RIDGELINE_TRY(const Json ops, object_of(plan, "ops", kOps, false));
  RIDGELINE_TRY(const std::int64_t devices, devices_of(hardware));
  RIDGELINE_TRY(const Json assertions, assertions_of(plan));
  Json out = Json::object();
  if (plan.contains("name")) out["name"] = plan["name"];
  out["model"] = model_of_plan(workload);
  out["machine"] = hardware.value("name", Json(nullptr));
  out["devices"] = devices;
  out["precision"] = hardware.value("precision", Json("fp16"));
  out["efficiency"] = hardware.value("efficiency", Json(kEfficiency));
  out["training"] = {{"batch_size", workload.value("batch_size", Json(1))},
                     {"seq_len", workload.value("seq_len", Json(kSequence))},
                     {"duration_days", ops.value("duration_days", Json(kDays))}};
  out["site"] = {{"pue", kPue}, {"wue_l_per_kwh", kWaterPerKwh}, {"kwh_price_usd", kPriceUsd}};
  if (ops.contains("region")) out["site"]["grid"] = ops["region"];
  out["economics"] = Json::object();
  if (!assertions.empty()) out["assert"] = assertions;
  return out;
}

}  // namespace ridgeline::app
