// Wrong input of every kind: exit status 2, the field's name in `where`, and what would do.
#include <gtest/gtest.h>

#include <string>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::Ran;
using testing::run_arguments;
using testing::run_line;
using testing::TemporaryFile;

struct BadLine {
  const char* line;
  const char* where;
  const char* code;
};

void expect_refused(const Ran& ran, const std::string& where, const std::string& code) {
  EXPECT_EQ(ran.status, 2) << ran.text.substr(0, 400);
  ASSERT_TRUE(ran.json.contains("error")) << ran.text.substr(0, 400);
  const Json& error = ran.json["error"];
  EXPECT_EQ(error["where"], where) << error.dump();
  EXPECT_EQ(error["code"], code) << error.dump();
  EXPECT_FALSE(error["message"].get<std::string>().empty());
}

constexpr BadLine kLines[] = {
    // commands and flags as such
    {"frobnicate --model llama-3.1-8b", "frobnicate", "unknown_name"},
    {"inpsect", "inpsect", "unknown_name"},
    {"--tp 3", "--tp", "usage"},
    {"inspect --model", "--model", "usage"},
    {"inspect -x 3", "-x", "usage"},
    {"inspect llama-3.1-8b another", "another", "usage"},
    {"inspect --model llama-3.1-8b --tpp 2", "--tpp", "unknown_key"},
    {"inspect --model llama-3.1-8b --depth coarse", "--depth", "unknown_key"},
    {"list --nothing 3", "--nothing", "unknown_key"},
    {"inspect --model llama-3.1-8b --format pdf", "--format", "bad_value"},
    {"inspect --model llama-3.1-8b --format csv", "--json", "conflict"},
    {"inspect --model llama-3.1-8b --format", "--format", "usage"},
    {"inspect --model llama-3.1-8b --model qwen3-8b", "--model", "conflict"},
    {"inspect llama-3.1-8b --model qwen3-8b", "--model", "conflict"},
    {"inspect --model llama-3.1-8b --tp 2 --tp 2", "--tp", "conflict"},
    {"inspect --model llama-3.1-8b --tp 2 --tp-size 2", "--tp-size", "conflict"},
    {"inspect --model llama-3.1-8b --tp 2 --set plan.tp=4", "--set plan.tp", "conflict"},
    {"inspect --model llama-3.1-8b --set tp", "--set", "bad_value"},
    {"inspect --model llama-3.1-8b --set =4", "--set", "bad_value"},
    {"inspect --model llama-3.1-8b --set plan.tpp=4", "--set plan.tpp", "unknown_key"},
    {"inspect --model llama-3.1-8b --set model.hidden_size=4", "--set model.hidden_size",
     "conflict"},
    {"inspect --model llama-3.1-8b --spec a.yaml --spec b.yaml", "--spec", "conflict"},
    {"inspect --model= --tp 2", "--model", "bad_value"},
    // models
    {"inspect", "--model", "missing"},
    {"explore", "--model", "missing"},
    {"inspect --model lama-3.1-8b", "--model", "unknown_name"},
    {"inspect --model /no/such/file.json", "--model", "io"},
    {"inspect --model /", "--model", "io"},
    {"inspect --model {}", "--model:/num_hidden_layers", "missing"},
    {"inspect --model {", "--model", "bad_value"},
    {"inspect --model '{\"num_hidden_layers\": 0}'", "--model:/num_hidden_layers", "out_of_range"},
    {"inspect --model '{\"a\": 1, \"a\": 2}'", "--model:/a", "conflict"},
    {"inspect --model [1,2]", "--model", "bad_value"},
    {"inspect --model qwen3-next-80b-a3b", "--model", "unsupported"},
    // machines
    {"inspect --model llama-3.1-8b --machine chipled", "--machine", "unknown_name"},
    {"inspect --model llama-3.1-8b --machine /no/such/file.json", "--machine", "io"},
    {"inspect --model llama-3.1-8b --machine '{\"base\": \"chiplet-sip\", \"bw_hbm\": 5}'",
     "--machine:/bw_hbm", "wrong_unit"},
    {"inspect --model llama-3.1-8b --machine '{\"base\": \"chiplet-sip\", \"bw_hbm_gsb\": 5}'",
     "--machine:/bw_hbm_gsb", "unknown_key"},
    {"inspect --model llama-3.1-8b --machine '{\"base\": \"none\"}'", "--machine:/base",
     "unknown_name"},
    {"inspect --model llama-3.1-8b --machine "
     "'{\"base\": \"chiplet-sip\", \"bw_hbm\": \"5 GB/s\", \"bw_hbm_gbs\": 5}'",
     "--machine:/bw_hbm_gbs", "conflict"},
    {"inspect --model llama-3.1-8b --bw-hbm 512", "--bw-hbm", "wrong_unit"},
    {"inspect --model llama-3.1-8b --bw-hbm '512 GB'", "--bw-hbm", "wrong_unit"},
    {"inspect --model llama-3.1-8b --bw-hbm '512 parsec'", "--bw-hbm", "wrong_unit"},
    {"inspect --model llama-3.1-8b --bw-hbm 0", "--bw-hbm", "out_of_range"},
    {"inspect --model llama-3.1-8b --bw-hbm '0 GB/s'", "--bw-hbm", "out_of_range"},
    {"inspect --model llama-3.1-8b --bw-hbm '-5 GB/s'", "--bw-hbm", "out_of_range"},
    {"inspect --model llama-3.1-8b --bw-hbm 'nan GB/s'", "--bw-hbm", "bad_value"},
    {"inspect --model llama-3.1-8b --bw-hbm 'inf GB/s'", "--bw-hbm", "bad_value"},
    {"inspect --model llama-3.1-8b --bw-hbm '1e300 GB/s'", "--bw-hbm", "out_of_range"},
    {"inspect --model llama-3.1-8b --bw-hbm '1e999 GB/s'", "--bw-hbm", "out_of_range"},
    {"inspect --model llama-3.1-8b --bw-hbm-gbs 'x'", "--bw-hbm-gbs", "bad_value"},
    {"inspect --model llama-3.1-8b --bw-hbm-gbs '5 GB/s'", "--bw-hbm-gbs", "wrong_unit"},
    {"inspect --model llama-3.1-8b --compute-util 1.5", "--compute-util", "out_of_range"},
    {"inspect --model llama-3.1-8b --compute-util 0", "--compute-util", "out_of_range"},
    {"inspect --model llama-3.1-8b --vector-fraction -1", "--vector-fraction", "out_of_range"},
    {"inspect --model llama-3.1-8b --pes-per-cube 0", "--pes-per-cube", "out_of_range"},
    {"inspect --model llama-3.1-8b --pes-per-cube 2.5", "--pes-per-cube", "bad_value"},
    {"inspect --model llama-3.1-8b --sips -4", "--sips", "out_of_range"},
    {"inspect --model llama-3.1-8b --sip-topology switch", "--sip-topology", "bad_value"},
    {"inspect --model llama-3.1-8b --alpha-inter '5 GB'", "--alpha-inter", "wrong_unit"},
    {"inspect --model llama-3.1-8b --alpha-inter '-5 ns'", "--alpha-inter", "out_of_range"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --bw-hbm '5 GB/s'", "--bw-hbm",
     "unknown_key"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --tp-placement pe", "--tp-placement",
     "unsupported"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --tp 3", "--tp", "out_of_range"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --dp 64", "--dp", "out_of_range"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --pp 64", "--pp", "out_of_range"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --order tp,cp", "--order", "bad_value"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --order tp,tp,pp,dp", "--order", "bad_value"},
    {"inspect --model llama-3.1-8b --machine dgx-h100 --order tp,cp,pp,xx", "--order", "bad_value"},
    {"inspect --model llama-3.1-8b --order tp,cp,pp,dp", "--order", "unsupported"},
    // plan and workload
    {"inspect --model llama-3.1-8b --tp 0", "--tp", "out_of_range"},
    {"inspect --model llama-3.1-8b --tp -1", "--tp", "out_of_range"},
    {"inspect --model llama-3.1-8b --tp 1.5", "--tp", "bad_value"},
    {"inspect --model llama-3.1-8b --tp two", "--tp", "bad_value"},
    {"inspect --model llama-3.1-8b --tp nan", "--tp", "bad_value"},
    {"inspect --model llama-3.1-8b --tp inf", "--tp", "bad_value"},
    {"inspect --model llama-3.1-8b --tp 1e300", "--tp", "out_of_range"},
    {"inspect --model llama-3.1-8b --tp 9223372036854775808", "--tp", "out_of_range"},
    {"inspect --model llama-3.1-8b --tp '8 GB'", "--tp", "wrong_unit"},
    {"inspect --model llama-3.1-8b --tp '[8]'", "--tp", "bad_value"},
    {"inspect --model llama-3.1-8b --cp 2000000", "--cp", "out_of_range"},
    {"inspect --model llama-3.1-8b --pp 0", "--pp", "out_of_range"},
    {"inspect --model llama-3.1-8b --dp 0", "--dp", "out_of_range"},
    {"inspect --model llama-3.1-8b --ep 0", "--ep", "out_of_range"},
    {"inspect --model llama-3.1-8b --context 0", "--context", "out_of_range"},
    {"inspect --model llama-3.1-8b --context -4096", "--context", "out_of_range"},
    {"inspect --model llama-3.1-8b --context 4096.5", "--context", "bad_value"},
    {"inspect --model llama-3.1-8b --context 2T", "--context", "out_of_range"},
    {"inspect --model llama-3.1-8b --context 128x", "--context", "wrong_unit"},
    {"inspect --model llama-3.1-8b --batch 0", "--batch", "out_of_range"},
    {"inspect --model llama-3.1-8b --batch 1e9", "--batch", "out_of_range"},
    {"inspect --model llama-3.1-8b --phase training", "--phase", "bad_value"},
    {"inspect --model llama-3.1-8b --precision fp7", "--precision", "bad_value"},
    {"inspect --model llama-3.1-8b --kv-precision 8", "--kv-precision", "bad_value"},
    {"inspect --model llama-3.1-8b --kv-shard-mode both", "--kv-shard-mode", "bad_value"},
    {"inspect --model llama-3.1-8b --ffn-shard-scope CP", "--ffn-shard-scope", "bad_value"},
    {"inspect --model llama-3.1-8b --cp-ring-variant q", "--cp-ring-variant", "bad_value"},
    // explore
    {"explore --model llama-3.1-8b --depth deep", "--depth", "unknown_name"},
    {"explore --model llama-3.1-8b --depth coarse --space balanced", "--depth", "conflict"},
    {"explore --model llama-3.1-8b --depth two_stage --plans full", "--plans", "conflict"},
    {"explore --model llama-3.1-8b --plans some", "--plans", "bad_value"},
    {"explore --model llama-3.1-8b --objectives speed", "--objectives", "unknown_name"},
    {"explore --model llama-3.1-8b --objectives latency_s,latenzy", "--objectives", "unknown_name"},
    {"explore --model llama-3.1-8b --constraints fast", "--constraints", "bad_value"},
    {"explore --model llama-3.1-8b --constraints 'speed < 4'", "--constraints", "unknown_name"},
    {"explore --model llama-3.1-8b --constraints 'latency < 4 GB'", "--constraints", "wrong_unit"},
    {"explore --model llama-3.1-8b --constraints 'pes_used <='", "--constraints", "bad_value"},
    {"explore --model llama-3.1-8b --top -1", "--top", "out_of_range"},
    {"explore --model llama-3.1-8b --top many", "--top", "bad_value"},
    {"explore --model llama-3.1-8b --threads 1e9", "--threads", "out_of_range"},
    {"explore --model llama-3.1-8b --points=maybe", "--points", "bad_value"},
    {"explore --model llama-3.1-8b --space nowhere", "--space", "unknown_name"},
    {"explore --model llama-3.1-8b --space /no/such/space.yaml", "--space", "io"},
    {"explore --model llama-3.1-8b --space '{\"axis\": {}}'", "--space:/axis", "unknown_key"},
    {"explore --model llama-3.1-8b --space '{\"axes\": []}'", "--space:/axes", "bad_value"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": []}}'",
     "--space:/axes/plan.tp", "bad_value"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": 4}}'", "--space:/axes/plan.tp",
     "bad_value"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": [0]}}'",
     "--space:/axes/plan.tp/0", "out_of_range"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": [2, 2]}}'",
     "--space:/axes/plan.tp", "conflict"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": [2], \"tp_size\": [4]}}'",
     "--space:/axes/tp_size", "conflict"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tpp\": [2]}}'",
     "--space:/axes/plan.tpp", "unknown_key"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"depth\": [\"full\"]}}'",
     "--space:/axes/depth", "unknown_key"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"machine.bw_hbm\": [512]}}'",
     "--space:/axes/machine.bw_hbm/0", "wrong_unit"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": {\"from\": 1}}}'",
     "--space:/axes/plan.tp", "bad_value"},
    {"explore --model llama-3.1-8b --space "
     "'{\"axes\": {\"plan.tp\": {\"from\": 1, \"to\": 4, \"steps\": 1e9}}}'",
     "--space:/axes/plan.tp/steps", "out_of_range"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": {\"powers\": [1, 4]}}}'",
     "--space:/axes/plan.tp/powers", "unknown_key"},
    {"explore --model llama-3.1-8b --space '{\"base\": \"nothing\"}'", "--space:/base",
     "unknown_name"},
    {"explore --model llama-3.1-8b --space '{\"fixed\": {\"plan.tp\": \"x\"}}'",
     "--space:/fixed/plan.tp", "bad_value"},
    {"explore --model llama-3.1-8b --space '{\"axes\": {\"plan.tp\": [1, 2]}}' --tp 2", "--tp",
     "conflict"},
    {"explore --model llama-3.1-8b --machine dgx-h100 --objectives energy", "--objectives",
     "unsupported"},
    // the rest
    {"list", "--kind", "missing"},
    {"list animals", "--kind", "unknown_name"},
    {"show", "--kind", "missing"},
    {"show model", "--name", "missing"},
    {"show model nothing-at-all", "--name", "unknown_name"},
    {"show accelerator", "--name", "missing"},
    {"show accelerator H1OO", "--name", "unknown_name"},
    {"show accelerator H100 --mla latent", "--mla", "conflict"},
    {"show model llama-3.1-8b --kv-precision fp7", "--kv-precision", "bad_value"},
    {"import", "--file", "missing"},
    {"import /no/such/config.json", "--file", "io"},
    {"replay", "--files", "missing"},
    {"replay /no/such/cases.json", "/no/such/cases.json", "io"},
    {"schema nothing", "--command", "unknown_name"},
    {"help nothing", "--command", "unknown_name"},
};

TEST(BadInput, OnTheCommandLineIsNamed) {
  for (const BadLine& bad : kLines) {
    SCOPED_TRACE(bad.line);
    expect_refused(run_line(bad.line), bad.where, bad.code);
  }
  EXPECT_GE(std::size(kLines), 100U);
}

TEST(BadInput, WithoutAnyArgumentIsRefused) {
  expect_refused(run_arguments({}), "", "usage");
}

struct BadSpec {
  const char* text;
  const char* pointer;  // below the file
  const char* code;
};

constexpr BadSpec kSpecs[] = {
    {"model: llama-3.1-8b\nplan: {tp: 0}\n", "/plan/tp", "out_of_range"},
    {"model: llama-3.1-8b\nplan: {tp: two}\n", "/plan/tp", "bad_value"},
    {"model: llama-3.1-8b\nplan: {tp: [1]}\n", "/plan/tp", "bad_value"},
    {"model: llama-3.1-8b\nplan: {tp: .nan}\n", "/plan/tp", "bad_value"},
    {"model: llama-3.1-8b\nplan: {tp: .inf}\n", "/plan/tp", "bad_value"},
    {"model: llama-3.1-8b\nplan: {tp: true}\n", "/plan/tp", "bad_value"},
    {"model: llama-3.1-8b\nplan: {tp: 2, tp_size: 2}\n", "/plan/tp_size", "conflict"},
    {"model: llama-3.1-8b\nplan: {tq: 2}\n", "/plan/tq", "unknown_key"},
    {"model: llama-3.1-8b\nplan: 4\n", "/plan", "bad_value"},
    {"model: llama-3.1-8b\ntp: 2\nplan: {tp: 2}\n", "/plan/tp", "conflict"},
    {"model: llama-3.1-8b\nmodle: x\n", "/modle", "unknown_key"},
    {"model: 7\n", "/model", "bad_value"},
    {"model: llama-3.1-8b\nbatch: -1\n", "/batch", "out_of_range"},
    {"model: llama-3.1-8b\nbatch_size: 0\n", "/batch_size", "out_of_range"},
    {"model: llama-3.1-8b\nphase: [decode]\n", "/phase", "bad_value"},
    {"model: llama-3.1-8b\nmachine: 5\n", "/machine", "bad_value"},
    {"model: llama-3.1-8b\nmachine: {base: chiplet-sip, bw_hbm_gbs: -1}\n", "/machine/bw_hbm_gbs",
     "out_of_range"},
    {"model: {num_hidden_layers: -4}\n", "/model/num_hidden_layers", "out_of_range"},
    {"model: {num_hidden_layers: many}\n", "/model/num_hidden_layers", "bad_value"},
    {"{\"model\": \"llama-3.1-8b\", \"context\": 1e300}", "/context", "out_of_range"},
    {"{\"model\": \"llama-3.1-8b\", \"context\": 9223372036854775808}", "/context", "out_of_range"},
    {"{\"model\": \"llama-3.1-8b\", \"context\": null, \"batch\": {}}", "/batch", "bad_value"},
    {"{\"model\": \"llama-3.1-8b\", \"model\": \"qwen3-8b\"}", "/model", "conflict"},
    {"model: llama-3.1-8b\nmodel: qwen3-8b\n", "/model", "conflict"},
};

TEST(BadInput, InASpecIsNamedByFileAndPointer) {
  for (const BadSpec& bad : kSpecs) {
    SCOPED_TRACE(bad.text);
    const TemporaryFile file("ridgeline_bad_spec", bad.text);
    expect_refused(run_line("inspect --spec " + file.path()), file.path() + ":" + bad.pointer,
                   bad.code);
  }
}

TEST(BadInput, InASpecAsAWholeIsNamedByItsFlag) {
  std::string deep, wide = "{";
  for (int i = 0; i < 5000; ++i) deep += "[";
  for (int i = 0; i < 20'000; ++i) wide += "\"k" + std::to_string(i) + "\": 1, ";
  wide += "\"z\": 1}";
  const std::string bomb =
      "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
      "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
  std::string block;
  for (int i = 0; i < 200; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "k:\n";
  const std::string texts[] = {"",
                               "   \n",
                               std::string("\0\1\2", 3),
                               "{\"model\": ",
                               "{]",
                               "a: b: c: d\n",
                               deep,
                               "model: " + deep,
                               "- 1\n- 2\n",
                               "[1, 2]",
                               "just text",
                               bomb,
                               block,
                               "{\"context\": 1e999}"};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text.substr(0, 60));
    const TemporaryFile file("ridgeline_bad_spec", text);
    const Ran ran = run_line("inspect --spec " + file.path());
    EXPECT_EQ(ran.status, 2);
    ASSERT_TRUE(ran.json.contains("error"));
    const auto where = ran.json["error"]["where"].get<std::string>();
    EXPECT_TRUE(where == "--spec" || where == file.path()) << where;
  }
  const TemporaryFile file("ridgeline_bad_spec", wide);
  EXPECT_EQ(run_line("inspect --spec " + file.path()).status, 2);
  EXPECT_EQ(run_line("inspect --spec /").json["error"]["where"], "--spec");
  EXPECT_EQ(run_line("inspect --spec /no/such/file").json["error"]["code"], "io");
}

TEST(BadInput, OfAProgramIsNamedByPointer) {
  const auto refused = [](const Json& input) {
    const auto command = find_command("inspect");
    const auto request = make_request(**command, input, testing::test_context());
    if (!request) return request.error();
    const auto status = run(*request, testing::test_context(), report::Colour::off,
                            [](std::string_view) { return true; });
    return status ? Error{} : status.error();
  };
  EXPECT_EQ(refused({{"model", "llama-3.1-8b"}, {"plan", {{"tp", 0}}}}).where, "/plan/tp");
  EXPECT_EQ(refused({{"model", "llama-3.1-8b"}, {"tp_size", 0}}).where, "/tp_size");
  EXPECT_EQ(
      refused({{"model", "llama-3.1-8b"}, {"machine", {{"base", "chiplet-sip"}, {"bw_hbm", 1}}}})
          .where,
      "/machine/bw_hbm");
  EXPECT_EQ(refused(Json::object()).where, "/model");
  EXPECT_EQ(refused({{"model", {{"num_hidden_layers", -1}}}}).where, "/model/num_hidden_layers");
}

TEST(BadInput, MayNotReadFilesForAProgram) {
  Context context = testing::test_context();
  context.files = FileAccess::refused;
  const auto command = find_command("inspect");
  const auto request = make_request(**command, {{"model", "/etc/hostname"}}, context);
  ASSERT_TRUE(request.has_value());
  const auto status =
      run(*request, context, report::Colour::off, [](std::string_view) { return true; });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::io);
  EXPECT_EQ(status.error().where, "/model");
}

}  // namespace
}  // namespace ridgeline::app
