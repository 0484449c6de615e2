// Random command lines: whatever is typed, the answer is a document or an error that names a place.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_arguments;

constexpr const char* kFlags[] = {"--tp",
                                  "--cp",
                                  "--pp",
                                  "--dp",
                                  "--ep",
                                  "--context",
                                  "--batch",
                                  "--phase",
                                  "--precision",
                                  "--kv-precision",
                                  "--bw-hbm",
                                  "--pe-hbm",
                                  "--sips",
                                  "--kv-shard-mode",
                                  "--ffn-shard-scope",
                                  "--sip-topology",
                                  "--tp-placement",
                                  "--cp-placement",
                                  "--cp-ring-variant",
                                  "--alpha-inter",
                                  "--pes-per-cube",
                                  "--compute-util",
                                  "--set",
                                  "--depth",
                                  "--top",
                                  "--unknown"};
constexpr const char* kValues[] = {
    "1",       "2",     "3",         "8",       "32",    "96",       "0",         "-1",
    "1e9",     "1e300", "nan",       "inf",     "",      "128k",     "2T",        "decode",
    "prefill", "split", "replicate", "TP",      "TP+CP", "TP+CP+DP", "pe",        "cube",
    "kv",      "qoml",  "ring",      "torus2d", "5 GB",  "1 TB/s",   "0.5",       "10 ns",
    "fp8",     "int4",  "plan.tp=4", "{}",      "[1]",   "{\"a\":",  "two_stage", "\xFF\xFE"};
constexpr const char* kModels[] = {"llama-3.1-8b",        "mixtral-8x7b", "gemma-2-27b",
                                   "deepseek-v2-lite",    "gpt2",         "no-such",
                                   "{\"hidden_size\": 8}"};
constexpr const char* kMachines[] = {"chiplet-sip", "dgx-h100", "h100-sxm"};

template <std::size_t N>
rc::Gen<std::string> one_of(const char* const (&texts)[N]) {
  return rc::gen::map(rc::gen::inRange<std::size_t>(0, N),
                      [&texts](std::size_t i) { return std::string(texts[i]); });
}

void expect_sound(const testing::Ran& ran) {
  RC_ASSERT(ran.status == 0 || ran.status == 2 || ran.status == 3);
  RC_ASSERT(ran.json.is_object());
  RC_ASSERT(ran.json.contains(ran.status == 2 ? "error" : "result"));
  RC_ASSERT(ran.text.find("nan") == std::string::npos || ran.status == 2);
}

RC_GTEST_PROP(Smoke, NoCommandLineOfInspectCrashes, ()) {
  std::vector<std::string> line = {"inspect", "--model",   *one_of(kModels),
                                   "--json",  "--machine", *one_of(kMachines)};
  const auto flags =
      *rc::gen::resize(6, rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
                              rc::gen::pair(one_of(kFlags), one_of(kValues))));
  for (const auto& [flag, value] : flags) {
    line.push_back(flag);
    line.push_back(value);
  }
  expect_sound(run_arguments(line));
}

RC_GTEST_PROP(Smoke, NoWordsCrash, ()) {
  auto line = *rc::gen::resize(
      5, rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
             one_of(kFlags), one_of(kValues), one_of(kModels),
             rc::gen::element<std::string>("inspect", "show", "list", "model", "help", "schema",
                                           "import", "--help", "--", "-", "--=", "--set"))));
  line.emplace_back("--json");
  const auto ran = run_arguments(line);
  RC_ASSERT(ran.status == 0 || ran.status == 2 || ran.status == 3);
  RC_ASSERT(ran.json.is_object());
}

RC_GTEST_PROP(Smoke, NoSmallExplorationCrashes, ()) {
  const Json values = {1, 2, 4, 8};
  Json axes = Json::object();
  for (const char* path : {"plan.tp", "plan.cp", "plan.dp", "machine.sips", "batch"}) {
    if (*rc::gen::arbitrary<bool>()) axes[path] = values;
  }
  const Json space{{"axes", axes}};
  const auto ran = run_arguments({"explore", "--model", *one_of(kModels), "--phase",
                                  *rc::gen::element<std::string>("decode", "prefill"), "--context",
                                  *rc::gen::element<std::string>("1", "4k", "128k"), "--space",
                                  space.dump(), "--points", "--top", "3", "--json"});
  expect_sound(ran);
  if (ran.status == 0) {
    RC_ASSERT(ran.json["result"]["points"].size() ==
              ran.json["result"]["feasible_count"].get<std::size_t>());
  }
}

}  // namespace
}  // namespace ridgeline::app
