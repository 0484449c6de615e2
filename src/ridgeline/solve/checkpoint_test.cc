#include "ridgeline/solve/checkpoint.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::checkpoint {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.model = testing::llama_70b_totals();
  in.writer_bandwidth = 7 * gigabyte_per_second;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 70.6e9 x 14 B = 988.4 GB at 7 GB/s: 141.2 s, 0.98 % of 4 h.
TEST(Checkpoint, MatchesTheWorkedExample) {
  const Output out = answer(round_inputs());
  EXPECT_NEAR(out.checkpoint.base(), 988.4e9, 1);
  EXPECT_NEAR(out.write.base(), 141.2, 1e-9);
  EXPECT_NEAR(out.stall_fraction, 0.0098055, 1e-7);
  EXPECT_NEAR(out.storage_per_day.base(), 6 * 988.4e9, 1e3);
}

// BLOOM: 2.3 TB on 384 ranks in 40 s are 57.5 GB/s [bloom].
TEST(Checkpoint, RateOfAPublishedRunGivesItsTime) {
  Inputs in = round_inputs();
  in.model.params = 2.3e12 / 14;
  in.n_writers = 384;
  in.writer_bandwidth = 57.5 / 384 * gigabyte_per_second;
  EXPECT_NEAR(answer(in).write.base(), 40, 1e-9);
}

// Peer: adamw was taken for SGD: 282 GB.
TEST(Checkpoint, EveryOptimizerHasItsStates) {
  const auto bytes_per_param = [](training_memory::Optimizer optimizer) {
    Inputs in = round_inputs();
    in.optimizer = optimizer;
    return answer(in).checkpoint.base() / 70.6e9;
  };
  using training_memory::Optimizer;
  EXPECT_DOUBLE_EQ(bytes_per_param(Optimizer::adam), 14);
  EXPECT_DOUBLE_EQ(bytes_per_param(Optimizer::adamw), 14);
  EXPECT_DOUBLE_EQ(bytes_per_param(Optimizer::sgd_momentum), 10);
  EXPECT_DOUBLE_EQ(bytes_per_param(Optimizer::sgd), 6);
  EXPECT_DOUBLE_EQ(bytes_per_param(Optimizer::none), 2);
}

TEST(Checkpoint, WritersSaturateTheFilesystem) {
  Inputs in = round_inputs();
  in.filesystem_limit = 500 * gigabyte_per_second;
  in.n_writers = 10;
  EXPECT_DOUBLE_EQ(answer(in).write_bandwidth.base(), 70e9);
  in.n_writers = 1000;
  EXPECT_DOUBLE_EQ(answer(in).write_bandwidth.base(), 500e9);
}

TEST(Checkpoint, AsynchronousSaveStallsForTheSnapshot) {
  Inputs in = round_inputs();
  in.mode = Mode::async;
  in.ranks = 64;
  in.snapshot_bandwidth = 50 * gigabyte_per_second;
  const Output out = answer(in);
  EXPECT_NEAR(out.stall.base(), 988.4 / (64 * 50), 1e-9);
  EXPECT_LE(out.stall, answer(round_inputs()).stall);
}

TEST(Checkpoint, IncrementWritesWhatChanged) {
  Inputs in = round_inputs();
  in.mode = Mode::incremental;
  EXPECT_EQ(check(in).error().where, "changed_fraction");
  in.changed_fraction = 0.25;
  EXPECT_NEAR(answer(in).write.base(), 35.3, 1e-9);
  EXPECT_NEAR(answer(in).restore.base(), 141.2, 1e-9);
}

// Trust: the share of time is a share; a save that outlasts its interval is infeasible.
TEST(Checkpoint, KeepsItsTrustStatement) {
  Inputs in = round_inputs();
  in.checkpoint_interval = 100 * second;
  EXPECT_FALSE(answer(in).feasible);
  EXPECT_EQ(answer(in).reason, Reason::write_time);
  EXPECT_EQ(answer(in).stall_fraction, 1);
  EXPECT_DOUBLE_EQ(answer(in).checkpoint.base(), 70.6e9 * 2 + 70.6e9 * 12);
}

// Peer: 0 writers divided by zero; a model of known size alone ended in an internal error.
TEST(Checkpoint, RejectsWhatHasNoMeaning) {
  Inputs in = round_inputs();
  in.n_writers = 0;
  EXPECT_EQ(check(in).error().where, "n_writers");
  in = round_inputs();
  in.model = {};
  in.model.size = 100 * gigabyte;
  EXPECT_EQ(check(in).error().where, "model/parameters_count");
  in = round_inputs();
  in.writer_bandwidth.reset();
  EXPECT_EQ(check(in).error().where, "writer_bandwidth");
  in.hardware = testing::round_device();
  EXPECT_TRUE(check(in).has_value());
}

}  // namespace
}  // namespace ridgeline::solve::checkpoint
