// The equations of a card with the values of an answer put in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/app/solve.h"

namespace ridgeline::app {

// "(3) tau = sqrt(2 x 1 min x 6.083 d) = 2.206 h": those equations of the card that are arithmetic
// on named values and that give the value of the answer, so that no branch shows which was not
// taken.
std::vector<std::string> worked_equations(std::string_view card, std::span<const Term> inputs,
                                          std::span<const Term> outputs);

}  // namespace ridgeline::app
