// The `result` and `basis` of fit.
#include <algorithm>

#include "ridgeline/app/fit.h"

namespace ridgeline::app {
namespace {

template <class S>
Json json_of(S value) {
  return members_json(members_of(value));
}

Json smallest_json(const FitAnswer::Smallest& smallest) {
  Json out{{"name", smallest.machine}};
  Json row = json_of(smallest.row);
  row.erase("machine");
  row.erase("fits");
  out.update(row);
  return out;
}

}  // namespace

Json fit_result(const FitAnswer& fit) {
  Json out = json_of(fit.answer.output);
  Json ranks = Json::array();
  for (const solve::fit::Rank& rank : fit.answer.rows) ranks.push_back(json_of(rank));
  out["ranks"] = std::move(ranks);
  out["speed"] = fit.speed ? json_of(*fit.speed) : Json(nullptr);
  out["smallest_machine"] = fit.smallest ? smallest_json(*fit.smallest) : Json(nullptr);
  return out;
}

Json fit_basis(const FitAnswer& fit) {
  Json why = Json::array({"weights and cache are counted from the model's layers"});
  const bool measured = fit.in.activation_memory && fit.in.runtime_memory;
  why.push_back(measured ? "activations and runtime are given"
                         : "activations and runtime of a device are estimates");
  Json sources = Json::array();
  if (fit.machine) sources.push_back({{"field", "machine"}, {"source", fit.machine->name}});
  return {{"level", measured ? "datasheet" : "estimate"},
          {"why", std::move(why)},
          {"sources", std::move(sources)},
          {"interval", nullptr}};
}

report::Chart fit_chart(const FitAnswer& fit) {
  report::StackedBars out;
  out.title = "Memory of each device";
  out.axis_title = "bytes";
  out.parts = {"weights", "activations", "runtime", "KV cache", "state"};
  constexpr std::size_t kMost = 32;
  const auto& rows = fit.answer.rows;
  for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
    const solve::fit::Rank& r = rows[i];
    report::StackedBars::Row row;
    row.label = "rank " + std::to_string(r.rank);
    for (const auto& part : {r.weights, r.activations, r.runtime, r.kv_cache, r.state}) {
      row.values.push_back(part ? part->base() : 0);
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace ridgeline::app
