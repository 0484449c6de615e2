// Speculation: what a draft's proposals yield, and the steps that they take.
#pragma once

#include <cstdint>

#include "ridgeline/base/units.h"
#include "ridgeline/physics/replica.h"
#include "ridgeline/solve/service.h"

namespace ridgeline::solve {

inline constexpr std::int64_t kMostDraftTokens = 1'000;

// Tokens of one verified step, of K proposals in a row, each taken with the chance `a` if the ones
// before it are: (1 - a^(K + 1))/(1 - a) [leviathan2022].
double accepted_tokens(double a, std::int64_t K);

// The draft beside the model, on the same devices. Keeps a pointer into `draft`.
physics::Replica draft_replica(const Service& service, const Totals& draft,
                               const Hardware& hardware);

// A step of the draft, of one token a sequence, and one of the model over so many tokens a
// sequence.
Seconds draft_step(const physics::Replica& draft, double sequences, double context);
physics::StepTime verify_step(const physics::Replica& model, double sequences, double context,
                              double tokens);

}  // namespace ridgeline::solve
