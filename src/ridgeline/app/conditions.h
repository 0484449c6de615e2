// Conditions: what a search wants and allows, as people write it.
#pragma once

#include <string>

#include "ridgeline/app/vocabulary.h"
#include "ridgeline/base/result.h"
#include "ridgeline/explore/space.h"

namespace ridgeline::app {

// "latency_s", "latency", "pes_used": a metric by its key, with or without unit. Unknown: the list.
Result<explore::Metric> metric_named(const std::string& name);

Dim dim_of(explore::Metric metric);

// Which way a metric is better.
explore::Sense natural_sense(explore::Metric metric);

// {"minimize": "latency_s"}, "maximize tokens_per_s", or a metric alone: its natural sense.
Result<explore::Objective> objective_of(const Json& value);

// "pes_used <= 512", "latency < 10 ms", "machine.bw_hbm_gbs >= 512", "phase == decode".
Result<explore::Constraint> constraint_of(const std::string& text, const Vocabulary& vocabulary);

}  // namespace ridgeline::app
