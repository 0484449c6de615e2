#include "ridgeline/app/uncertain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/messages.h"
#include "ridgeline/app/vocabulary.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using explore::Distribution;
using explore::Shape;

constexpr std::array kSamplingFields = {
    Field{"samples", FieldKind::count, "10000", "drawn where an input is a distribution"},
    Field{"seed", FieldKind::count, "1", "of the drawing"},
    Field{"threads", FieldKind::count, "0", "threads to use, 0: all; changes only the speed"},
};
constexpr std::int64_t kMostSamples = 10'000'000;
constexpr std::size_t kMostChoices = 1000;
constexpr double kSmallestShare = 0.01;  // of a driver that is named
constexpr std::size_t kMostDrivers = 5;  // of one answer

const char* name_of(Shape shape) {
  return names_of(shape)[static_cast<std::size_t>(shape)];
}

std::optional<Shape> shape_of(const Json& value) {
  if (!value.is_object() || value.size() != 1) return std::nullopt;
  const std::string key = lower(value.begin().key());
  for (std::size_t i = 0; i < names_of(Shape{}).size(); ++i) {
    if (key == names_of(Shape{})[i]) return static_cast<Shape>(i);
  }
  return std::nullopt;
}

Error bad(const std::string& pointer, std::string message, std::string hint) {
  return {ErrorCode::bad_value, pointer, std::move(message), std::move(hint)};
}

constexpr const char* kForms =
    "give {\"normal\": [mean, deviation]}, {\"uniform\": [low, high]}, "
    "{\"lognormal\": [median, sigma]} or {\"choice\": [value, ...]}";

Status check_form(const Json& value, Shape shape, const std::string& pointer) {
  const Json& list = *value.begin();
  const bool choice = shape == Shape::choice;
  if (!list.is_array() || list.empty() || (!choice && list.size() != 2) ||
      list.size() > kMostChoices) {
    return bad(pointer, fmt::format("is no {} distribution", name_of(shape)), kForms);
  }
  return Ok{};
}

Status take_in(Json& tree, const std::string& pointer, std::vector<UncertainInput>& out) {
  if (const auto shape = shape_of(tree)) {
    RIDGELINE_CHECK(check_form(tree, *shape, pointer));
    out.push_back({pointer, tree, {.shape = *shape, .values = {}}});
    const Json first = (*tree.begin())[0];
    tree = first;
    return Ok{};
  }
  if (!tree.is_object()) return Ok{};
  for (auto it = tree.begin(); it != tree.end(); ++it) {
    RIDGELINE_CHECK(take_in(*it, fmt::format("{}/{}", pointer, it.key()), out));
  }
  return Ok{};
}

Result<std::int64_t> count_given(Request& request, const Field& field, std::int64_t least,
                                 std::int64_t most) {
  const auto it = request.input.find(field.name);
  Member member;
  member.name = field.name;
  const Json value = it == request.input.end() || it->is_null() ? Json(field.fallback) : *it;
  auto count = count_of(member, value);
  if (!count) return placed(request, inside_of(pointer_of(field.name), count.error()));
  if (*count >= least && *count <= most) return *count;
  return Error{ErrorCode::out_of_range, request.origins.where(pointer_of(field.name)),
               fmt::format("{} is {}", field.name, *count), fmt::format("{} to {}", least, most)};
}

// Reads the numbers of a distribution as those of the member.
Status read_numbers(const Member& m, double factor, UncertainInput& input) {
  Distribution& d = input.distribution;
  const Json& list = *input.given.begin();
  const auto number = [&](std::size_t i) -> Result<double> {
    const bool count = m.kind == FieldKind::count && list[i].is_string();
    if (count) {
      RIDGELINE_TRY(const std::int64_t whole, count_of(m, list[i]));
      return static_cast<double>(whole);
    }
    return number_of(m, list[i], factor);
  };
  d.values.clear();
  for (std::size_t i = 0; d.shape == Shape::choice && i < list.size(); ++i) {
    RIDGELINE_TRY(const double value, number(i));
    d.values.push_back(value);
  }
  if (d.shape == Shape::choice) return Ok{};
  RIDGELINE_TRY(d.a, number(0));
  if (d.shape == Shape::lognormal) {
    const Member plain;
    RIDGELINE_TRY(d.b, number_of(plain, list[1], 1));
  } else {
    RIDGELINE_TRY(d.b, number(1));
  }
  if (d.shape == Shape::uniform) {
    if (d.b >= d.a) return Ok{};
    return bad("", "the low end lies above the high end", "give {\"uniform\": [low, high]}");
  }
  if (d.b >= 0 && std::isfinite(d.b)) return Ok{};
  return bad("", "the spread is negative", kForms);
}

std::vector<std::string> parts_of(const std::string& pointer) {
  std::vector<std::string> out;
  for (const char c : pointer) {
    if (c == '/') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

Error no_number(const UncertainInput& input) {
  return {ErrorCode::unsupported, input.pointer, "only a number can be a distribution here",
          "give a value"};
}

Result<std::function<void(double)>> setter_at(std::vector<Member> members, const std::string& place,
                                              UncertainInput& input) {
  const std::vector<std::string> parts = parts_of(place);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double factor = 0;
    const Member* found = find_member(members, lower(parts[i]), factor);
    if (found == nullptr) return no_number(input);
    if (i + 1 < parts.size()) {
      if (!found->inner) return no_number(input);
      std::vector<Member> inner = found->inner();
      members = std::move(inner);
      continue;
    }
    if (!found->put) return no_number(input);
    if (const Status read = read_numbers(*found, factor, input); !read) {
      return inside_of(input.pointer, read.error());
    }
    return found->put;
  }
  return no_number(input);
}

Json spread_json(const explore::Spread& s) {
  Json out{{"p5", number_json(s.p5)},
           {"p50", number_json(s.p50)},
           {"p95", number_json(s.p95)},
           {"mean", number_json(s.mean)}};
  return out;
}

// The inputs that drive an answer, the strongest first.
Json drivers_json(const Uncertain& uncertain, const explore::Spread& spread,
                  const std::string& key) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < spread.correlations.size(); ++j) {
    const auto& r = spread.correlations[j];
    if (r && *r * *r >= kSmallestShare) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::fabs(*spread.correlations[a]) > std::fabs(*spread.correlations[b]);
  });
  order.resize(std::min(order.size(), kMostDrivers));
  Json out = Json::array();
  for (const std::size_t j : order) {
    const double r = *spread.correlations[j];
    std::string input = uncertain.inputs[j].pointer.substr(1);
    std::replace(input.begin(), input.end(), '/', '.');
    out.push_back(
        {{"output", key}, {"input", input}, {"share_fraction", r * r}, {"rank_correlation", r}});
  }
  return out;
}

}  // namespace

std::string detail::key_below(const std::string& prefix, const Key& key, const char* name,
                              Dim dim) {
  return prefix + (key.text != nullptr ? std::string(key.text) : key_of(name, dim));
}

std::span<const Field> sampling_fields() {
  return kSamplingFields;
}

Result<Uncertain> take_uncertain(Request& request) {
  Uncertain out;
  RIDGELINE_TRY(const std::int64_t samples,
                count_given(request, kSamplingFields[0], 1, kMostSamples));
  constexpr std::int64_t kMostSeed = 9007199254740992;
  RIDGELINE_TRY(const std::int64_t seed, count_given(request, kSamplingFields[1], 0, kMostSeed));
  constexpr std::int64_t kMostThreads = 1024;
  RIDGELINE_TRY(const std::int64_t threads,
                count_given(request, kSamplingFields[2], 0, kMostThreads));
  out.sampling = {static_cast<std::size_t>(samples), static_cast<std::uint64_t>(seed),
                  static_cast<int>(threads)};
  if (const Status taken = take_in(request.input, "", out.inputs); !taken) {
    return placed(request, taken.error());
  }
  return out;
}

Result<std::function<void(double)>> setter_of(const std::vector<Member>& members,
                                              UncertainInput& input) {
  std::vector<std::string> places = input.places;
  if (places.empty()) places.push_back(input.pointer);
  std::vector<std::function<void(double)>> setters;
  for (const std::string& place : places) {
    RIDGELINE_TRY(auto setter, setter_at(members, place, input));
    setters.push_back(std::move(setter));
  }
  if (setters.size() == 1) return setters.front();
  return std::function<void(double)>([setters](double base) {
    for (const auto& set : setters) set(base);
  });
}

Json uncertainty_json(const Uncertain& uncertain, const explore::Sampled& sampled,
                      const std::vector<std::string>& keys) {
  const std::size_t samples = uncertain.sampling.samples;
  Json values = Json::object(), drivers = Json::array();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const explore::Spread& spread = sampled.outputs[k];
    if (spread.count == 0) continue;
    values[keys[k]] = spread_json(spread);
    const std::size_t missing = samples - sampled.rejected - spread.count;
    if (missing > 0) values[keys[k]]["missing_count"] = missing;
    for (Json& driver : drivers_json(uncertain, spread, keys[k])) {
      drivers.push_back(std::move(driver));
    }
  }
  return {{"samples_count", samples},
          {"rejected_count", sampled.rejected},
          {"seed", uncertain.sampling.seed},
          {"measure", "share_fraction: squared rank correlation of an independent input"},
          {"values", std::move(values)},
          {"drivers", std::move(drivers)}};
}

std::vector<report::Section> uncertainty_sections(const Json& uncertainty,
                                                  std::span<const char* const> keys) {
  std::vector<report::Section> out;
  report::Table table;
  table.columns = {{"uncertain"},
                   {"5 %", report::Align::right},
                   {"median", report::Align::right},
                   {"95 %", report::Align::right},
                   {"mean", report::Align::right},
                   {"driven by"}};
  for (const auto& [key, spread] : uncertainty["values"].items()) {
    const bool wanted = keys.empty() || std::any_of(keys.begin(), keys.end(),
                                                    [&](const char* one) { return key == one; });
    if (!wanted) continue;
    if (spread["p5"] == spread["p95"] && spread["p5"] == spread["mean"]) continue;
    const std::string name = key.substr(key.rfind('.') + 1);
    std::string drivers;
    for (const Json& driver : uncertainty["drivers"]) {
      if (driver["output"] != key) continue;
      drivers += fmt::format("{}{} {:.0f} %", drivers.empty() ? "" : ", ",
                             driver["input"].get<std::string>(),
                             100 * driver["share_fraction"].get<double>());
    }
    table.rows.push_back({key_text(name), value_text(name, spread["p5"]),
                          value_text(name, spread["p50"]), value_text(name, spread["p95"]),
                          value_text(name, spread["mean"]), drivers});
  }
  out.emplace_back(std::move(table));
  const auto rejected = uncertainty["rejected_count"].get<std::int64_t>();
  std::string line = fmt::format("{} samples, seed {}; shares are squared rank correlations",
                                 count_text(uncertainty["samples_count"].get<std::int64_t>()),
                                 uncertainty["seed"].dump());
  if (rejected > 0) line += fmt::format("; {} had no meaning", count_text(rejected));
  out.emplace_back(report::Line{line, report::Tone::dim});
  return out;
}

void show_uncertain(const Uncertain& uncertain, Json& inputs) {
  for (const UncertainInput& input : uncertain.inputs) {
    Json* at = &inputs;
    for (const std::string& part : parts_of(input.pointer)) {
      if (!at->is_object()) *at = Json::object();
      at = &(*at)[part];
    }
    *at = input.given;
  }
  if (uncertain.inputs.empty()) return;
  inputs["samples"] = uncertain.sampling.samples;
  inputs["seed"] = uncertain.sampling.seed;
}

}  // namespace ridgeline::app
