// Uncertain: inputs that are given as distributions, {"normal": [mean, deviation]}, and what they
// make of an answer. The plain answer is that of their central values.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/app/derived.h"
#include "ridgeline/explore/uncertainty.h"

namespace ridgeline::app {

// The fields of a command that draws: samples, seed, threads.
std::span<const Field> sampling_fields();

// Of a request's input: distributions by the pointers where they stand.
struct UncertainInput {
  std::string pointer;  // "/training/efficiency"
  Json given;           // {"normal": [0.5, 0.05]}
  explore::Distribution distribution;
  std::vector<std::string> places;  // where it is set; empty: at the pointer
};

struct Uncertain {
  std::vector<UncertainInput> inputs;
  explore::Sampling sampling;
};

// Takes the distributions out of the input and puts the first number of each in their place. Errors
// name the place.
Result<Uncertain> take_uncertain(Request& request);

// Sets the numbers of `members` that the input stands for. Reads the numbers of the distribution.
// Errors: unsupported for what is no number.
Result<std::function<void(double)>> setter_of(const std::vector<Member>& members,
                                              UncertainInput& input);

// The numbers of an answer, struct by struct: "cost.tco_usd"; booleans are 0 and 1.
template <class S>
void add_numbers(const S& s, const std::string& prefix, std::vector<std::string>* keys,
                 std::vector<double>& out);

// The `uncertainty` of a result: percentiles by key, and the inputs that drive them.
Json uncertainty_json(const Uncertain& uncertain, const explore::Sampled& sampled,
                      const std::vector<std::string>& keys);

// The same for readers: the answers with these keys, or all.
std::vector<report::Section> uncertainty_sections(const Json& uncertainty,
                                                  std::span<const char* const> keys = {});

// Puts what was drawn in place of the numbers that `inputs` shows.
void show_uncertain(const Uncertain& uncertain, Json& inputs);

namespace detail {

std::string key_below(const std::string& prefix, const Key& key, const char* name, Dim dim);

template <class V>
[[gnu::noinline]] void add_number(const V& value, double unit, const std::string& key,
                                  std::vector<std::string>* keys, std::vector<double>& out) {
  if constexpr (requires {
                  value.has_value();
                  value.value();
                }) {
    using Inner = typename V::value_type;
    if constexpr (HasFields<Inner>) return;
    add_number(value.value_or(Inner{}), unit, key, keys, out);
    if constexpr (kIsNumber<Inner> || std::is_same_v<Inner, bool>) {
      if (!value) out.back() = std::numeric_limits<double>::quiet_NaN();
    }
  } else if constexpr (QuantityOf<V>::value) {
    out.push_back(value.base() / unit);
    if (keys != nullptr) keys->push_back(key);
  } else if constexpr (kIsNumber<V> || std::is_same_v<V, bool>) {
    out.push_back(static_cast<double>(value) / unit);
    if (keys != nullptr) keys->push_back(key);
  } else if constexpr (HasFields<V>) {
    add_numbers(value, keys == nullptr ? "" : key + ".", keys, out);
  }
}

}  // namespace detail

template <class S>
void add_numbers(const S& s, const std::string& prefix, std::vector<std::string>* keys,
                 std::vector<double>& out) {
  for_each_field<S>([&](const auto& f) {
    using Value = typename std::decay_t<decltype(f)>::Value;
    using V = typename detail::Unwrapped<Value>::Type;
    if constexpr (HasFields<Value>) {
      if (*f.name == '\0') return add_numbers(s.*f.member, prefix, keys, out);
    }
    const std::string key =
        keys != nullptr ? detail::key_below(prefix, f.key, f.name, detail::dim_of<V>()) : "";
    detail::add_number(s.*f.member, f.key.text != nullptr ? f.key.unit : 1, key, keys, out);
  });
}

// Draws an answer: `in` is read and has the central values; `answer` checks and solves, returning
// an optional Output, empty for inputs without meaning.
template <class I, class Answer>
Result<Json> draw_answers(Uncertain& uncertain, const I& in, double seconds, const Answer& answer) {
  using Output = typename std::invoke_result_t<Answer, const I&>::value_type;
  struct Worker {
    I in;
    std::vector<std::function<void(double)>> set;
    std::vector<double> numbers;
  };
  std::vector<Worker> workers(explore::workers_of(uncertain.sampling));
  for (Worker& worker : workers) {
    worker.in = in;
    for (UncertainInput& input : uncertain.inputs) {
      RIDGELINE_TRY(auto set, setter_of(members_of(worker.in), input));
      worker.set.push_back(std::move(set));
    }
  }
  std::vector<std::string> keys;
  std::vector<double> none;
  add_numbers(Output{}, "", &keys, none);
  std::vector<explore::Distribution> distributions;
  for (const UncertainInput& input : uncertain.inputs) distributions.push_back(input.distribution);
  const explore::Sampled sampled =
      explore::sample(distributions, keys.size(), uncertain.sampling, seconds,
                      [&](std::size_t w, std::span<const double> drawn, std::span<double> out) {
                        Worker& worker = workers[w];
                        for (std::size_t j = 0; j < drawn.size(); ++j) worker.set[j](drawn[j]);
                        const auto found = answer(worker.in);
                        if (!found) return false;
                        worker.numbers.clear();
                        add_numbers(*found, "", nullptr, worker.numbers);
                        std::copy(worker.numbers.begin(), worker.numbers.end(), out.begin());
                        return true;
                      });
  return uncertainty_json(uncertain, sampled, keys);
}

// Sets the central values. REQUIRES: `in` was read from the request that take_uncertain() left.
template <class I>
Status set_central(Uncertain& uncertain, I& in) {
  for (UncertainInput& input : uncertain.inputs) {
    RIDGELINE_TRY(const auto set, setter_of(members_of(in), input));
    set(explore::central(input.distribution));
  }
  return Ok{};
}

}  // namespace ridgeline::app
