// The curves of data/kernels/: they load, and give what the published fits give.
#include "ridgeline/catalog/read_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "ridgeline/physics/kernels.h"

namespace ridgeline::catalog {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

TEST(ReadKernels, EveryEntryLoads) {
  const auto names = Catalog::embedded().names(EntryKind::kernel);
  EXPECT_GE(names.size(), 10U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto kernels = kernels_of(Catalog::embedded(), name);
    ASSERT_TRUE(kernels) << kernels.error().where << " " << kernels.error().message;
    ASSERT_TRUE(kernels->has_value());
    EXPECT_TRUE(Catalog::embedded().accelerator(name));
    EXPECT_NE((*kernels)->gemm_of("bf16"), nullptr);
    for (const GemmCurve& curve : (*kernels)->gemm) {
      EXPECT_LE(curve.large, curve.peak);
      EXPECT_LT(curve.error.median, 0.2);
    }
    const double share = physics::attention_share(**kernels);
    EXPECT_GT(share, 0.2);
    EXPECT_LT(share, 0.8);
  }
  const auto none = kernels_of(Catalog::embedded(), "mi300x");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
}

// 90 shapes that came with the fits, with what the best form gives for each.
TEST(ReadKernels, ProductsTakeWhatTheFitsSay) {
  const std::map<std::string, std::string> kFormats = {{"bfloat16", "bf16"},
                                                       {"fp8", "fp8"},
                                                       {"fp8_block", "fp8-block"},
                                                       {"nvfp4", "nvfp4"},
                                                       {"int8_wo", "int8-weights"},
                                                       {"int4_wo", "int4-weights"},
                                                       {"sq", "int8"}};
  const std::map<std::string, std::string> kDevices = {{"H100-SXM-80GB", "h100-sxm"},
                                                       {"A100-SXM-80GB", "a100-80gb-sxm"},
                                                       {"H200-SXM-141GB", "h200-sxm"},
                                                       {"B200-SXM-180GB", "b200-sxm"}};
  std::ifstream file(std::string(RIDGELINE_SOURCE_DIR) + "/tests/data/gemm_model_check.csv");
  std::string line;
  std::getline(file, line);
  int compared = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> c = cells_of(line);
    ASSERT_GE(c.size(), 10U);
    const auto device = kDevices.find(c[0]);
    if (device == kDevices.end()) continue;
    const auto kernels = kernels_of(Catalog::embedded(), device->second);
    ASSERT_TRUE(kernels && *kernels);
    const GemmCurve* curve = (*kernels)->gemm_of(kFormats.at(c[1]));
    ASSERT_NE(curve, nullptr) << line;
    const double us =
        physics::gemm_time(**kernels, *curve, {std::stod(c[2]), std::stod(c[3]), std::stod(c[4])})
            .base() *
        1e6;
    EXPECT_NEAR(us, std::stod(c[9]), 0.001 * std::stod(c[9]) + 0.001) << line;
    ++compared;
  }
  EXPECT_GE(compared, 60);
}

}  // namespace
}  // namespace ridgeline::catalog
