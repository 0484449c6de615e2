#include <gtest/gtest.h>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_line;
using testing::TemporaryFile;

const Json* row_of(const Json& rows, const std::string& key) {
  for (const Json& row : rows) {
    if (row["key"] == key) return &row;
  }
  return nullptr;
}

TEST(Compare, PutsSavedResultsSideBySide) {
  const auto four = run_line("inspect --model llama-3.1-8b --tp 4");
  const auto eight = run_line("inspect --model llama-3.1-8b --tp 8");
  const TemporaryFile a("ridgeline-four.json", four.text), b("ridgeline-eight.json", eight.text);
  const auto ran = run_line("compare " + a.path() + " " + b.path());
  ASSERT_EQ(ran.status, 0) << ran.text;
  EXPECT_EQ(ran.json["result"]["names"], Json({"ridgeline-four", "ridgeline-eight"}));
  const Json& differences = ran.json["result"]["differences"];
  const Json* tp = row_of(differences, "plan.tp");
  ASSERT_NE(tp, nullptr);
  EXPECT_EQ((*tp)["values"], Json({4, 8}));
  EXPECT_EQ(row_of(differences, "model"), nullptr);
  const Json& rows = ran.json["result"]["rows"];
  const Json* latency = row_of(rows, "latency_s");
  ASSERT_NE(latency, nullptr);
  const double first = four.json["result"]["latency_s"], second = eight.json["result"]["latency_s"];
  EXPECT_EQ((*latency)["values"], Json({first, second}));
  EXPECT_EQ((*latency)["best_index"], first < second ? 0 : 1);
  EXPECT_NE(row_of(rows, "layers.0.stages.S1.total_s"), nullptr);
  EXPECT_NE(row_of(rows, "layers.0.stages.F1.total_s"), nullptr);
}

TEST(Compare, RunsSpecsAndMarksMoreOfARateAsBetter) {
  const TemporaryFile a("ridgeline-a.yaml", "model: llama-3.1-8b\ntp: 4\n");
  const TemporaryFile b("ridgeline-b.yaml", "command: inspect\nmodel: llama-3.1-8b\ntp: 8\n");
  const auto ran = run_line("compare " + a.path() + " " + b.path());
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json* rate = row_of(ran.json["result"]["rows"], "objectives.tokens_per_s");
  ASSERT_NE(rate, nullptr);
  const bool first = (*rate)["values"][0].get<double>() > (*rate)["values"][1].get<double>();
  EXPECT_EQ((*rate)["best_index"], first ? 0 : 1);
}

// Against 8 the others are 8/8 - 1 = 0, 10/8 - 1 = +25 % and 6/8 - 1 = -25 %.
TEST(Compare, TellsChangesAgainstTheBaseline) {
  const char* form = R"({"command": "x", "inputs": {}, "result": {"t_s": %, "note": "a"}})";
  const auto text = [&](const char* value) {
    std::string out = form;
    return out.replace(out.find('%'), 1, value);
  };
  const TemporaryFile a("ridgeline-a.json", text("10")), b("ridgeline-b.json", text("8"));
  const TemporaryFile c("ridgeline-c.json", text("6"));
  const std::string files = a.path() + " " + b.path() + " " + c.path();
  const auto ran = run_line("compare " + files + " --baseline 1");
  ASSERT_EQ(ran.status, 0) << ran.text;
  const Json* time = row_of(ran.json["result"]["rows"], "t_s");
  EXPECT_EQ((*time)["change_fractions"], Json({0.25, 0.0, -0.25}));
  EXPECT_EQ((*time)["better"], "less");
  const Json* note = row_of(ran.json["result"]["rows"], "note");
  EXPECT_EQ((*note)["change_fractions"], Json({nullptr, nullptr, nullptr}));
  EXPECT_TRUE((*note)["better"].is_null());
  EXPECT_EQ(run_line("compare " + files + " --baseline 3").json["error"]["where"], "--baseline");
}

TEST(Compare, MarksNothingWhereAllAreEqual) {
  const TemporaryFile a("ridgeline-a.json",
                        R"({"command": "x", "inputs": {"n": 1}, "result": {"t_s": 2, "n": 3}})");
  const auto ran = run_line("compare " + a.path() + " " + a.path());
  EXPECT_TRUE((*row_of(ran.json["result"]["rows"], "t_s"))["best_index"].is_null());
  EXPECT_TRUE(ran.json["result"]["differences"].empty());
}

TEST(Compare, RefusesWhatItCannotCompare) {
  EXPECT_EQ(run_line("compare").json["error"]["code"], "missing");
  EXPECT_EQ(run_line("compare a.json no-such.json").json["error"]["code"], "io");
  const TemporaryFile bad("ridgeline-bad.json", R"({"error": {"code": "missing"}})");
  const auto ran = run_line("compare " + bad.path() + " " + bad.path());
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.json["error"]["where"], bad.path());
}

}  // namespace
}  // namespace ridgeline::app
