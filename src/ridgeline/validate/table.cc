#include "ridgeline/validate/table.h"

#include <algorithm>
#include <cmath>

#include "ridgeline/base/text.h"

namespace ridgeline::validate {
namespace {

constexpr double kMostCount = 1e15;

std::size_t index_of(const Table& table, std::string_view column) {
  const auto it = std::find(table.columns.begin(), table.columns.end(), column);
  return static_cast<std::size_t>(it - table.columns.begin());
}

}  // namespace

bool Table::has(std::string_view column) const {
  return index_of(*this, column) < columns.size();
}

std::string_view Row::text(std::string_view column) const {
  const std::size_t at = index_of(*table_, column);
  const std::vector<std::string>& cells = table_->rows[index_];
  return at < cells.size() ? std::string_view(cells[at]) : std::string_view();
}

std::optional<double> Row::number(std::string_view column) const {
  const auto parsed = parse_number(text(column));
  if (!parsed) return std::nullopt;
  return *parsed;
}

std::optional<std::int64_t> Row::count(std::string_view column) const {
  const std::optional<double> value = number(column);
  if (!value || *value != std::floor(*value) || std::fabs(*value) > kMostCount) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

}  // namespace ridgeline::validate
