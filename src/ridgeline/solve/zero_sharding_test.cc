#include "ridgeline/solve/zero_sharding.h"

#include <gtest/gtest.h>

#include "ridgeline/solve/training_memory.h"

namespace ridgeline::solve::zero_sharding {
namespace {

// 1e9 parameters: 2, 2 and 12 GB; over 4: 16, 7, 5.5, 4 GB.
TEST(ZeroSharding, MatchesAHandWorkedCase) {
  const Output out = solve({.params = 1e9, .devices = 4});
  EXPECT_DOUBLE_EQ(out.optimizer.base(), 12e9);
  const double right[] = {16e9, 7e9, 5.5e9, 4e9};
  for (std::size_t i = 0; i < kStages; ++i) EXPECT_DOUBLE_EQ(out.stage_bytes[i], right[i]);
  EXPECT_DOUBLE_EQ(out.traffic_multiple[3], 1.5);
}

TEST(ZeroSharding, KeepsItsTrustStatement) {
  const Output one = solve({.params = 3e9});
  for (const double bytes : one.stage_bytes) EXPECT_DOUBLE_EQ(bytes, 48e9);
  const Output many = solve({.params = 3e9, .devices = 12});
  EXPECT_DOUBLE_EQ(12 * many.stage_bytes[3], 48e9);
}

// The same bytes as training-memory counts for the same stage.
TEST(ZeroSharding, AgreesWithTrainingMemory) {
  const Totals totals{.params = 5e9};
  const Output out = solve({.params = 5e9, .devices = 8});
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    training_memory::Inputs in{.dp = 8, .zero_stage = stage};
    const auto checked = training_memory::check(in, Subject{.totals = &totals});
    ASSERT_TRUE(checked);
    const auto memory = training_memory::solve(*checked, Subject{.totals = &totals});
    EXPECT_DOUBLE_EQ(memory.output.state->base(), out.stage_bytes[static_cast<std::size_t>(stage)]);
  }
}

TEST(ZeroSharding, RefusesFormatsThatDoNotTrain) {
  EXPECT_EQ(check({.params = 1e9, .precision = Precision::int4}).error().where, "precision");
  EXPECT_EQ(check({.params = 0}).error().where, "parameters_count");
}

}  // namespace
}  // namespace ridgeline::solve::zero_sharding
