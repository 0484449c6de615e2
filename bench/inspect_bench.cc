// How long an answer of `inspect` takes, each time to another question: from the input object to
// the bytes of its JSON, as the server and the command line make them.
#include <benchmark/benchmark.h>

#include <string>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/command.h"
#include "ridgeline/app/flow.h"

namespace ridgeline::app {
namespace {

void answer(benchmark::State& state, const char* model, const char* machine, int tp, int cp) {
  Context context;
  context.catalog = &catalog::Catalog::embedded();
  const Command& command = **find_command("inspect");
  std::int64_t tokens = 1024;
  std::string bytes;
  for (auto _ : state) {
    const Json input = {{"model", model},
                        {"machine", machine},
                        {"context", ++tokens},
                        {"plan", {{"tp", tp}, {"cp", cp}}}};
    bytes.clear();
    const auto request = make_request(command, input, context);
    const auto status = run(*request, context, report::Colour::off, [&](std::string_view part) {
      bytes += part;
      return true;
    });
    benchmark::DoNotOptimize(status);
  }
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

BENCHMARK_CAPTURE(answer, llama_8b_on_a_pe, "llama-3.1-8b", "chiplet-sip", 1, 1);
BENCHMARK_CAPTURE(answer, llama_70b_on_512_pes, "llama-3.1-70b", "chiplet-sip", 32, 16);
BENCHMARK_CAPTURE(answer, deepseek_v3_on_64_pes, "deepseek-v3", "chiplet-sip", 8, 8);
BENCHMARK_CAPTURE(answer, llama_70b_on_8_gpus, "llama-3.1-70b", "dgx-h100", 8, 1);

}  // namespace
}  // namespace ridgeline::app
