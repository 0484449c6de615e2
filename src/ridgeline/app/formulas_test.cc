// The values of a formula, worked out as a reader would, give the number that stands beside them.
#include <gtest/gtest.h>

#include <string>

#include "ridgeline/app/testing.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

using testing::run_line;

// sum = product {"+" product}; product = atom {("x" | "/") atom}; atom = "(" sum ")" | quantity.
class Evaluator {
 public:
  explicit Evaluator(const std::string& text) : text_(text) {}

  double value() {
    const double out = sum();
    EXPECT_EQ(at_, text_.size()) << text_;
    return out;
  }

 private:
  bool take(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  double sum() {
    double out = product();
    while (take(" + ")) out += product();
    return out;
  }
  double product() {
    double out = atom();
    for (;;) {
      if (take(" x ")) {
        out *= atom();
      } else if (take(" / ")) {
        out /= atom();
      } else {
        return out;
      }
    }
  }
  double atom() {
    if (take("(")) {
      const double out = sum();
      EXPECT_TRUE(take(")")) << text_;
      return out;
    }
    const std::size_t digits = text_.find_first_not_of("0123456789.e+-", at_);
    std::size_t end = std::min(digits, text_.size());
    const bool unit = end + 1 < text_.size() && text_[end] == ' ' && std::isalpha(text_[end + 1]) &&
                      text_[end + 1] != 'x';
    if (unit) end = std::min(text_.find_first_of(" )", end + 1), text_.size());
    const std::string token = text_.substr(at_, end - at_);
    at_ = end;
    if (!unit) return *parse_number(token);
    for (const Dim dim : {Dim{.time = 1}, Dim{.byte = 1}, Dim{.flop = 1},
                          Dim{.time = -1, .byte = 1}, Dim{.time = -1, .flop = 1}}) {
      if (const auto found = parse_quantity(token, dim)) return *found;
    }
    ADD_FAILURE() << token;
    return 0;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

void expect_terms(const Json& stage) {
  for (const char* term : {"compute", "memory", "network"}) {
    const double seconds = stage[std::string(term) + "_s"].get<double>();
    if (!stage["formulas"].contains(term)) {
      EXPECT_EQ(seconds, 0) << stage["name"];
      continue;
    }
    const auto values = stage["formulas"][term]["values"].get<std::string>();
    EXPECT_NEAR(Evaluator(values).value(), seconds, 1e-12 * seconds) << values;
    EXPECT_FALSE(stage["formulas"][term]["refs"].empty());
  }
}

class Formulas : public ::testing::TestWithParam<const char*> {};

TEST_P(Formulas, GiveTheirTermsAgain) {
  const Json result = run_line(GetParam()).json["result"];
  double share = 0;
  for (const Json& layer : result["layers"]) {
    for (const Json& stage : layer["stages"]) {
      expect_terms(stage);
      share += stage["share_fraction"].get<double>();
    }
  }
  for (const Json& edge : result["edges"]) {
    expect_terms(edge);
    share += edge["share_fraction"].get<double>();
  }
  EXPECT_NEAR(share, 1, 1e-12);
  double seconds = 0;
  for (const Json& part : result["shares"]) seconds += part["seconds"].get<double>();
  EXPECT_NEAR(seconds, result["latency_s"].get<double>(), 1e-12 * seconds);
}

INSTANTIATE_TEST_SUITE_P(
    Plans, Formulas,
    ::testing::Values(
        "inspect --model llama-3.1-70b --context 128k --cp 16 --tp 32",
        "inspect --model llama-3.1-70b --phase prefill --context 8k --cp 8 --tp 8",
        "inspect --model deepseek-v3 --context 64k --cp 8 --tp 8 --pp 2 --dp 4 --batch 32",
        "inspect --model gemma-2-27b --context 8k --tp 4",
        "inspect --model llama-3.1-70b --machine dgx-h100 --tp 8"));

TEST(Topology, LightsTheDevicesThatTheLayoutCounts) {
  const Json result =
      run_line("inspect --model llama-3.1-70b --context 128k --cp 16 --tp 32 --topology")
          .json["result"];
  std::int64_t pes = 0, cubes = 0;
  for (const Json& node : result["topology"]["nodes"]) {
    if (!node["used"].get<bool>()) continue;
    pes += node["level"] == "pe" ? 1 : 0;
    cubes += node["level"] == "cube" ? 1 : 0;
  }
  EXPECT_EQ(pes, result["layout"]["pes_used"].get<std::int64_t>());
  EXPECT_EQ(cubes, result["layout"]["cubes_used"].get<std::int64_t>());
}

TEST(HeatMap, HasTheBestPairInOneOfItsCells) {
  const Json result =
      run_line("explore --model llama-3.1-8b --context 8k --heat-map plan.tp,plan.cp")
          .json["result"];
  std::int64_t feasible = 0;
  double best = 1;
  for (const Json& cell : result["heat_map"]["cells"]) {
    feasible += cell["feasible_count"].get<std::int64_t>();
    if (!cell["latency_s"].is_null()) best = std::min(best, cell["latency_s"].get<double>());
  }
  EXPECT_EQ(feasible, result["feasible_count"].get<std::int64_t>());
  EXPECT_EQ(best, result["best"]["latency_s"].get<double>());
}

TEST(ThinnedPoints, HoldTheWholeFront) {
  const Json result =
      run_line("explore --model llama-3.1-8b --context 8k --points --thin 16").json["result"];
  const std::size_t front = result["pareto"].size();
  ASSERT_GE(result["points"].size(), front);
  for (std::size_t i = 0; i < front; ++i) EXPECT_EQ(result["points"][i], result["pareto"][i]);
  EXPECT_GT(result["points_total"].get<std::int64_t>(),
            static_cast<std::int64_t>(result["points"].size()));
}

}  // namespace
}  // namespace ridgeline::app
