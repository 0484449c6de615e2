// signature: twelve digits that change when any result of a fixed suite changes. Numbers count to
// ten significant digits, so that compilers agree; times of the program itself do not count.
#include <fmt/format.h>

#include <array>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/command.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"

namespace ridgeline::app {
namespace {

struct Case {
  const char* command;
  const char* input;
  bool takes_threads;
};
constexpr std::array kSuite = {
    Case{"explore",
         R"({"model": "llama-3.1-70b", "phase": "decode", "context": 131072, "depth": "coarse"})",
         true},
    Case{"explore", R"({"model": "mixtral-8x7b", "phase": "prefill", "context": 8192,
         "depth": "two_stage", "per_hardware": true})",
         true},
    Case{"inspect", R"({"model": "deepseek-v3", "context": 32768, "tp": 8, "cp": 4})", false},
    Case{"inspect", R"({"model": "llama-3.1-8b", "machine": "dgx-h100", "tp": 8})", false},
    Case{"fit", R"({"model": "llama-3.1-70b", "machine": "H100", "devices": 4, "context": 32768})",
         false},
    Case{"solve", R"({"solver": "distributed", "model": "llama-3.1-405b",
         "machine": "dgx-h100-superpod", "batch_size": 256, "seq_len": 8192, "tp": 8, "pp": 8})",
         false},
    Case{"solve", R"({"solver": "serving", "model": "mixtral-8x7b", "machine": "dgx-h100",
         "tp_size": 4, "seq_len": 4096, "batch_size": 32})",
         false},
    Case{"solve", R"({"solver": "training-memory", "model": "llama-3.1-8b", "machine": "H100",
         "batch_size": 4, "seq_len": 4096})",
         false},
    Case{"evaluate", R"({"model": "llama-3.1-8b", "machine": "dgx-h100",
         "efficiency": {"uniform": [0.3, 0.6]}, "samples": 2000,
         "training": {"batch_size": 64, "seq_len": 4096, "tp_size": 4, "tokens_count": 1e12},
         "reliability": {"failure_rates": "llama3-h100", "checkpoint_time": "30 s"},
         "site": {"grid": "france", "pue": 1.2, "wue_l_per_kwh": 0.5, "kwh_price_usd": 0.1},
         "economics": {"unit_cost": "25000 USD"}})",
         true},
    Case{"evaluate", R"({"model": "llama-3.1-70b", "machine": "dgx-h100-superpod",
         "precision": "fp8",
         "serving": {"qps": {"lognormal": [30, 0.2]}, "target_p99_latency": "30 s",
                     "max_seq_len": 4096, "output_tokens": 256, "tp_size": 4},
         "samples": 2000})",
         true},
};

class Digest {
 public:
  void add(std::string_view text) {
    constexpr std::uint64_t kPrime = 1099511628211ULL;  // FNV-1a, 64 bits
    for (const char c : text) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * kPrime;
    }
  }
  std::string digits() const {
    constexpr unsigned kBits = 48;
    return fmt::format("{:012x}", (state_ ^ (state_ >> kBits)) & ((1ULL << kBits) - 1));
  }

 private:
  std::uint64_t state_ = 14695981039346656037ULL;
};

bool counts(const std::string& key) {
  return key != "elapsed_s" && key != "evaluations_per_s";
}

void add_tree(const Json& tree, Digest& out) {
  if (tree.is_object()) {
    for (const auto& [key, value] : tree.items()) {
      if (!counts(key)) continue;
      out.add(key);
      add_tree(value, out);
    }
  } else if (tree.is_array()) {
    for (const Json& item : tree) add_tree(item, out);
  } else if (tree.is_number()) {
    out.add(fmt::format("{:.10g};", tree.get<double>()));
  } else {
    out.add(tree.dump());
  }
}

Result<std::string> digest_of(const Case& one, std::int64_t threads, const Context& context,
                              Digest& all) {
  Json input = Json::parse(one.input);
  if (one.takes_threads) input["threads"] = threads;
  RIDGELINE_TRY(const Command* command, find_command(one.command));
  RIDGELINE_TRY(const Request request, make_request(*command, input, context));
  RIDGELINE_TRY(const report::Document document, command->answer(request, context));
  Digest own;
  add_tree(report::tree_of(document)[report::kResult], own);
  all.add(own.digits());
  return own.digits();
}

}  // namespace

std::string signature_of(const Json& tree) {
  Digest digest;
  add_tree(tree, digest);
  return digest.digits();
}

Result<report::Document> answer_signature(const Request& request, const Context& context) {
  RIDGELINE_TRY(const Command* command, find_command("signature"));
  const InputReader reader(request.input, request.origins, *command);
  constexpr std::int64_t kMostThreads = 1024;
  RIDGELINE_TRY(const std::int64_t threads, reader.count("threads", 0, kMostThreads));
  Digest all;
  Json cases = Json::array();
  for (const Case& one : kSuite) {
    RIDGELINE_TRY(const std::string digits, digest_of(one, threads, context, all));
    cases.push_back(
        {{"command", one.command}, {"input", Json::parse(one.input)}, {"digest", digits}});
  }
  report::Document out;
  out.sections.emplace_back(report::Line{all.digits()});
  out.csv = rows_of(cases);
  out.tree =
      envelope("signature", {{"threads", threads}},
               {{"signature", all.digits()}, {"cases", std::move(cases)}}, nullptr, Json::array());
  return out;
}

}  // namespace ridgeline::app
