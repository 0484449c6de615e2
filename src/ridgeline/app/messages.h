// Messages: what enums of the physics mean, in words.
#pragma once

#include <string>

#include "ridgeline/advise/hints.h"
#include "ridgeline/physics/cost.h"
#include "ridgeline/spec/machine.h"
#include "ridgeline/spec/step.h"

namespace ridgeline::app {

// "query projection" for S2.
const char* title_of(StageName stage);

// Why a plan cannot be placed, in a sentence.
const char* message_of(InvalidReason reason);

// The hint in a sentence, with its values put in.
std::string message_of(const advise::Hint& hint, const Layout& layout);

// "1.5 GB", "4.87 ms", "33.6 MFLOP": scaled, with unit.
std::string bytes_text(double bytes);
std::string time_text(double seconds);
std::string flop_text(double flop);

// "6,144": with separators, for reading.
std::string count_text(std::int64_t n);

// "CP 16  TP 32  PP 1  DP 1  replicate": a plan in one line; defaults other than degrees left out.
std::string plan_text(const Plan& plan);

// The three terms of a stage's time, in symbols and with the values put in: to be read, or so that
// they give the term again.
struct Formula {
  std::string symbols;
  std::string values;
};
enum class Digits : std::uint8_t { few, all };
Formula compute_formula(const StageWork& work, const physics::Rates& rates, const Machine& machine,
                        Digits digits);
Formula memory_formula(const StageWork& work, const physics::Rates& rates, Digits digits);
Formula network_formula(const StageWork& work, const physics::Rates& rates, const Machine& machine,
                        Digits digits);

}  // namespace ridgeline::app
