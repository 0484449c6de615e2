// Rows of carbon: training energy and emissions by the solver `sustainability`; intensities of
// grids and PUE and WUE of operators as the registry has them.
#include <fmt/format.h>

#include "ridgeline/base/text.h"
#include "ridgeline/solve/sustainability.h"
#include "ridgeline/validate/validate.h"

namespace ridgeline::validate {
namespace {

namespace sustainability = solve::sustainability;

constexpr double kJoulesPerMwh = 3.6e9, kKgPerTonne = 1e3, kGramsPerKg = 1e3, kPerKwh = 1 / 3.6e6;

Classes classes_of(const Row& row) {
  return {fmt::format("carbon/{}", row.text("kind")), "carbon/all"};
}

bool is_meta(const Row& row) {
  return lower(row.text("region")).find("meta") != std::string::npos ||
         lower(row.id()).find("meta") != std::string::npos;
}

// PUE and kgCO2e per kWh of a run: the row's own, else of the operator and its country's grid.
struct Place {
  std::optional<double> pue, kg_per_kwh;
};

Place place_of(const Row& row, const Registry& registry) {
  Place out{row.number("pue"), row.number("grid_g_per_kwh")};
  if (out.kg_per_kwh) out.kg_per_kwh = *out.kg_per_kwh / kGramsPerKg;
  if (!is_meta(row)) return out;
  const std::optional<std::int64_t> year = row.count("year");
  if (!out.pue) out.pue = registry.fact("site", "meta", "pue", year);
  if (!out.kg_per_kwh) {
    out.kg_per_kwh =
        registry.fact("grid", "united-states", "carbon_intensity_kgco2e_per_kwh", year);
  }
  return out;
}

// Devices at full power, as the sources count them.
Result<sustainability::Output> run_of(double device_hours, double watts, const Place& place) {
  sustainability::Inputs in;
  in.fleet.device_hours = device_hours;
  in.fleet.tdp = watts * watt;
  in.fleet.pue = place.pue.value_or(1);
  in.fleet.wue = WaterPerJoule{};
  in.fleet.carbon_intensity = EmissionsPerJoule::from_base(place.kg_per_kwh.value_or(0) * kPerKwh);
  in.embodied_per_device = Emissions{};
  RIDGELINE_TRY(const sustainability::Inputs checked, sustainability::check(in));
  return sustainability::solve(checked);
}

struct Asked {
  const Row& row;
  const Registry& registry;
  Findings& out;

  void add(const char* quantity, double measured, double predicted) const {
    out.predictions.push_back(
        {row.id(), classes_of(row), quantity, measured, predicted, physics::Basis::datasheet});
  }
  void skip(std::string reason) const {
    const std::string_view kind = row.text("kind");
    const char* quantity = kind == "training"  ? "emissions"
                           : kind == "grid"    ? "carbon_intensity"
                           : kind == "pue/wue" ? "pue"
                                               : "other";
    out.skipped.push_back({row.id(), classes_of(row), quantity, std::move(reason)});
  }
};

// The energy that is published is the facility's; where hours and power are given it is predicted
// from them, else emissions follow from it.
void add_training(const Asked& a) {
  const std::optional<double> hours = a.row.number("gpu_hours"),
                              energy = a.row.number("energy_mwh");
  const std::optional<double> watts = a.row.number("power_w_per_gpu"),
                              tonnes = a.row.number("co2e_t");
  const Place place = place_of(a.row, a.registry);
  const bool from_hours = hours && watts;
  if (!from_hours && !energy) return a.skip("neither energy nor device hours and power are given");
  if (!place.kg_per_kwh) return a.skip("no grid is given or known");
  const Place metered{1.0, place.kg_per_kwh};
  const auto run = from_hours ? run_of(*hours, *watts, place)
                              : run_of(1, *energy * kJoulesPerMwh / 3600, metered);
  if (!run) return a.skip(run.error().message);
  if (from_hours && energy) {
    a.add("energy", *energy * kJoulesPerMwh, run->facility_energy.base());
  }
  if (tonnes) a.add("emissions", *tonnes * kKgPerTonne, run->emissions.base());
  if (!tonnes && !(from_hours && energy)) a.skip("nothing measured is given");
}

void add_grid(const Asked& a) {
  const auto known = a.registry.fact("grid", a.row.text("subject"),
                                     "carbon_intensity_kgco2e_per_kwh", a.row.count("year"));
  const std::optional<double> measured = a.row.number("grid_g_per_kwh");
  if (!measured) return a.skip("no intensity is given");
  if (!known) {
    return a.skip(fmt::format("the registry has no grid \"{}\"", a.row.text("subject")));
  }
  a.add("carbon_intensity", *measured / kGramsPerKg, *known);
}

void add_site(const Asked& a) {
  bool any = false;
  for (const auto& [column, key] :
       {std::pair("pue", "pue"), std::pair("wue_l_per_kwh", "wue_l_per_kwh")}) {
    const std::optional<double> measured = a.row.number(column);
    const auto known = a.registry.fact("site", a.row.text("subject"), key, a.row.count("year"));
    if (!measured || !known) continue;
    a.add(column == std::string_view("pue") ? "pue" : "wue", *measured, *known);
    any = true;
  }
  if (!any) a.skip(fmt::format("the registry has no site \"{}\"", a.row.text("subject")));
}

}  // namespace

void add_carbon(const Table& table, const Registry& registry, Findings& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row row(table, i);
    const Asked asked{row, registry, out};
    const std::string_view kind = row.text("kind");
    if (!row.is("complete_inputs")) {
      asked.skip("the source leaves inputs open");
    } else if (kind == "training") {
      add_training(asked);
    } else if (kind == "grid") {
      add_grid(asked);
    } else if (kind == "pue/wue") {
      add_site(asked);
    } else {
      asked.skip(fmt::format("no solver answers \"{}\"", kind));
    }
  }
}

}  // namespace ridgeline::validate
