#include "ridgeline/app/axis_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

constexpr std::int64_t kMostValues = 100'000;

constexpr char kForms[] =
    "give a list, {\"powers_of_two\": [1, 32]}, {\"from\": 1, \"to\": 8, \"steps\": 8} or "
    "{\"multiples\": [1, 2]}";

Error bad(const std::string& where, std::string message) {
  return {ErrorCode::bad_value, where, std::move(message), kForms};
}

Result<double> value_at(const ScalarRef& ref, const Json& value, const std::string& where) {
  auto number = scalar_value(ref, value);
  if (number) return number;
  Error error = number.error();
  error.where = where;
  return error;
}

Result<std::vector<double>> listed(const ScalarRef& ref, const Json& list,
                                   const std::string& where) {
  std::vector<double> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    RIDGELINE_TRY(const double v, value_at(ref, list[i], fmt::format("{}/{}", where, i)));
    out.push_back(v);
  }
  return out;
}

Result<std::vector<double>> powers(const ScalarRef& ref, const Json& bounds) {
  if (!bounds.is_array() || bounds.size() != 2) {
    return bad("/powers_of_two", "powers_of_two needs two numbers");
  }
  RIDGELINE_TRY(const std::vector<double> ends, listed(ref, bounds, "/powers_of_two"));
  std::vector<double> out;
  const double unit = ref.factor == 0 ? ref.field.unit : ref.factor;
  for (double v = unit; v <= ends[1]; v *= 2) {
    if (v >= ends[0]) out.push_back(v);
  }
  return out;
}

Result<std::vector<double>> multiples(const ScalarRef& ref, const Json& factors, double base) {
  if (!factors.is_array()) return bad("/multiples", "multiples is no list");
  std::vector<double> out;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::string where = fmt::format("/multiples/{}", i);
    if (!factors[i].is_number()) return bad(where, "a multiple is no number");
    const double v = factors[i].get<double>() * base;
    const auto status = check_scalar(ref.field, v);
    if (!status) {
      Error error = status.error();
      error.where = where;
      return error;
    }
    out.push_back(v);
  }
  return out;
}

Result<std::vector<double>> range(const ScalarRef& ref, const Json& form) {
  for (const char* key : {"from", "to", "steps"}) {
    if (!form.contains(key)) return bad("", fmt::format("a range needs \"{}\"", key));
  }
  RIDGELINE_TRY(const double from, value_at(ref, form["from"], "/from"));
  RIDGELINE_TRY(const double to, value_at(ref, form["to"], "/to"));
  ScalarField count;
  count.key = "steps";
  count.kind = ScalarKind::integer;
  count.minimum = 1;
  count.maximum = static_cast<double>(kMostValues);
  RIDGELINE_TRY(const double steps, value_at({count, 1}, form["steps"], "/steps"));
  const Json scale = form.contains("scale") ? form["scale"] : Json("linear");
  if (scale != "log" && scale != "linear") return bad("/scale", "scale is neither linear nor log");
  const bool log = scale == "log";
  if (log && !(from > 0 && to > 0)) return bad("/scale", "a log scale needs positive ends");
  std::vector<double> out;
  for (double i = 0; i < steps; ++i) {
    const double share = steps == 1 ? 0 : i / (steps - 1);
    double v = log ? from * std::pow(to / from, share) : from + (to - from) * share;
    if (steps > 1 && i == steps - 1) v = to;
    RIDGELINE_CHECK(check_scalar(ref.field, v));
    out.push_back(v);
  }
  return out;
}

Result<std::vector<double>> read(const ScalarRef& ref, const Json& values, double base) {
  if (values.is_array()) return listed(ref, values, "");
  if (!values.is_object() || values.empty()) {
    return bad("", fmt::format("its values are {}", kind_name(values)));
  }
  const auto is_range_key = [](const std::string& key) {
    return key == "from" || key == "to" || key == "steps" || key == "scale";
  };
  for (const auto& [key, value] : values.items()) {
    const bool alone = (key == "powers_of_two" || key == "multiples") && values.size() == 1;
    if (!alone && !is_range_key(key)) {
      return Error{ErrorCode::unknown_key, "/" + key,
                   fmt::format("\"{}\" is no form of values", key.substr(0, 80)), kForms};
    }
  }
  if (values.contains("powers_of_two")) return powers(ref, values["powers_of_two"]);
  if (values.contains("multiples")) return multiples(ref, values["multiples"], base);
  return range(ref, values);
}

}  // namespace

Result<std::vector<double>> axis_values(const ScalarRef& ref, const Json& values, double base) {
  RIDGELINE_TRY(std::vector<double> out, read(ref, values, base));
  if (out.empty()) return bad("", "the axis has no values");
  if (out.size() > static_cast<std::size_t>(kMostValues)) {
    return bad("", fmt::format("the axis has more than {} values", kMostValues));
  }
  std::vector<double> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return out;
  return Error{ErrorCode::conflict, "",
               fmt::format("the value {} stands twice", scalar_json(ref.field, *twice).dump()),
               "list each value once"};
}

}  // namespace ridgeline::app
