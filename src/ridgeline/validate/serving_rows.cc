// Rows of serving at a fixed number of clients, each of whom sends its next request when its last
// one ends: mean time per output token and to first token, by the solver `serving`.
//
//   N     = clients / attention replicas, resident requests of a replica
//   tpot  = itl(N) + (N - 1) t_p/out     a resident request waits for its neighbours' prefills (1)
//   ttft  = t_p + itl(N) in steady state, (N + 1)/2 t_p in the first wave, when all arrive at
//           once: a tenth of the requests                                                      (2)
//   speed = N prompt-and-output cycles: out/(ttft + (out - 1) tpot) tokens per client and second
//   (3)
// t_p the prefill of one prompt, itl the decode step at the mean context. Ours: (1) and (3) are
// Little's law on a full replica, as in serving-capacity.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "ridgeline/base/text.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/serving.h"
#include "ridgeline/validate/row_model.h"
#include "ridgeline/validate/validate.h"

namespace ridgeline::validate {
namespace {

namespace serving = solve::serving;

constexpr double kFirstWave = 0.1;  // ten requests per client are sent in these runs

struct Format {
  const char* word;
  Precision precision;
};
constexpr std::array kFormats = {
    Format{"bf16", Precision::bf16},   Format{"fp16", Precision::fp16},
    Format{"fp8", Precision::fp8},     Format{"fp8_block", Precision::fp8},
    Format{"nvfp4", Precision::nvfp4}, Format{"mxfp4", Precision::mxfp4},
    Format{"int4", Precision::int4},   Format{"int8", Precision::int8},
};

std::optional<Precision> format_of(std::string_view word) {
  const auto it = std::find_if(kFormats.begin(), kFormats.end(),
                               [&](const Format& f) { return word == f.word; });
  if (it == kFormats.end()) return std::nullopt;
  return it->precision;
}

bool contains(std::string_view text, const char* part) {
  return lower(text).find(part) != std::string::npos;
}

bool is_routed(const Row& row) {
  return !row.text("moe_precision").empty();
}

Classes classes_of(const Row& row, const Registry& registry) {
  const char* kind = is_routed(row) ? "moe" : "dense";
  return {fmt::format("serve/{}/{}", kind, registry.short_name(row.text("gpu"))),
          fmt::format("serve/{}/all", kind), fmt::format("serve/{}/all", row.text("engine")),
          "serve/all"};
}

// What makes a row unfit for comparison; empty: nothing.
std::string why_not(const Row& row) {
  const bool export_row = contains(row.text("source"), "inferencex");
  if (contains(row.text("model"), "deepseek") && row.text("engine") == "trtllm" && export_row) {
    return "whether it speculates is not recorded";
  }
  if (contains(row.text("gpu"), "gb200")) return "its devices are aggregated over trays";
  const bool doubtful = contains(row.text("model"), "qwen3-32b") &&
                        row.text("engine") == "sglang" && contains(row.text("gpu"), "h100") &&
                        row.text("gemm_precision") == "bf16";
  if (doubtful) return "faster than its number format allows: most likely another one";
  const std::int64_t tp = row.count_or("attention_tp", 0), dp = row.count_or("attention_dp", 0);
  if (tp < 1 || dp < 1 || tp * dp != row.count_or("gpus", 0)) {
    return fmt::format("a plan of {} x {} ranks on {} devices", tp, dp, row.count_or("gpus", 0));
  }
  if (dp > 1) return "attention replicas that share experts are not in the serving solvers";
  if (row.count_or("isl_nominal", 0) < 1 || row.count_or("osl_nominal", 0) < 2 ||
      row.count_or("concurrency", 0) < 1) {
    return "lengths or clients are missing";
  }
  return {};
}

struct Question {
  serving::Inputs in;
  double prompt = 1, output = 2, resident = 1;
};

// Mean of a length drawn evenly between a share of the nominal one and all of it.
double mean_length(const Row& row, const char* column) {
  return row.number_or(column, 1) * (1 + row.number_or("length_ratio_min", 1)) / 2;
}

Result<Question> question_of(const Row& row, const Model& model, const Registry& registry) {
  const std::optional<Precision> matrices = format_of(row.text("gemm_precision"));
  if (!matrices) {
    return Error{ErrorCode::bad_value, "",
                 fmt::format("no number format \"{}\"", row.text("gemm_precision")), ""};
  }
  // The experts are most of a routed model's weights: their format stands for all.
  const Precision stored = format_of(row.text("moe_precision")).value_or(*matrices);
  Question out;
  out.prompt = mean_length(row, "isl_nominal");
  out.output = mean_length(row, "osl_nominal");
  out.resident = row.number_or("concurrency", 1);
  solve::Service& service = out.in.service;
  service.model = physics::totals_of(model);
  service.tp_size = row.count_or("attention_tp", 1);
  RIDGELINE_TRY(service.machine, registry.cluster(row.text("gpu"), row.count_or("gpus", 1)));
  service.hardware = service.machine->device;
  service.setting.precision = stored;
  service.setting.activation_precision = *matrices;
  return out;
}

struct Times {
  double tpot_s = 0, ttft_s = 0, least_s = 0;
  bool fits = true;
  physics::Basis basis = physics::Basis::estimate;
};

Result<serving::Output> answer(serving::Inputs in, double batch, double tokens) {
  in.batch_size = std::max<std::int64_t>(1, std::llround(batch));
  in.seq_len = std::max<std::int64_t>(1, std::llround(tokens));
  RIDGELINE_TRY(const serving::Inputs checked, serving::check(in));
  return serving::solve(checked);
}

Result<Times> times_of(const Row& row, const Model& model, const Registry& registry) {
  RIDGELINE_TRY(const Question q, question_of(row, model, registry));
  RIDGELINE_TRY(const serving::Output one, answer(q.in, 1, q.prompt));
  RIDGELINE_TRY(const serving::Output all, answer(q.in, q.resident, q.prompt + q.output / 2));
  const double prefill = one.prefill.base(), step = all.itl.base(), N = q.resident;
  Times out;
  out.tpot_s = step + (N - 1) * prefill / q.output;                                       // (1)
  out.ttft_s = (1 - kFirstWave) * (prefill + step) + kFirstWave * (N + 1) / 2 * prefill;  // (2)
  out.least_s = (all.decode_read / *q.in.service.hardware.memory_bandwidth).base();
  out.fits = all.feasible;
  out.basis = physics::basis_of(q.in.service.hardware, q.in.service.setting);
  return out;
}

void add_row(const Row& row, const Registry& registry, const Times& times, Findings& out) {
  const Classes classes = classes_of(row, registry);
  const auto skip = [&](const char* quantity, std::string reason) {
    out.skipped.push_back({row.id(), classes, quantity, std::move(reason)});
  };
  const auto add = [&](const char* quantity, double measured, double predicted) {
    out.predictions.push_back({row.id(), classes, quantity, measured, predicted, times.basis});
  };
  const double tpot = row.number_or("tpot_mean_ms", 0) / 1e3;
  const double ttft = row.number_or("ttft_mean_ms", 0) / 1e3;
  if (tpot <= 0) {
    skip("tpot", "no time per token is given");
  } else if (tpot < times.least_s) {
    skip("tpot", fmt::format("{:.4g} ms is less than the {:.4g} ms that its bytes take at the data "
                             "sheet's bandwidth",
                             tpot * 1e3, times.least_s * 1e3));
  } else {
    add("tpot", tpot, times.tpot_s);
  }
  if (ttft <= 0) return skip("ttft", "no time to first token is given");
  if (row.is("kv_limited_by_estimate")) {
    skip("ttft", "the cache probably does not hold all requests");
    return skip("tokens_per_s_per_gpu", "the cache probably does not hold all requests");
  }
  add("ttft", ttft, times.ttft_s);
  const double output = mean_length(row, "osl_nominal"), clients = row.number_or("concurrency", 1);
  const auto speed = [&](double first, double each) {  // (3)
    return clients * output / (first + (output - 1) * each) / row.number_or("gpus", 1);
  };
  if (tpot > 0) {
    add("tokens_per_s_per_gpu", speed(ttft, tpot), speed(times.ttft_s, times.tpot_s));
  }
}

}  // namespace

void add_serving(const Table& table, const Registry& registry, Findings& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row row(table, i);
    std::string reason = why_not(row);
    const auto model = model_of_row(row, registry);
    if (reason.empty() && !model) reason = model.error().message;
    if (reason.empty()) {
      const auto times = times_of(row, *model, registry);
      if (times) {
        add_row(row, registry, *times, out);
        continue;
      }
      reason = times.error().message;
    }
    for (const char* quantity : {"tpot", "ttft", "tokens_per_s_per_gpu"}) {
      out.skipped.push_back({row.id(), classes_of(row, registry), quantity, reason});
    }
  }
}

}  // namespace ridgeline::validate
