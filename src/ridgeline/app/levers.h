// Levers: what a tenth more of each numeric input makes of a solver's answer.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ridgeline/app/members.h"
#include "ridgeline/report/document.h"
#include "ridgeline/spec/scenario.h"

namespace ridgeline::app {

// The field of a command that takes it.
std::span<const Field> lever_fields();

// An input that can be raised, and what raises it where the members stand.
struct Turn {
  std::string input;  // "hardware.memory_bandwidth_bytes_per_s"
  std::function<Json()> value;
  std::function<void()> raise;
};

// Of all numbers below that are given and not 0; rates of a device by format go up together. Whole
// numbers go up by one at least.
std::vector<Turn> turns_of(const std::vector<Member>& members);
std::vector<Turn> turns_of(Machine& machine);

// One turn made: the input before and after, and the answer that followed, or why there is none.
struct Turned {
  std::string input;
  Json value, raised;
  std::variant<Json, std::string> answer;
};

// `levers` of a result: the input that changes anything most comes first; `changes` by the key of
// the answer, as shares of the answer before. Inputs that change nothing come last.
Json levers_json(const Json& before, std::span<const Turned> turned);

std::vector<report::Section> lever_sections(const Json& levers);

}  // namespace ridgeline::app
