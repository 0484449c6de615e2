// The peak memory of a training row, by training-memory.
#pragma once

#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"
#include "ridgeline/solve/training_memory.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/validate/table.h"

namespace ridgeline::validate {

// What a row says of the plan and the states. Frameworks that shard fully and compute the loss in
// eager mode keep 14 bytes per logit; that figure is a residual of the same rows [torchtitan].
Result<solve::training_memory::Inputs> training_inputs(const Row& row);

// Allocated by the fullest rank.
Result<Bytes> training_peak(const Row& row, const Model& model);

// Is the framework one that shards everything and fuses little (FSDP), not a Megatron?
bool is_eager(const Row& row);

}  // namespace ridgeline::validate
