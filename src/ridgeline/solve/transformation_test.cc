#include "ridgeline/solve/transformation.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::transformation {
namespace {

Inputs images() {
  return {.batch_size = 256,
          .sample = 500e3 * byte,
          .cpu = 2 * gigabyte_per_second,
          .workers = 1,
          .accelerator_step = 50 * millisecond};
}

// 256 x 0.5 MB at 2 GB/s: 64 ms against 50 ms.
TEST(Transformation, MatchesAHandWorkedCase) {
  const Output out = solve(images());
  EXPECT_DOUBLE_EQ(out.transform.base(), 0.064);
  EXPECT_DOUBLE_EQ(out.slowdown, 1.28);
  EXPECT_DOUBLE_EQ(out.accelerator_utilization_fraction, 0.78125);
  EXPECT_EQ(out.workers_needed, 2);
  EXPECT_EQ(out.bound, Bound::transform);
}

// One after the other: 64 + 50 ms.
TEST(Transformation, AddsUpWithoutAPipeline) {
  Inputs in = images();
  in.pipelined = false;
  EXPECT_DOUBLE_EQ(solve(in).step.base(), 0.114);
  in.workers = 2;
  EXPECT_DOUBLE_EQ(solve(in).step.base(), 0.082);
}

TEST(Transformation, KeepsItsTrustStatement) {
  for (const double step_ms : {1.0, 7.0, 50.0, 64.0, 90.0}) {
    Inputs in = images();
    in.accelerator_step = step_ms * millisecond;
    in.workers = solve(in).workers_needed;
    EXPECT_DOUBLE_EQ(solve(in).slowdown, 1) << step_ms;
    if (in.workers == 1) continue;
    in.workers -= 1;
    EXPECT_GT(solve(in).slowdown, 1) << step_ms;
  }
}

}  // namespace
}  // namespace ridgeline::solve::transformation
