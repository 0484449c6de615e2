// Symbols of scalar fields in docs/chiplet-model.md, and their units as text.
#pragma once

#include <string>

#include "ridgeline/spec/scenario.h"

namespace ridgeline::app {

// "B_h" of bw_hbm_gbs, "alpha_sip" of a link's latency; empty: none.
std::string symbol_of(const ScalarField& field, const Machine& machine);

// "GB/s" of a key in gbs; empty for plain numbers and choices.
std::string unit_text(const ScalarField& field);

}  // namespace ridgeline::app
