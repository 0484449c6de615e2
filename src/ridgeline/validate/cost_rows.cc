// Rows of cost: device hours at a price, by the solver `economics`.
#include <fmt/format.h>

#include <optional>

#include "ridgeline/base/text.h"
#include "ridgeline/solve/economics.h"
#include "ridgeline/validate/validate.h"

namespace ridgeline::validate {
namespace {

// "2.788M H800-h x $2/h": device hours and a price of one.
struct Rental {
  double device_hours = 0, price = 0;
};

std::optional<Rental> rental_of(std::string_view basis) {
  const std::size_t hours_end = basis.find(' '), dollar_at = basis.find("x $");
  const std::size_t price_end =
      basis.find("/h", dollar_at == std::string_view::npos ? 0 : dollar_at);
  if (hours_end == std::string_view::npos || dollar_at == std::string_view::npos ||
      price_end == std::string_view::npos || basis.find("-h") > dollar_at) {
    return std::nullopt;
  }
  const std::string_view hours = basis.substr(0, hours_end);
  const auto count = parse_count(hours, CountScale::decimal);
  const auto price = parse_number(basis.substr(dollar_at + 3, price_end - dollar_at - 3));
  if (!count || !price) return std::nullopt;
  return Rental{static_cast<double>(*count), *price};
}

Result<double> rented(const Rental& rental) {
  solve::economics::Inputs in;
  in.fleet.device_hours = rental.device_hours;
  in.hourly_rental_price = DollarsPerSecond::from_base(rental.price / hour.base());
  RIDGELINE_TRY(const auto checked, solve::economics::check(in));
  return solve::economics::solve(checked).cloud->base();
}

}  // namespace

void add_cost(const Table& table, const Registry&, Findings& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row row(table, i);
    const Classes classes = {"cost/rental", "cost/all"};
    const std::optional<Rental> rental = rental_of(row.text("basis"));
    const std::optional<double> measured = row.number("value");
    const bool dollars = row.text("unit").starts_with("USD") && row.text("unit") != "USD/day";
    if (!rental || !measured || !dollars) {
      out.skipped.push_back(
          {row.id(), classes, "rental_cost", "it gives no device hours and no price of one"});
      continue;
    }
    const auto cost = rented(*rental);
    if (!cost) {
      out.skipped.push_back({row.id(), classes, "rental_cost", cost.error().message});
      continue;
    }
    out.predictions.push_back(
        {row.id(), classes, "rental_cost", *measured, *cost, physics::Basis::datasheet});
  }
}

}  // namespace ridgeline::validate
