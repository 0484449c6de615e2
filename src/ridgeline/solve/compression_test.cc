#include "ridgeline/solve/compression.h"

#include <gtest/gtest.h>

#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::compression {
namespace {

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().where + ": " + checked.error().message);
  return solve(*checked);
}

Inputs of_params(double params) {
  Inputs in;
  in.params = params;
  return in;
}

// 8.03e9 in fp32: 32.12 GB; 4 bits: 4.015 GB; with a 16-bit scale for each 128: 4.125 bits.
TEST(Compression, MatchesHandWorkedCases) {
  Inputs in = of_params(8.03e9);
  in.baseline_precision = Precision::fp32;
  in.target_bitwidth = 4;
  in.group_size.reset();
  EXPECT_DOUBLE_EQ(answer(in).compressed.base(), 4.015e9);
  EXPECT_DOUBLE_EQ(answer(in).ratio, 8);
  in.group_size = 128;
  EXPECT_DOUBLE_EQ(answer(in).bits_per_weight, 4.125);
  EXPECT_NEAR(answer(in).compressed.base(), 4.1404688e9, 1e2);
  EXPECT_FALSE(answer(in).accuracy_delta);
}

// Half of 16 bits, and 1 bit for each weight, or 2 bits for each of the kept half.
TEST(Compression, CountsWhatMarksTheKeptWeights) {
  Inputs in = of_params(1e9);
  in.method = Method::pruning;
  EXPECT_DOUBLE_EQ(answer(in).bits_per_weight, 9);
  in.sparsity_type = Sparsity::n_m;
  EXPECT_DOUBLE_EQ(answer(in).bits_per_weight, 9);
  in.sparsity_n = 1;
  EXPECT_DOUBLE_EQ(answer(in).bits_per_weight, 4 + 0.5);
  in.sparsity = 0.5;
  EXPECT_EQ(check(in).error().where, "sparsity");
  in = of_params(1e9);
  in.method = Method::pruning;
  in.sparsity_type = Sparsity::structured;
  in.sparsity = 0.25;
  EXPECT_DOUBLE_EQ(answer(in).bits_per_weight, 12);
}

Inputs on_device(std::int64_t batch) {
  Inputs in;
  in.model = testing::round_7b();
  in.hardware = testing::round_device();
  in.efficiency = 0.5;
  in.batch_size = batch;
  in.target_bitwidth = 4;
  in.group_size.reset();
  return in;
}

// Trust: a decode step of one sequence is bound by memory: four times as fast, less what the KV
// cache adds; of 10 000 sequences by arithmetic: no faster.
TEST(Compression, KeepsItsTrustStatement) {
  EXPECT_NEAR(*answer(on_device(1)).speedup, 4, 0.01);
  EXPECT_DOUBLE_EQ(*answer(on_device(10'000)).speedup, 1);
  Inputs none = on_device(1);
  none.method = Method::pruning;
  none.sparsity_type = Sparsity::structured;
  none.sparsity = 0;
  EXPECT_DOUBLE_EQ(answer(none).ratio, 1);
  EXPECT_DOUBLE_EQ(*answer(none).speedup, 1);
}

// No jump anywhere, in particular not at half.
TEST(Compression, IsContinuousInSparsity) {
  Inputs in = on_device(1);
  in.method = Method::pruning;
  in.sparsity = 0.5;
  const Output half = answer(in);
  in.sparsity = 0.5001;
  const Output more = answer(in);
  EXPECT_NEAR(half.ratio, more.ratio, 1e-3);
  EXPECT_NEAR(*half.speedup, *more.speedup, 1e-3);
}

// 2 of 4 on a device with sparse matrix units: twice the rate where arithmetic binds.
TEST(Compression, SparseRatesCountOnlyForTheirPattern) {
  Inputs in = on_device(10'000);
  in.method = Method::pruning;
  in.sparsity_type = Sparsity::n_m;
  in.sparse_speedup = 2;
  EXPECT_NEAR(*answer(in).speedup, 2, 0.01);
  in.sparsity_m = 8;
  EXPECT_DOUBLE_EQ(*answer(in).speedup, 1);
}

TEST(Compression, SaysWhetherItFits) {
  Inputs in = on_device(1);
  in.model = testing::llama_70b_totals();
  EXPECT_FALSE(*answer(in).fits_before);
  EXPECT_TRUE(*answer(in).fits_after);
}

TEST(Compression, NamesWhatIsMissing) {
  EXPECT_EQ(check(Inputs{}).error().where, "parameters_count");
  Inputs in = of_params(1e9);
  in.target_bitwidth = 17;
  EXPECT_EQ(check(in).error().where, "target_bitwidth");
}

}  // namespace
}  // namespace ridgeline::solve::compression
