#include "ridgeline/physics/module_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ridgeline::physics {
namespace {

ModulePatterns patterns(std::vector<std::string> raw) {
  return ModulePatterns(raw);
}

TEST(ModulePatterns, NamesWholePartsOnly) {
  const ModulePatterns p = patterns({"mlp.gate"});
  EXPECT_TRUE(p.name(3, "mlp.gate"));
  EXPECT_FALSE(p.name(3, "mlp.gate_proj"));
  EXPECT_TRUE(patterns({"self_attn"}).name(0, "self_attn.q_proj"));
  EXPECT_FALSE(patterns({"attn"}).name(0, "self_attn.q_proj"));
}

TEST(ModulePatterns, StarStandsForAnything) {
  EXPECT_TRUE(patterns({"model.layers.*.self_attn"}).name(35, "self_attn.o_proj"));
  EXPECT_FALSE(patterns({"model.layers.*.self_attn"}).name(35, "mlp.experts.0.down_proj"));
  EXPECT_TRUE(patterns({"*.mlp.experts.*"}).name(1, "mlp.experts.0.down_proj"));
  EXPECT_TRUE(patterns({"*"}).name(1, "mlp.down_proj"));
}

TEST(ModulePatterns, SomeNameOneLayer) {
  const ModulePatterns p = patterns({"model.layers.1.mlp", "language_model.model.layers.12.mlp."});
  EXPECT_TRUE(p.name(1, "mlp.up_proj"));
  EXPECT_TRUE(p.name(12, "mlp.up_proj"));
  EXPECT_FALSE(p.name(2, "mlp.up_proj"));
  EXPECT_FALSE(p.name(11, "mlp.up_proj"));
  EXPECT_TRUE(p.by_layer());
  EXPECT_FALSE(patterns({"lm_head", "model.layers.*.mlp"}).by_layer());
}

TEST(ModulePatterns, ReadsTheRegularExpressionsOfConfigs) {
  EXPECT_TRUE(patterns({"re:.*self_attn.*"}).name(0, "self_attn.q_proj"));
  EXPECT_TRUE(patterns({R"(re:.*\.mlp\.gate$)"}).name(0, "mlp.gate"));
  EXPECT_FALSE(patterns({R"(re:.*\.mlp\.gate$)"}).name(0, "mlp.gate_proj"));
  const ModulePatterns p = patterns({R"(re:model\.layers\.\d+\.self_attn\.(q|k)_proj)"});
  EXPECT_TRUE(p.name(4, "self_attn.k_proj"));
  EXPECT_FALSE(p.name(4, "self_attn.v_proj"));
}

TEST(ModulePatterns, HostilePatternsCostLittle) {
  std::string stars, choices = "re:", open = "re:";
  for (int i = 0; i < 90; ++i) stars += "*a";
  for (int i = 0; i < 39; ++i) choices += "(a|b)";
  for (int i = 0; i < 190; ++i) open += i % 2 == 0 ? '(' : '[';
  const ModulePatterns p = patterns({stars, choices, open, std::string(100000, '(')});
  EXPECT_FALSE(p.name(0, "self_attn.q_proj"));
}

TEST(ModulePatterns, LeavesOtherTowersAlone) {
  const ModulePatterns p =
      patterns({"vision_tower.encoder.layers.0.self_attn", "re:visual.*", "lm_head"});
  EXPECT_FALSE(p.name(0, "self_attn.q_proj"));
}

}  // namespace
}  // namespace ridgeline::physics
