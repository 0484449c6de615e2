#include "ridgeline/validate/validate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ridgeline/validate/row_model.h"

namespace ridgeline::validate {
namespace {

// A table of one row from "column value" pairs.
Table one_row(std::initializer_list<std::pair<const char*, const char*>> cells) {
  Table out{.name = "t", .columns = {}, .rows = {{}}};
  for (const auto& [column, value] : cells) {
    out.columns.emplace_back(column);
    out.rows[0].emplace_back(value);
  }
  return out;
}

Registry no_registry() {
  const auto none = [](const char* what) { return Error{ErrorCode::unknown_name, "", what, ""}; };
  return {.model = [none](std::string_view) -> Result<Model> { return none("no such model"); },
          .cluster = [none](std::string_view, std::int64_t) -> Result<Cluster> {
            return none("no such device");
          },
          .kernels = [](std::string_view) -> const Kernels* { return nullptr; },
          .fact = [](std::string_view, std::string_view, std::string_view,
                     std::optional<std::int64_t>) { return std::optional<double>(); },
          .parts = [](std::string_view) { return std::vector<solve::reliability::Part>(); },
          .short_name = [](std::string_view name) { return std::string(name); }};
}

Findings found(const Table& table) {
  Findings out;
  const Status added = add_table(table, no_registry(), out);
  EXPECT_TRUE(added) << added.error().message;
  return out;
}

TEST(Validate, KnowsTablesByTheirColumns) {
  Findings out;
  const Status added = add_table(one_row({{"id", "1"}, {"value", "2"}}), no_registry(), out);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().hint.find("tpot_mean_ms"), std::string::npos);
}

// 7.5e9 parameters in 16 bits, Adam, sharded over 64: 2 + 2 + 12/64 bytes each = 31.40625 GB.
TEST(Validate, AnswersTheStatesOfAPaper) {
  const Findings out = found(one_row({{"id", "zero"},
                                      {"kind", "train-state"},
                                      {"params_b", "7.5"},
                                      {"dp", "64"},
                                      {"zero_stage", "1"},
                                      {"precision", "fp16 mixed"},
                                      {"quantity", "states"},
                                      {"value", "31.4"},
                                      {"unit", "GB"},
                                      {"complete_inputs", "1"}}));
  ASSERT_EQ(out.predictions.size(), 1U);
  EXPECT_DOUBLE_EQ(out.predictions[0].predicted, 31.40625e9);
  EXPECT_DOUBLE_EQ(out.predictions[0].measured, 31.4e9);
  EXPECT_EQ(out.predictions[0].classes[0], "memory/train-state");
}

TEST(Validate, SaysWhyARowIsNotAnswered) {
  const auto reason_of = [](const Table& table) {
    const Findings out = found(table);
    EXPECT_TRUE(out.predictions.empty());
    return out.skipped.empty() ? "" : out.skipped[0].reason;
  };
  EXPECT_EQ(reason_of(one_row({{"id", "a"},
                               {"kind", "train-peak"},
                               {"quantity", "peak"},
                               {"zero_stage", ""},
                               {"complete_inputs", "0"}})),
            "the source leaves inputs open");
  EXPECT_EQ(reason_of(one_row({{"id", "b"},
                               {"kind", "kv-cache-per-token"},
                               {"quantity", "kv"},
                               {"zero_stage", ""},
                               {"complete_inputs", "1"},
                               {"value", "1"},
                               {"unit", "furlongs"}})),
            "no value in a known unit");
  EXPECT_EQ(reason_of(one_row({{"id", "c"},
                               {"kind", "kv-cache-per-token"},
                               {"quantity", "kv"},
                               {"zero_stage", ""},
                               {"complete_inputs", "1"},
                               {"value", "1"},
                               {"unit", "GB"}})),
            "no such model");
}

Table training_row(const char* gpus, const char* layers = "2") {
  return one_row({{"id", "t"},
                  {"model", "m"},
                  {"params_b", "0.03"},
                  {"arch", "dense-llama"},
                  {"layers", layers},
                  {"hidden", "1024"},
                  {"heads", "8"},
                  {"ffn", "4096"},
                  {"gated_mlp", "1"},
                  {"vocab", "100"},
                  {"global_batch_seqs", "8"},
                  {"micro_batch", "1"},
                  {"tp", "2"},
                  {"dp", "2"},
                  {"recompute", "none"},
                  {"n_gpus", gpus},
                  {"precision", "bf16"},
                  {"iter_time_s", "1e-9"},
                  {"zero_stage", "1"},
                  {"complete_inputs", "1"}});
}

Findings trained(const Table& table) {
  Registry registry = no_registry();
  registry.cluster = [](std::string_view, std::int64_t count) -> Result<Cluster> {
    Cluster out;
    out.devices_per_node = count;
    out.intra_node_bandwidth = 100 * gigabyte_per_second;
    out.device.rates.fill(100 * teraflop_per_second);
    out.device.memory_capacity = 80 * gigabyte;
    out.device.memory_bandwidth = 1000 * gigabyte_per_second;
    return out;
  };
  Findings out;
  EXPECT_TRUE(add_table(table, registry, out));
  return out;
}

TEST(Validate, LeavesOutWhatNoMachineCanDo) {
  const Findings fast = trained(training_row("4"));
  ASSERT_EQ(fast.skipped.size(), 1U);
  EXPECT_EQ(fast.skipped[0].quantity, "iter_time");
  EXPECT_NE(fast.skipped[0].reason.find("dense peak"), std::string::npos);
  const Findings odd = trained(training_row("8"));
  ASSERT_EQ(odd.skipped.size(), 1U);
  EXPECT_EQ(odd.skipped[0].reason, "the plan has 4 ranks, the machine 8 devices");
  EXPECT_EQ(odd.skipped[0].classes, (Classes{"train/megatron-dense", "train/all"}));
  EXPECT_EQ(trained(training_row("4", "1")).skipped[0].reason, "a single layer is no model");
}

// 1e6 hours x 400 W x 1.1 = 440 MWh, at 385 g/kWh 169.4 t.
TEST(Validate, CountsEnergyAndCarbonOfARun) {
  const Findings out = found(one_row({{"id", "c"},
                                      {"kind", "training"},
                                      {"gpu_hours", "1e6"},
                                      {"power_w_per_gpu", "400"},
                                      {"energy_mwh", "444"},
                                      {"pue", "1.1"},
                                      {"grid_g_per_kwh", "385"},
                                      {"co2e_t", "170"},
                                      {"complete_inputs", "1"}}));
  ASSERT_EQ(out.predictions.size(), 2U);
  EXPECT_NEAR(out.predictions[0].predicted, 440 * 3.6e9, 1);
  EXPECT_NEAR(out.predictions[1].predicted, 169.4e3, 1e-3);
}

// Two kinds of parts in 10 nodes for 100 days: 10 x 2400 h x (8/1000 h) = 192 and 10 x 2400/4800
// = 5.
TEST(Validate, CountsInterruptionsByTheirCause) {
  Registry registry = no_registry();
  registry.parts = [](std::string_view) {
    return std::vector<solve::reliability::Part>{{"GPU", 8, 1000 * hour},
                                                 {"planned", 1, 4800 * hour}};
  };
  const auto predicted = [&](const char* metric) {
    Findings out;
    EXPECT_TRUE(add_table(one_row({{"id", "r"},
                                   {"system", "s"},
                                   {"event_or_metric", metric},
                                   {"value", "190"},
                                   {"unit", "count"},
                                   {"n_nodes", "10"},
                                   {"period_days", "100"},
                                   {"complete_inputs", "1"}}),
                          registry, out));
    return out.predictions.empty() ? -1.0 : out.predictions[0].predicted;
  };
  EXPECT_NEAR(predicted("unexpected interruptions: gpu"), 192, 1e-9);
  EXPECT_NEAR(predicted("planned interruptions"), 5, 1e-9);
  EXPECT_NEAR(predicted("job interruptions total"), 197, 1e-9);
  EXPECT_EQ(predicted("unexpected interruptions: squirrels"), -1);
}

// 2.788 million hours at 2 USD.
TEST(Validate, PricesDeviceHours) {
  const Findings out = found(one_row({{"id", "k"},
                                      {"subject", "m"},
                                      {"quantity", "rental cost"},
                                      {"value", "5576000"},
                                      {"unit", "USD"},
                                      {"basis", "2.788M H800-h x $2/h"}}));
  ASSERT_EQ(out.predictions.size(), 1U);
  EXPECT_DOUBLE_EQ(out.predictions[0].predicted, 5576000);
}

// 2 layers of 4 x 1024^2 + 3 x 1024 x 4096 and norms, table of 100 x 1024: 33.6 M, the head tied or
// not, whichever is nearer to what the row says.
TEST(RowModel, BuildsTheRowsOwnWidths) {
  const Table table = training_row("4");
  const auto model = model_of_row(Row(table, 0), no_registry());
  ASSERT_TRUE(model);
  EXPECT_EQ(model->layer_count(), 2);
  EXPECT_EQ(model->kinds[0].attention.head_dim, 128);
  EXPECT_TRUE(model->tied_embeddings);
  EXPECT_FALSE(model->kinds[0].ffn.moe());
}

TEST(RowModel, CutsAModelToTheFirstLayers) {
  Model model;
  model.kinds.resize(2);
  model.layers = {0, 0, 0, 1, 1, 1};
  EXPECT_EQ(cut_to(model, 4, 1).layers, (std::vector<std::uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(cut_to(model, 4, std::nullopt).layers, (std::vector<std::uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(cut_to(model, 9, 1).layers.size(), 6U);
}

}  // namespace
}  // namespace ridgeline::validate
