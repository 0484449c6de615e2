// Every model of the registry imports, counts, and is fitted for serving and for training.
#include <gtest/gtest.h>

#include <string>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::Ran;
using testing::run_arguments;
using testing::test_context;

constexpr double kMostBytes = 1e14;  // of one copy of any model, with its optimizer

void expect_between(const Json& value, double least, double most, const std::string& what) {
  ASSERT_TRUE(value.is_number()) << what << " is " << value;
  EXPECT_GE(value.get<double>(), least) << what;
  EXPECT_LE(value.get<double>(), most) << what;
}

// Bytes of the stated precision: at least 4 bits and at most 32 for a weight.
void expect_sane_fit(const std::string& name, double params) {
  const Ran ran = run_arguments(
      {"fit", "--model", name, "--machine", "H100", "--context", "4096", "--batch", "2", "--json"});
  ASSERT_TRUE(ran.status == 0 || ran.status == 3) << ran.text;
  const Json& result = ran.json["result"];
  expect_between(result["weights_bytes"], params / 2, params * 4, "weights_bytes");
  expect_between(result["ranks"][0]["total_bytes"], params / 2, kMostBytes, "total_bytes");
  if (!result["kv_cache_bytes"].is_null())
    expect_between(result["kv_cache_bytes"], 0, kMostBytes, "kv_cache_bytes");
  EXPECT_EQ(result["fits"].get<bool>(), ran.status == 0);
}

// bf16 weights and gradients and 12 bytes of Adam: 16 bytes a parameter, activations above.
void expect_sane_training(const std::string& name, double params) {
  const Ran ran = run_arguments({"solve", "training-memory", "--model", name, "--machine", "H100",
                                 "--batch-size", "2", "--seq-len", "2048", "--json"});
  ASSERT_TRUE(ran.status == 0 || ran.status == 3) << ran.text;
  const Json& result = ran.json["result"];
  expect_between(result["total_bytes"], 15.9 * params, kMostBytes, "total_bytes");
  expect_between(result["activations_bytes"], 1, kMostBytes, "activations_bytes");
}

TEST(Registry, EveryModelCountsAndFits) {
  const Context context = test_context();
  int counted = 0;
  for (const std::string& name : context.catalog->names(catalog::EntryKind::model)) {
    SCOPED_TRACE(name);
    const auto model = context.catalog->model(name);
    ASSERT_TRUE(model) << model.error().where << " " << model.error().message;
    if (!model->why_no_count.empty()) continue;
    const Ran shown = run_arguments({"show", "model", name, "--json"});
    ASSERT_EQ(shown.status, 0) << shown.text;
    const Json& total = shown.json["result"]["total_params"];
    ASSERT_TRUE(total.is_number_integer());
    expect_sane_fit(name, total.get<double>());
    expect_sane_training(name, total.get<double>());
    ++counted;
  }
  EXPECT_GE(counted, 60);
}

}  // namespace
}  // namespace ridgeline::app
