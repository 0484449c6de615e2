#include "ridgeline/solve/data.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::data {
namespace {

Inputs reading(double gb_per_s) {
  Inputs in;
  in.data_rate = gb_per_s * gigabyte_per_second;
  in.storage_bandwidth = 7 * gigabyte_per_second;
  in.host_link = 64 * gigabyte_per_second;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 10 of 7 GB/s: u = 1.428571, 3 GB/s short; a step of 70 ms waits 30 ms.
TEST(Data, MatchesAHandWorkedCase) {
  Inputs in = reading(10);
  in.step = 70 * millisecond;
  const Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.utilization_fraction, 10.0 / 7);
  EXPECT_DOUBLE_EQ(out.margin.base(), -3e9);
  EXPECT_TRUE(out.stalled);
  EXPECT_EQ(out.bottleneck, Bottleneck::storage);
  EXPECT_NEAR(out.stall->base(), 0.030, 1e-12);
}

// 2000 samples of 500 kB are 1 GB/s, of which half is cached; a network of 0.25 GB/s is the least.
TEST(Data, CountsSamplesCachesAndTheNetwork) {
  Inputs in;
  in.samples_per_s = 2000;
  in.sample = 500e3 * byte;
  in.cache_hit_fraction = 0.5;
  in.storage_bandwidth = 7 * gigabyte_per_second;
  in.network_bandwidth = 0.25 * gigabyte_per_second;
  const Output out = answer(in);
  EXPECT_DOUBLE_EQ(out.demand.base(), 0.5e9);
  EXPECT_DOUBLE_EQ(out.supply.base(), 0.25e9);
  EXPECT_EQ(out.bottleneck, Bottleneck::network);
}

// A read of 450 ms under steps of 100 ms: five batches ahead.
TEST(Data, HidesSlowReadsByFetchingAhead) {
  Inputs in = reading(1);
  in.step = 100 * millisecond;
  in.read_p99 = 450 * millisecond;
  EXPECT_EQ(*answer(in).needed_prefetch_depth, 5);
  EXPECT_FALSE(*answer(in).reads_hidden);
  in.prefetch_depth = 5;
  EXPECT_TRUE(*answer(in).reads_hidden);
}

TEST(Data, KeepsItsTrustStatement) {
  Inputs in = reading(10);
  in.cache_hit_fraction = 1;
  EXPECT_EQ(answer(in).demand.base(), 0);
  in = reading(10);
  const double before = answer(in).supply.base();
  in.storage_bandwidth = 8 * gigabyte_per_second;
  EXPECT_GE(answer(in).supply.base(), before);
}

// Missing storage is an error, not a rate of some default.
TEST(Data, NamesWhatIsMissing) {
  Inputs in = reading(1);
  in.storage_bandwidth.reset();
  EXPECT_EQ(check(in).error().where, "storage_bandwidth");
  in = reading(1);
  in.samples_per_s = 5;
  EXPECT_EQ(check(in).error().where, "samples_per_s");
  in.data_rate.reset();
  EXPECT_EQ(check(in).error().where, "sample");
}

}  // namespace
}  // namespace ridgeline::solve::data
