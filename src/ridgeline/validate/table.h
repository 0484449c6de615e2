// Table: rows of published measurements as text, with the names of their columns; Row: one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::validate {

struct Table {
  std::string name;  // of the file
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`

  bool has(std::string_view column) const;
};

// A view; the table outlives it.
class Row {
 public:
  Row(const Table& table, std::size_t index) : table_(&table), index_(index) {}

  std::string_view text(std::string_view column) const;  // empty where there is none
  std::optional<double> number(std::string_view column) const;
  std::optional<std::int64_t> count(std::string_view column) const;  // a whole number

  double number_or(std::string_view column, double fallback) const {
    return number(column).value_or(fallback);
  }
  std::int64_t count_or(std::string_view column, std::int64_t fallback) const {
    return count(column).value_or(fallback);
  }
  bool is(std::string_view column) const { return number_or(column, 0) != 0; }
  std::string id() const { return std::string(text("id")); }

 private:
  const Table* table_;
  std::size_t index_;
};

}  // namespace ridgeline::validate
