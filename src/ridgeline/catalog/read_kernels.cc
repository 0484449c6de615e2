#include "ridgeline/catalog/read_kernels.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "ridgeline/catalog/entry_json.h"

namespace ridgeline::catalog {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of one curve; the first that is missing or no amount is remembered.
class CurveReader {
 public:
  CurveReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  double amount(const char* key) {
    const auto it = json_.find(key);
    if (it == json_.end()) return fail(key, "is missing");
    return checked(key, *it);
  }
  double amount_or(const char* key, double fallback) {
    const auto it = json_.find(key);
    return it == json_.end() || it->is_null() ? fallback : checked(key, *it);
  }
  std::string text(const char* key) {
    const auto it = json_.find(key);
    if (it != json_.end() && it->is_string()) return it->get<std::string>();
    fail(key, "is no text");
    return "";
  }
  Seconds microseconds(const char* key) { return amount(key) * microsecond; }
  FitError error() {
    constexpr double kPercent = 0.01;
    return {static_cast<std::int64_t>(amount("rows")), kPercent * amount("median_error_percent"),
            kPercent * amount("p90_error_percent")};
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  double fail(const char* key, const char* what) {
    if (!problem_) {
      problem_ = Error{ErrorCode::bad_value, fmt::format("{}/{}", where_, key),
                       fmt::format("{} {}", key, what), "a number from 0 on"};
    }
    return 0;
  }
  double checked(const char* key, const Json& value) {
    const bool fine =
        value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
    return fine ? value.get<double>() : fail(key, "is no amount");
  }

  const Json& json_;
  std::string where_;
  std::optional<Error> problem_;
};

GemmCurve read_gemm(CurveReader& in) {
  GemmCurve out;
  out.format = in.text("format");
  out.peak = in.amount("peak_tflops") * teraflop_per_second;
  out.weight_bytes = in.amount("weight_bytes");
  out.activation_bytes = in.amount("activation_bytes");
  out.launch = in.microseconds("launch_us");
  out.compute_share = in.amount("compute_share");
  out.memory_share = in.amount("memory_share");
  out.smooth = in.text("form") != "F1";
  out.k_fill = in.amount_or("k_fill", 0);
  out.unit_stream = in.amount_or("unit_stream_gb_s", 0) * gigabyte_per_second;
  out.requant_bytes = in.amount_or("requant_bytes", 0);
  out.large = in.amount("large_tflops") * teraflop_per_second;
  out.weight_stream = in.amount("weight_stream_gb_s") * gigabyte_per_second;
  out.error = in.error();
  return out;
}

AttentionCurve read_attention(const Json& json, CurveReader& in) {
  constexpr double kTera = 1e12;
  AttentionCurve out;
  out.decodes = in.text("phase") == "decode";
  out.latent = json.value("latent", false);
  out.launch = in.microseconds("launch_us");
  out.compute_share = in.amount("compute_share");
  out.memory_share = in.amount("memory_share");
  out.tile_wave = in.amount_or("tile_wave_us", 0) * microsecond;
  out.softmax_rate = in.amount_or("softmax_texp_s", 0) * kTera;
  out.error = in.error();
  return out;
}

ExpertCurve read_experts(CurveReader& in) {
  ExpertCurve out;
  out.format = in.text("format");
  out.skewed = in.text("routing") == "skewed";
  out.peak = in.amount("peak_tflops") * teraflop_per_second;
  out.weight_bytes = in.amount("weight_bytes");
  out.launch = in.microseconds("launch_us");
  out.compute_share = in.amount("compute_share");
  out.memory_share = in.amount("memory_share");
  out.permute_passes = in.amount_or("permute_passes", 0);
  out.routing_skew = in.amount_or("routing_skew", 1);
  out.hot_rank_factor = in.amount_or("hot_rank_factor", 1);
  out.error = in.error();
  return out;
}

CollectiveCurve read_collective(CurveReader& in) {
  CollectiveCurve out;
  out.op = in.text("op");
  out.implementation = in.text("implementation");
  out.base = in.microseconds("alpha_us");
  out.per_peer = in.microseconds("alpha_per_peer_us");
  out.bus_bandwidth = in.amount("bus_bandwidth_gb_s") * gigabyte_per_second;
  out.most_devices = static_cast<std::int64_t>(in.amount("most_devices"));
  out.error = in.error();
  return out;
}

template <class Curve, class Read>
Status read_list(const Json& json, const char* key, std::vector<Curve>& out, Read read) {
  const auto list = json.find(key);
  if (list == json.end()) return Ok{};
  for (std::size_t i = 0; i < list->size(); ++i) {
    CurveReader in((*list)[i], fmt::format("/{}/{}", key, i));
    out.push_back(read((*list)[i], in));
    if (in.problem()) return *in.problem();
  }
  return Ok{};
}

}  // namespace

Result<std::optional<Kernels>> kernels_of(const Catalog& catalog, std::string_view accelerator) {
  const auto entry = catalog.find(EntryKind::kernel, accelerator);
  if (!entry) return std::optional<Kernels>{};
  RIDGELINE_TRY(const Json json, entry_json(**entry));
  Kernels out;
  out.name = (*entry)->name;
  CurveReader in(json, "");
  out.bandwidth = in.amount("memory_bandwidth_gb_s") * gigabyte_per_second;
  out.units = static_cast<std::int64_t>(in.amount("compute_units"));
  if (in.problem()) return *in.problem();
  const auto gemm = [](const Json&, CurveReader& r) { return read_gemm(r); };
  const auto experts = [](const Json&, CurveReader& r) { return read_experts(r); };
  const auto collective = [](const Json&, CurveReader& r) { return read_collective(r); };
  RIDGELINE_CHECK(read_list(json, "gemm", out.gemm, gemm));
  RIDGELINE_CHECK(read_list(json, "attention", out.attention, read_attention));
  RIDGELINE_CHECK(read_list(json, "experts", out.experts, experts));
  RIDGELINE_CHECK(read_list(json, "collectives", out.collectives, collective));
  return std::optional<Kernels>(std::move(out));
}

}  // namespace ridgeline::catalog
