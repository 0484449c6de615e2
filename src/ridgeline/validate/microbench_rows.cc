// Rows of single kernels, by the solver `efficiency`: products, attention, streams, collectives.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "ridgeline/base/text.h"
#include "ridgeline/solve/efficiency.h"
#include "ridgeline/validate/validate.h"

namespace ridgeline::validate {
namespace {

namespace efficiency = solve::efficiency;
using efficiency::Operator;

constexpr double kMilli = 1e-3, kTera = 1e12, kGiga = 1e9;

// Number formats as the sources write them: of the weights, of the activations.
struct Format {
  const char* name;
  Precision weights, activations;
};
constexpr std::array kFormats = {
    Format{"bfloat16", Precision::bf16, Precision::bf16},
    Format{"bf16", Precision::bf16, Precision::bf16},
    Format{"fp16", Precision::fp16, Precision::fp16},
    Format{"", Precision::bf16, Precision::bf16},
    Format{"fp8", Precision::fp8, Precision::fp8},
    Format{"fp8_block", Precision::fp8, Precision::fp8},
    Format{"nvfp4", Precision::nvfp4, Precision::nvfp4},
    Format{"sq", Precision::int8, Precision::int8},
    Format{"int8_wo", Precision::int8, Precision::bf16},
    Format{"int4_wo", Precision::int4, Precision::bf16},
};

bool contains(std::string_view text, std::string_view part) {
  return lower(text).find(part) != std::string::npos;
}

// The part of a device's description that the registry knows: "H100 SXM" of "NVIDIA H100 SXM".
std::string device_of(const Row& row, const Registry& registry) {
  std::string_view text = row.text("device");
  text = text.substr(0, std::min(text.find(" ("), text.size()));
  for (std::string_view from = text; !from.empty();) {
    for (std::string_view part = from; !part.empty();) {
      if (registry.cluster(part, 1)) return std::string(part);
      const std::size_t space = part.rfind(' ');
      part = space == std::string_view::npos ? std::string_view() : part.substr(0, space);
    }
    const std::size_t space = from.find(' ');
    from = space == std::string_view::npos ? std::string_view() : from.substr(space + 1);
  }
  return std::string(text);
}

// What a row measures, as classes name it; empty: nothing that the solver times.
std::string operation_of(const Row& row) {
  const std::string_view kind = row.text("kind"), op = row.text("op");
  const bool product = row.number("m") && row.number("n") && row.number("k");
  if (kind == "gemm" || kind == "gemm-best") return product ? std::string(kind) : "";
  if (kind == "layer-op") return product ? "layer-gemm" : "";
  if (kind == "attention-prefill" || kind == "attention-decode") return std::string(kind);
  if (kind == "vector-op") return "norm";
  if (kind == "hbm-stream") return "stream";
  if (kind != "collective-intranode") return "";
  return std::string(op.substr(0, std::min(op.find(' '), op.size())));  // "all_reduce ring"
}

Classes classes_of(const Row& row, const std::string& operation, const std::string& gpu) {
  const std::string name = operation.empty() ? std::string(row.text("kind")) : operation;
  Classes out = {fmt::format("microbench/{}/{}", name, gpu)};
  if (operation == "gemm") {
    const std::string_view format = row.text("dtype");
    const bool halves = contains(format, "bf") || format == "fp16";
    const bool large = row.number_or("n", 0) >= 1024 && row.number_or("k", 0) >= 1024;
    if (halves && large) out.push_back("microbench/gemm-16-bit-large/all");
    if (!halves) out.push_back("microbench/gemm-narrow/all");
  }
  out.push_back(fmt::format("microbench/{}/all", name));
  out.push_back("microbench/all");
  return out;
}

// Why no time is predicted; empty: it can be.
std::string why_not(const Row& row, const std::string& operation) {
  const std::string_view kind = row.text("kind");
  if (kind == "collective-internode" || row.count_or("n_nodes", 1) > 1) {
    return "it crosses nodes, of which no kernel is measured";
  }
  if (contains(row.text("device"), "pairwise")) return "its devices are not joined by a switch";
  if (operation.empty()) return fmt::format("{} without what it needs to be timed", kind);
  if (contains(operation, "attention") && !row.number("heads")) return "its heads are not given";
  return {};
}

// The curves with those of blockwise scales in place of one scale for all.
Kernels with_block_scales(Kernels kernels) {
  std::erase_if(kernels.gemm, [](const GemmCurve& c) { return c.format == "fp8"; });
  for (GemmCurve& curve : kernels.gemm) {
    if (curve.format == "fp8-block") curve.format = "fp8";
  }
  return kernels;
}

Status put_collective(const Row& row, const std::string& operation, const Cluster& cluster,
                      efficiency::Inputs& in) {
  constexpr std::array kNames = {"all_reduce", "all_gather", "reduce_scatter", "alltoall"};
  const auto it = std::find(kNames.begin(), kNames.end(), operation);
  if (it == kNames.end()) {
    return Error{ErrorCode::bad_value, "", fmt::format("no collective \"{}\"", operation), ""};
  }
  in.what = Operator::collective;
  in.op = static_cast<efficiency::Collective>(it - kNames.begin());
  if (const auto bytes = row.number("seq_or_bytes")) in.bytes = *bytes * byte;
  in.ranks = row.count("n_devices");
  in.link_bandwidth = cluster.intra_node_bandwidth;
  in.link_latency = cluster.intra_node_latency;
  return Ok{};
}

void put_sizes(const Row& row, const std::string& operation, efficiency::Inputs& in) {
  in.m = row.count("m");
  in.n = row.count("n");
  in.k = row.count("k");
  if (operation == "norm" || operation == "stream") {
    constexpr std::int64_t kLong = 1 << 16;  // a stream is as long as makes a launch nothing
    in.what = Operator::norm;
    in.m = row.count_or("m", kLong);
    in.n = row.count_or("n", operation == "stream" ? kLong : 1);
  }
  if (contains(operation, "attention")) {
    in.what = Operator::attention;
    in.phase = operation == "attention-decode" ? Phase::decode : Phase::prefill;
    in.batch_size = row.count_or("batch", 1);
    in.heads = row.count("heads");
    in.kv_heads = row.count("kv_heads");
    in.head_dim = row.count_or("head_dim", 128);
    in.seq_len = row.count("seq_or_bytes");
  }
}

Result<efficiency::Inputs> question_of(const Row& row, const std::string& operation,
                                       const std::string& device, const Registry& registry) {
  const std::int64_t ranks = row.count_or("n_devices", 1);
  auto found = registry.cluster(device, std::max<std::int64_t>(1, ranks));
  // Curves need no machine that joins the devices.
  if (!found && registry.kernels(device) != nullptr) found = registry.cluster(device, 1);
  RIDGELINE_TRY(const Cluster cluster, found);
  efficiency::Inputs in;
  in.hardware = cluster.device;
  const std::string_view name = operation == "stream" ? "" : row.text("dtype");
  const auto format = std::find_if(kFormats.begin(), kFormats.end(),
                                   [&](const Format& f) { return f.name == name; });
  if (format == kFormats.end()) {
    return Error{ErrorCode::bad_value, "", fmt::format("no number format \"{}\"", name), ""};
  }
  in.setting.precision = format->weights;
  in.setting.activation_precision = format->activations;
  put_sizes(row, operation, in);
  if (row.text("kind") == "collective-intranode") {
    RIDGELINE_CHECK(put_collective(row, operation, cluster, in));
  }
  return in;
}

// The time that was measured, from what the row gives of it.
std::optional<double> measured_s(const Row& row, const efficiency::Inputs& in,
                                 const efficiency::Output& out) {
  if (const auto ms = row.number("latency_ms"); ms && *ms > 0) return *ms * kMilli;
  const auto tflops = row.number("tflops"), gbytes = row.number("gbytes_per_s");
  if (out.achieved && tflops && *tflops > 0) {
    return (*out.achieved * out.time).base() / (*tflops * kTera);
  }
  if (out.achieved || !gbytes || *gbytes <= 0) return std::nullopt;
  const bool links = in.what == Operator::collective;
  const double peak = links ? in.link_bandwidth->base() : in.hardware.memory_bandwidth->base();
  return out.ideal.base() * peak / (*gbytes * kGiga);
}

struct Asked {
  const Row& row;
  std::string operation;
  Classes classes;
  Findings& out;

  const char* quantity() const { return operation == "stream" ? "bandwidth" : "latency"; }
  void skip(std::string reason) const {
    out.skipped.push_back({row.id(), classes, quantity(), std::move(reason)});
  }
};

void add_answer(const Asked& a, const efficiency::Inputs& in, const efficiency::Output& answer) {
  const std::optional<double> measured = measured_s(a.row, in, answer);
  if (!measured) return a.skip("it gives neither a time nor a rate");
  const double least = answer.ideal.base(), predicted = answer.time.base();
  if (*measured < least) {
    return a.skip(
        fmt::format("{:.4g} us is less than the {:.4g} us that the data sheet's rate takes",
                    *measured * 1e6, least * 1e6));
  }
  if (a.operation == "stream") {
    const double peak = in.hardware.memory_bandwidth->base();
    a.out.predictions.push_back({a.row.id(), a.classes, a.quantity(), peak * least / *measured,
                                 peak * least / predicted, answer.basis});
    return;
  }
  a.out.predictions.push_back(
      {a.row.id(), a.classes, a.quantity(), *measured, predicted, answer.basis});
}

void add_row(const Row& row, const Registry& registry, Findings& out) {
  const std::string device = device_of(row, registry), operation = operation_of(row);
  const Asked a{row, operation, classes_of(row, operation, registry.short_name(device)), out};
  if (std::string reason = why_not(row, operation); !reason.empty()) return a.skip(reason);
  auto question = question_of(row, operation, device, registry);
  if (!question) return a.skip(question.error().message);
  Kernels blocks;
  question->kernels = registry.kernels(device);
  if (row.text("dtype") == "fp8_block" && question->kernels != nullptr) {
    blocks = with_block_scales(*question->kernels);
    question->kernels = &blocks;
  }
  const auto checked = efficiency::check(*question);
  if (!checked) return a.skip(checked.error().message);
  add_answer(a, *checked, efficiency::solve(*checked).output);
}

}  // namespace

void add_microbench(const Table& table, const Registry& registry, Findings& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) add_row(Row(table, i), registry, out);
}

}  // namespace ridgeline::validate
