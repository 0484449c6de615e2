#include "ridgeline/solve/compression.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::compression {
namespace {

double base_bits(const Inputs& in) {
  return 8 * bytes_per_element(in.baseline_precision);
}

double pruned_bits(const Inputs& in) {
  const double kept = base_bits(in) * (1 - *in.sparsity);
  switch (in.sparsity_type) {
    case Sparsity::unstructured: return kept + 1;
    case Sparsity::n_m:
      return kept + std::ceil(std::log2(static_cast<double>(in.sparsity_m))) * (1 - *in.sparsity);
    case Sparsity::structured: break;
  }
  return kept;  // (2)
}

double bits_after(const Inputs& in) {
  if (in.method == Method::pruning) return pruned_bits(in);
  if (!in.group_size) return in.target_bitwidth;
  return in.target_bitwidth + in.scale_bits / static_cast<double>(*in.group_size);  // (1)
}

// The pass with weights of so many bits, or of the model as it was.
single_node::Inputs pass_of(const Inputs& in, std::optional<double> bits) {
  single_node::Inputs out;
  out.model = *in.model;
  out.hardware = *in.hardware;
  out.setting.activation_precision = in.baseline_precision;
  out.setting.precision = in.baseline_precision;
  out.setting.efficiency = in.efficiency;
  out.setting.bits_per_weight = bits;
  out.phase = in.phase;
  out.batch_size = in.batch_size;
  out.seq_len = in.seq_len;
  out.context_len = in.context_len;
  return out;
}

// What pruning spares of the arithmetic.
double less_arithmetic(const Inputs& in) {
  if (in.method == Method::quantization) return 1;
  if (in.sparsity_type == Sparsity::structured) return 1 - *in.sparsity;
  const bool two_of_four =
      in.sparsity_type == Sparsity::n_m && in.sparsity_n == 2 && in.sparsity_m == 4;
  return two_of_four ? 1 / in.sparse_speedup : 1;
}

double speedup(const Inputs& in) {
  single_node::Inputs after = pass_of(in, bits_after(in));
  const double flop = after.model.flop_per_unit.value_or(2 * after.model.active());
  after.model.flop_per_unit = less_arithmetic(in) * flop;
  const Seconds before = single_node::solve(pass_of(in, base_bits(in))).latency;
  return before / single_node::solve(after).latency;  // (4)
}

Status fill_sparsity(Inputs& in) {
  constexpr std::int64_t kMostGroup = 1024;
  RIDGELINE_CHECK(check_count("sparsity_m", in.sparsity_m, 2, kMostGroup));
  RIDGELINE_CHECK(check_count("sparsity_n", in.sparsity_n, 1, in.sparsity_m));
  const double of_pattern =
      1 - static_cast<double>(in.sparsity_n) / static_cast<double>(in.sparsity_m);
  const bool patterned = in.sparsity_type == Sparsity::n_m;
  if (!in.sparsity) in.sparsity = patterned ? of_pattern : 0.5;
  if (!(*in.sparsity >= 0 && *in.sparsity < 1)) {
    return out_of_range("sparsity", fmt::format("sparsity is {}", *in.sparsity),
                        "from 0 to below 1");
  }
  if (patterned && in.method == Method::pruning && *in.sparsity != of_pattern) {
    return conflict("sparsity",
                    fmt::format("{} of {} kept is a sparsity of {}, not {}", in.sparsity_n,
                                in.sparsity_m, of_pattern, *in.sparsity),
                    "leave sparsity out, or change sparsity_n and sparsity_m");
  }
  return Ok{};
}

Status fill_params(Inputs& in) {
  if (in.model && in.params) {
    return conflict("parameters_count", "a model and its parameters are given", "keep one of them");
  }
  RIDGELINE_CHECK(check_amount("parameters_count", in.params));
  if (in.params) return Ok{};
  if (!in.model)
    return missing("parameters_count", "nothing says how many weights there are",
                   "give parameters_count, or a model");
  RIDGELINE_CHECK(check_totals(*in.model));
  if (in.model->params <= 0) {
    return missing("model/parameters_count", "the number of parameters is not known");
  }
  in.params = in.model->params;
  return Ok{};
}

Status check_speed(const Inputs& in) {
  RIDGELINE_CHECK(check_multiple("sparse_speedup", in.sparse_speedup));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_number("seq_len", in.seq_len, 1));
  RIDGELINE_CHECK(check_number("context_len", in.context_len, 0));
  if (in.efficiency) RIDGELINE_CHECK(check_share("efficiency", *in.efficiency));
  if (!in.hardware) return Ok{};
  RIDGELINE_CHECK(check_hardware(*in.hardware));
  if (!in.model) return Ok{};
  const auto pass = single_node::check(pass_of(in, bits_after(in)));
  if (!pass) return pass.error();
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  constexpr double kWidest = 16;
  if (!(in.target_bitwidth >= 1 && in.target_bitwidth <= kWidest)) {
    return out_of_range("target_bitwidth", fmt::format("target_bitwidth is {}", in.target_bitwidth),
                        "from 1 to 16");
  }
  RIDGELINE_CHECK(check_number("group_size", in.group_size, 1));
  RIDGELINE_CHECK(check_amount_or_zero("scale_bits", in.scale_bits));
  RIDGELINE_CHECK(fill_sparsity(in));
  RIDGELINE_CHECK(fill_params(in));
  RIDGELINE_CHECK(check_speed(in));
  return in;
}

Output solve(const Inputs& in) {
  const double before = base_bits(in), after = bits_after(in);
  Output out{.original = *in.params * before / 8 * byte,
             .compressed = *in.params * after / 8 * byte};
  out.ratio = before / after;  // (3)
  out.memory_savings_fraction = 1 - after / before;
  out.bits_per_weight = after;
  if (in.hardware && in.hardware->memory_capacity) {
    out.fits_before = out.original <= *in.hardware->memory_capacity;
    out.fits_after = out.compressed <= *in.hardware->memory_capacity;
  }
  if (in.hardware && in.model) out.speedup = speedup(in);
  return out;
}

}  // namespace ridgeline::solve::compression
