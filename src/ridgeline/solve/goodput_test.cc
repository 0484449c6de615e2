#include "ridgeline/solve/goodput.h"

#include <gtest/gtest.h>

namespace ridgeline::solve::goodput {
namespace {

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message);
  return solve(*checked);
}

// 0.9 x 0.85 x 0.6 = 0.459; of 1000 USD 541 are lost.
TEST(Goodput, MatchesAHandWorkedCase) {
  Inputs in{.scheduling = 0.9, .runtime = 0.85, .program = 0.6};
  in.paid = 1000 * dollar;
  const Output out = answer(in);
  EXPECT_NEAR(out.goodput_fraction, 0.459, 1e-12);
  EXPECT_NEAR(out.runtime_share_fraction, 0.135, 1e-12);
  EXPECT_NEAR(out.program_share_fraction, 0.306, 1e-12);
  EXPECT_NEAR(out.lost->base(), 541, 1e-9);
}

// 0.98 useful, 5 % waiting for data, 1 % starting; 400 of 800 TFLOP/s.
TEST(Goodput, TakesThePartsOfWhatIsNotGiven) {
  Inputs in;
  in.useful_fraction = 0.98;
  in.input_stall_fraction = 0.05;
  in.startup_fraction = 0.01;
  in.achieved = 400 * teraflop_per_second;
  in.attainable = 800 * teraflop_per_second;
  const Output out = answer(in);
  EXPECT_NEAR(out.runtime_fraction, 0.98 * 0.95 * 0.99, 1e-12);
  EXPECT_NEAR(out.goodput_fraction, 0.98 * 0.95 * 0.99 * 0.5, 1e-12);
}

TEST(Goodput, KeepsItsTrustStatement) {
  for (const double s : {0.0, 0.3, 1.0}) {
    for (const double r : {0.0, 0.5, 1.0}) {
      const Output out = answer({.scheduling = s, .runtime = r, .program = 0.7});
      EXPECT_NEAR(out.goodput_fraction + out.scheduling_share_fraction +
                      out.runtime_share_fraction + out.program_share_fraction,
                  1, 1e-15);
    }
  }
}

TEST(Goodput, NamesWhatIsMissingOrGivenTwice) {
  EXPECT_EQ(check(Inputs{}).error().where, "program");
  EXPECT_EQ(check({.runtime = 1, .useful_fraction = 1, .program = 1}).error().where,
            "useful_fraction");
  Inputs in;
  in.achieved = 2 * teraflop_per_second;
  EXPECT_EQ(check(in).error().where, "attainable");
  in.attainable = 1 * teraflop_per_second;
  EXPECT_EQ(check(in).error().where, "achieved");
}

}  // namespace
}  // namespace ridgeline::solve::goodput
