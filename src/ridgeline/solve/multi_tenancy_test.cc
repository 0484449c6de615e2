#include "ridgeline/solve/multi_tenancy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgeline/solve/serving.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::multi_tenancy {
namespace {

Inputs round_inputs() {
  Inputs in;
  in.service.model = testing::round_7b();
  in.service.hardware = testing::round_device();
  in.service.setting = testing::flat(0.5);
  in.service.setting.precision = Precision::bf16;
  in.seq_len = 1000;
  in.batch_size = 4;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked.has_value()) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// Rank 16 on four matrices of 4096 x 4096 in 32 layers at 2 B: 2 x 16 x 4096 x 4 x 32 x 2 =
// 33 554 432 B. Over 50 GB/s: 0.671 ms. 100 - 14 - 4 x 0.131072 GB hold 2547 of them.
TEST(MultiTenancy, MatchesAHandWorkedCase) {
  Inputs in = round_inputs();
  in.adapters = 64;
  const Output out = answer(in);
  EXPECT_EQ(out.adapter_size.base(), 33'554'432);
  EXPECT_NEAR(out.swap->base(), 33'554'432 / 50e9, 1e-15);
  EXPECT_EQ(out.fits_count, 2547);
  EXPECT_NEAR(out.memory_required.base(), 14e9 + 64 * 33'554'432.0 + 4 * 131'072e3, 1);
  // 64 (1 - (63/64)^4) = 3.9077 adapters of a step.
  const double touched = 64 * (1 - std::pow(63.0 / 64, 4));
  EXPECT_NEAR(out.distinct_count, touched, 1e-12);
  EXPECT_NEAR(out.itl.base(), (14e9 + touched * 33'554'432 + 4 * 131'072e3) / 4e12, 1e-12);
}

// Trust: one tenant is serving, and no more than B or n are touched.
TEST(MultiTenancy, KeepsItsTrustStatement) {
  const Inputs in = round_inputs();
  serving::Inputs plain;
  plain.service = in.service;
  plain.seq_len = in.seq_len;
  plain.batch_size = in.batch_size;
  const serving::Output alone = serving::solve(*serving::check(plain));
  Inputs one = in;
  one.adapters = 1;
  EXPECT_EQ(answer(one).itl, alone.itl);
  EXPECT_EQ(answer(one).memory_required, alone.memory_required);
  one.adapters.reset();
  one.models = 1;
  EXPECT_EQ(answer(one).itl, alone.itl);
  EXPECT_EQ(answer(one).memory_required, alone.memory_required);
  for (const std::int64_t n : {2, 5, 100}) {
    for (const std::int64_t B : {1, 3, 64}) {
      Inputs many = in;
      many.adapters = n;
      many.batch_size = B;
      const Output out = answer(many);
      EXPECT_LE(out.distinct_count, static_cast<double>(std::min(n, B)) * (1 + 1e-12));
      EXPECT_GT(out.slowdown, 1);
    }
  }
}

// Two models of 14 GB, four sequences: 2 (1 - 1/16) = 1.875 of them are read in a step. 100 - 0.52
// GB hold seven.
TEST(MultiTenancy, SharesTheDeviceAmongModels) {
  Inputs in = round_inputs();
  in.models = 2;
  const Output out = answer(in);
  EXPECT_NEAR(out.distinct_count, 1.875, 1e-12);
  EXPECT_NEAR(out.itl.base(), (1.875 * 14e9 + 4 * 131'072e3) / 4e12, 1e-12);
  EXPECT_EQ(out.fits_count, 7);
  EXPECT_NEAR(out.swap->base(), 0.28, 1e-12);
  in.models = 8;
  EXPECT_FALSE(answer(in).feasible);
  EXPECT_EQ(answer(in).reason, Reason::memory);
  in.resident_count = 6;
  EXPECT_TRUE(answer(in).feasible);
  EXPECT_DOUBLE_EQ(answer(in).miss_fraction, 0.25);
}

TEST(MultiTenancy, SplitsAdaptersOverRanks) {
  Inputs in = round_inputs();
  in.adapters = 16;
  const Seconds swap = *answer(in).swap;
  in.service.tp_size = 4;
  in.service.machine = testing::round_cluster(1);
  EXPECT_NEAR(answer(in).swap->base(), swap.base() / 4, 1e-15);
  in.adapter_size = 100 * gigabyte;
  EXPECT_EQ(answer(in).adapter_size, 100 * gigabyte);
  EXPECT_EQ(answer(in).fits_count, 3);  // of 25 GB each in 96.4 GB
}

TEST(MultiTenancy, NamesWhatIsWrong) {
  Inputs in = round_inputs();
  in.adapters = 2;
  in.models = 2;
  EXPECT_EQ(check(in).error().where, "models");
  in.models.reset();
  in.resident_count = 3;
  EXPECT_EQ(check(in).error().where, "resident_count");
  in = round_inputs();
  in.service.hardware.host_link.reset();
  EXPECT_FALSE(answer(in).swap.has_value());
}

}  // namespace
}  // namespace ridgeline::solve::multi_tenancy
