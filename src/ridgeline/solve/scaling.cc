#include "ridgeline/solve/scaling.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::scaling {
namespace {

double loss_of(const LossFit& f, double P, double D) {
  return f.irreducible + f.parameter_scale * std::pow(P, -f.parameter_exponent) +
         f.data_scale * std::pow(D, -f.data_exponent);  // (3)
}

// The tokens with which P parameters reach the loss; infinite where no number does.
double tokens_for(const LossFit& f, double P, double loss) {
  const double left = loss - f.irreducible - f.parameter_scale * std::pow(P, -f.parameter_exponent);
  return left > 0 ? std::pow(f.data_scale / left, 1 / f.data_exponent) : INFINITY;
}

double best_size(const LossFit& f, double C) {
  const double a = f.parameter_exponent, b = f.data_exponent;
  const double G = std::pow(a * f.parameter_scale / (b * f.data_scale), 1 / (a + b));
  return G * std::pow(C / 6, b / (a + b));  // (3)
}

// FLOP of training and serving are convex in log P at a fixed loss: golden-section search (4).
double best_size_with_inference(const LossFit& f, double loss, double P_train, double D_inf) {
  const auto cost = [&](double log_p) {
    const double P = std::exp(log_p);
    return 6 * P * tokens_for(f, P, loss) + 2 * P * D_inf;
  };
  const double least =
      std::pow(f.parameter_scale / (loss - f.irreducible), 1 / f.parameter_exponent);
  double low = std::log(least), high = std::log(P_train);
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kSteps = 200;  // each takes 0.618 of the interval: far below a double's resolution
  for (int i = 0; i < kSteps; ++i) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    (cost(a) <= cost(b) ? high : low) = cost(a) <= cost(b) ? b : a;
  }
  return std::exp((low + high) / 2);
}

Status check_fit(const LossFit& f) {
  RIDGELINE_CHECK(check_amount_or_zero("loss_irreducible", f.irreducible));
  RIDGELINE_CHECK(check_amount("loss_parameter_scale", f.parameter_scale));
  RIDGELINE_CHECK(check_amount("loss_data_scale", f.data_scale));
  constexpr double kSteepest = 10;
  for (const auto& [name, value] : {std::pair("loss_parameter_exponent", f.parameter_exponent),
                                    std::pair("loss_data_exponent", f.data_exponent)}) {
    RIDGELINE_CHECK(check_positive(name, value));
    if (value > kSteepest) {
      return out_of_range(name, fmt::format("{} is {}", name, value), "between 0 and 10");
    }
  }
  return Ok{};
}

Status fill_budget(Inputs& in) {
  if (in.compute_budget && in.device_time) {
    return conflict("device_time", "a compute budget and device time are given",
                    "keep one of them");
  }
  if (in.compute_budget) return Ok{};
  if (!in.device_time) {
    return missing("compute_budget", "no budget is given",
                   "give compute_budget, or device_time and rate");
  }
  if (!in.rate) return missing("rate", "the rate of a device is not known");
  in.compute_budget = in.mfu * *in.rate * *in.device_time;  // (1)
  return Ok{};
}

}  // namespace

Result<Inputs> check(const Inputs& given) {
  Inputs in = given;
  RIDGELINE_CHECK(check_amount("compute_budget", in.compute_budget));
  RIDGELINE_CHECK(check_amount("device_time", in.device_time));
  RIDGELINE_CHECK(check_amount("rate", in.rate));
  RIDGELINE_CHECK(check_share("mfu", in.mfu));
  RIDGELINE_CHECK(check_amount("target_parameters_count", in.target_parameters_count));
  RIDGELINE_CHECK(check_amount("tokens_per_parameter", in.tokens_per_parameter));
  RIDGELINE_CHECK(check_amount_or_zero("inference_tokens", in.inference_tokens));
  RIDGELINE_CHECK(check_fit(in.fit));
  RIDGELINE_CHECK(fill_budget(in));
  if (in.inference_tokens > 0 && in.form == Form::ratio) {
    return conflict("inference_tokens", "a ratio says nothing of the loss to keep",
                    "give form: loss");
  }
  return in;
}

Output solve(const Inputs& in) {
  const double C = in.compute_budget->base();
  const bool by_loss = in.form == Form::loss;
  double P = by_loss ? best_size(in.fit, C) : std::sqrt(C / (6 * in.tokens_per_parameter));  // (2)
  if (in.target_parameters_count) P = *in.target_parameters_count;
  double D = C / (6 * P);
  if (by_loss && in.inference_tokens > 0 && !in.target_parameters_count) {
    const double loss = loss_of(in.fit, P, D);
    P = best_size_with_inference(in.fit, loss, P, in.inference_tokens);  // (4)
    D = tokens_for(in.fit, P, loss);
  }
  Output out{.parameters_count = P, .tokens = D, .compute = Flops::from_base(6 * P * D)};
  out.tokens_per_parameter = D / P;
  if (by_loss) out.loss = loss_of(in.fit, P, D);
  if (in.inference_tokens > 0) {
    out.inference = Flops::from_base(2 * P * in.inference_tokens);
    out.lifetime = out.compute + *out.inference;
  }
  if (in.rate) out.device_time = out.compute / (in.mfu * *in.rate);
  return out;
}

}  // namespace ridgeline::solve::scaling
