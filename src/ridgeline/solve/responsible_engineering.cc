#include "ridgeline/solve/responsible_engineering.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"
#include "ridgeline/solve/renyi.h"

namespace ridgeline::solve::responsible_engineering {
namespace {

// Per-sample gradients are written once and read twice.
double lowered_factor(const single_node::Inputs& pass) {
  constexpr double kTimes = 3;
  const physics::ModelSums sums = physics::sums_of(pass.model, pass.setting);
  const physics::Pace pace =
      physics::pace_of(pass.hardware, pass.setting,
                       physics::compute_precision(pass.hardware, pass.model, pass.setting));
  const Bytes gradients = Bytes::from_base(static_cast<double>(pass.batch_size) *
                                           pass.model.params * sums.activation_width);
  return 1 + kTimes * gradients / pace.bandwidth / single_node::solve(pass).latency;  // (2)
}

Status check_noise(const Inputs& in) {
  constexpr double kLeast = 1e-3, kMost = 1e6;
  if (!(*in.noise_multiplier >= kLeast && *in.noise_multiplier <= kMost)) {
    return out_of_range("noise_multiplier",
                        fmt::format("noise_multiplier is {}", *in.noise_multiplier),
                        fmt::format("from {} to {}", kLeast, kMost));
  }
  return Ok{};
}

Status check_delta(double delta) {
  if (delta > 0 && delta < 1) return Ok{};
  return out_of_range("delta", fmt::format("delta is {}", delta), "between 0 and 1");
}

Status check_privacy(const Inputs& in) {
  RIDGELINE_CHECK(check_delta(in.delta));
  if (in.noise_multiplier) RIDGELINE_CHECK(check_noise(in));
  RIDGELINE_CHECK(check_share("sample_rate", in.sample_rate));
  RIDGELINE_CHECK(check_number("steps", in.steps, 1));
  if (!in.noise_multiplier && !in.sample_rate && !in.steps) return Ok{};
  if (!in.noise_multiplier) return missing("noise_multiplier", "epsilon follows from the noise");
  if (!in.sample_rate) return missing("sample_rate", "epsilon depends on the share of a batch");
  if (!in.steps) return missing("steps", "every step spends privacy");
  return Ok{};
}

Status check_group(const Inputs& in) {
  RIDGELINE_CHECK(check_share("min_subgroup_prevalence", in.min_subgroup_prevalence));
  RIDGELINE_CHECK(check_amount("examples_needed", in.examples_needed));
  RIDGELINE_CHECK(check_amount_or_zero("confidence_z", in.confidence_z));
  if (in.min_subgroup_prevalence.has_value() == in.examples_needed.has_value()) return Ok{};
  return missing(in.examples_needed ? "min_subgroup_prevalence" : "examples_needed",
                 "the share of a group and its examples go together");
}

bool asks_nothing(const Inputs& in) {
  return !in.noise_multiplier && !in.examples_needed && !in.per_sample_gradient_factor &&
         !is_given(in.pass.model);
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  in.pass.phase = Pass::train;
  RIDGELINE_CHECK(check_privacy(in));
  if (in.per_sample_gradient_factor) {
    RIDGELINE_CHECK(check_multiple("per_sample_gradient_factor", *in.per_sample_gradient_factor));
  }
  RIDGELINE_CHECK(check_group(in));
  if (asks_nothing(in)) {
    return missing("noise_multiplier", "neither privacy nor a group is asked about",
                   "noise_multiplier, sample_rate and steps; or examples_needed and "
                   "min_subgroup_prevalence");
  }
  if (is_given(in.pass.model)) {
    RIDGELINE_TRY(in.pass, single_node::check(in.pass));
    RIDGELINE_CHECK(check_amount("model/parameters_count", in.pass.model.params));
  }
  return in;
}

Output solve(const Inputs& in) {
  Output out;
  if (in.noise_multiplier) {
    const Privacy privacy = privacy_of({*in.noise_multiplier, *in.sample_rate},
                                       static_cast<double>(*in.steps), in.delta);  // (1)
    out.epsilon = privacy.epsilon;
    out.order = privacy.order;
  }
  if (in.per_sample_gradient_factor) {
    out.time_factor = in.per_sample_gradient_factor;
  } else if (is_given(in.pass.model)) {
    out.time_factor = lowered_factor(in.pass);
  }
  if (in.examples_needed) {
    const double n = *in.examples_needed;
    out.samples_needed = (n + in.confidence_z * std::sqrt(n)) / *in.min_subgroup_prevalence;  // (3)
  }
  return out;
}

}  // namespace ridgeline::solve::responsible_engineering
