// Training state: what each device holds in training, for solvers that ask whether a plan fits. A
// full model is asked of training-memory; of totals the layers are taken to be plain transformer
// layers, the feed-forward part 4 d wide, or as wide as the experts' parameters say.
#pragma once

#include <cstdint>

#include "ridgeline/base/units.h"
#include "ridgeline/physics/activations.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/solve/answer.h"
#include "ridgeline/solve/training_memory.h"
#include "ridgeline/spec/totals.h"

namespace ridgeline::solve {

struct TrainingPlan {
  std::int64_t batch_size = 1, seq_len = 1;
  std::int64_t tp = 1, cp = 1, pp = 1, dp = 1, ep = 1, etp = 1;
  std::int64_t v_stages = 1, microbatch_count = 1, zero_stage = 0;
  physics::Schedule schedule = physics::Schedule::one_f_one_b;
  physics::Recompute recompute = physics::Recompute::none;
  training_memory::Optimizer optimizer = training_memory::Optimizer::adam;
  bool sequence_parallel = true;
  bool optimizer_offloaded = false;
  double trainable_fraction = 1;
};

// Formats of states: those narrower than 16 bits train as bf16 does, with an fp32 master copy.
Precision state_precision(const Totals& model, const physics::Setting& setting);

using TrainingMemory = Answer<training_memory::Output, training_memory::Stage>;

// REQUIRES: checked inputs; degrees that divide the model.
TrainingMemory training_state(const Totals& model, const physics::Setting& setting,
                              const TrainingPlan& plan);

}  // namespace ridgeline::solve
