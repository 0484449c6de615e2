#include "ridgeline/solve/placement.h"

#include <fmt/format.h>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::placement {
namespace {

constexpr Dollars kSame = 1e-6 * dollar;

template <class T>
void put(const std::optional<T>& given, std::optional<T>& out) {
  if (given) out = given;
}

// The fleet in the region.
economics::Inputs at(const Inputs& in, const Region& region) {
  economics::Inputs out = in.owner;
  put(region.carbon_intensity, out.fleet.carbon_intensity);
  put(region.pue, out.fleet.pue);
  put(region.wue, out.fleet.wue);
  if (region.source_water) out.fleet.source_water = *region.source_water;
  put(region.kwh_price, out.kwh_price);
  return out;
}

Choice choice_of(const Inputs& in, const Region& region) {
  const economics::Output cost = economics::solve(at(in, region));
  Choice out{
      .name = region.name, .tco = *cost.tco, .emissions = *cost.emissions, .water = cost.water};
  out.objective = out.tco + in.carbon_price * out.emissions;  // (1)
  if (out.water) out.objective = out.objective + in.water_price * *out.water;
  out.allowed = !in.max_latency_to_users ||
                (region.latency_to_users && *region.latency_to_users <= *in.max_latency_to_users);
  return out;
}

bool beats(const Choice& a, const Choice& b) {
  if (a.objective + kSame < b.objective) return true;
  if (b.objective + kSame < a.objective) return false;
  return a.name.view() < b.name.view();  // (2)
}

Status check_region(const Inputs& in, const Region& region) {
  if (region.name.empty()) return missing("name", "a region has no name");
  if (region.name.size() > Label::kMost) {
    return out_of_range("name", fmt::format("a name of {} letters", region.name.size()),
                        fmt::format("at most {}", Label::kMost));
  }
  RIDGELINE_CHECK(check_amount_or_zero("latency_to_users", region.latency_to_users));
  if (in.max_latency_to_users && !region.latency_to_users) {
    return missing("latency_to_users", fmt::format("{} does not say it", region.name));
  }
  const economics::Inputs there = at(in, region);
  if (!there.fleet.carbon_intensity) {
    return missing("carbon_intensity", fmt::format("{} does not say it", region.name));
  }
  if (in.water_price.base() > 0 && !there.fleet.wue) {
    return missing("wue", fmt::format("{} does not say it, and water has a price", region.name));
  }
  const auto cost = economics::check(there);
  if (!cost) return cost.error();
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_amount_or_zero("carbon_price", in.carbon_price));
  RIDGELINE_CHECK(check_amount_or_zero("water_price", in.water_price));
  RIDGELINE_CHECK(check_amount_or_zero("max_latency_to_users", in.max_latency_to_users));
  if (!in.owner.unit_cost) {
    return missing("unit_cost", "the price of a device is missing", "0 leaves it out");
  }
  if (in.regions.empty()) {
    return missing("regions", "there is no region to choose",
                   "[{name, carbon_intensity_kgco2e_per_kwh, pue, kwh_price_usd}, ...]");
  }
  for (const Region& region : in.regions) RIDGELINE_CHECK(check_region(in, region));
  return in;
}

Answer<Output, Choice> solve(const Inputs& in) {
  Answer<Output, Choice> answer;
  const Choice* best = nullptr;
  for (const Region& region : in.regions) answer.rows.push_back(choice_of(in, region));
  for (const Choice& one : answer.rows) {
    if (one.allowed && (best == nullptr || beats(one, *best))) best = &one;
  }
  Output& out = answer.output;
  out.feasible = best != nullptr;
  if (best == nullptr) return answer;
  out.best_region = best->name;
  out.tco = best->tco;
  out.objective = best->objective;
  out.emissions = best->emissions;
  out.water = best->water;
  return answer;
}

}  // namespace ridgeline::solve::placement
