#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "ridgeline/base/fields.h"
#include "ridgeline/base/result.h"
#include "ridgeline/base/units.h"

namespace ridgeline::solve::scaling {

inline constexpr char kCard[] = R"(
How large a model, on how many tokens, makes the most of a compute budget?

Equations
  (1) C = 6 P D                          training FLOP; or device time x rate x MFU  [kaplan2020]
  (2) ratio: D = r P,  P = sqrt(C/(6 r)); P pinned: D = C/(6 P)                   [hoffmann2022]
  (3) loss:  L = E + A P^-alpha + B D^-beta                     [hoffmann2022] [besiroglu2024]
      P* = G (C/6)^(beta/(alpha + beta)),  G = (alpha A/(beta B))^(1/(alpha + beta)),
      D* = C/(6 P*)
  (4) with inference of D_inf tokens: the P that minimises 6 P D + 2 P D_inf at the loss that (3)
      reaches with C, D from (3)                                                  [sardana2024]
Assumes     dense models; the fits' data, tokenizer and training recipe. Defaults are the refit of
            [besiroglu2024]: E 1.8172, A 482.01, B 2085.43, alpha 0.3478, beta 0.3658.
Leaves out  data that runs out, experts, sparsity; attention FLOP.
Trust       P* has a gradient of zero; inference makes the best model smaller, trained for longer.
)";

enum class Form : std::uint8_t { ratio, loss };

inline std::span<const char* const> names_of(Form) {
  static constexpr std::array<const char*, 2> kNames = {"ratio", "loss"};
  return kNames;
}

// L = E + A P^-alpha + B D^-beta.
struct LossFit {
  double irreducible = 1.8172, parameter_scale = 482.01, data_scale = 2085.43;
  double parameter_exponent = 0.3478, data_exponent = 0.3658;

  static constexpr auto fields() {
    return std::tuple(
        field(&LossFit::irreducible, "loss_irreducible", "E", "loss of endless size and data"),
        field(&LossFit::parameter_scale, "loss_parameter_scale", "A", "of the parameters' term"),
        field(&LossFit::data_scale, "loss_data_scale", "B", "of the tokens' term"),
        field(&LossFit::parameter_exponent, "loss_parameter_exponent", "alpha",
              "of the parameters' term"),
        field(&LossFit::data_exponent, "loss_data_exponent", "beta", "of the tokens' term"));
  }
};

struct Inputs {
  std::optional<Flops> compute_budget;
  std::optional<Seconds> device_time;
  std::optional<FlopsPerSecond> rate;
  double mfu = 0.4;
  std::optional<double> target_parameters_count;
  double tokens_per_parameter = 20;
  Form form = Form::ratio;
  double inference_tokens = 0;
  LossFit fit;

  static constexpr auto fields() {
    return std::tuple(
        field(&Inputs::compute_budget, "compute_budget", "C", "FLOP of the training"),
        field(&Inputs::device_time, "device_time", "", "in its place: devices x time"),
        field(&Inputs::rate, "rate", "", "dense peak of a device"),
        field(&Inputs::mfu, "mfu", "MFU", "share of the peak that is reached"),
        field(&Inputs::target_parameters_count, "target_parameters_count", "P",
              "a size that is settled"),
        field(&Inputs::tokens_per_parameter, "tokens_per_parameter", "r", "of the ratio form"),
        field(&Inputs::form, "form", "", "ratio, or the loss that a fit predicts"),
        field(&Inputs::inference_tokens, "inference_tokens", "D_inf",
              "that the model will serve, loss form"),
        flat(&Inputs::fit));
  }
};

struct Output {
  double parameters_count = 0;
  double tokens = 0;
  Flops compute;
  double tokens_per_parameter = 0;
  std::optional<double> loss;
  std::optional<Flops> inference, lifetime;
  std::optional<Seconds> device_time;

  static constexpr auto fields() {
    return std::tuple(
        field(&Output::parameters_count, "parameters_count", "P", "of the best model"),
        field(&Output::tokens, "tokens", "D", "to train it on"),
        field(&Output::compute, "compute", "6 P D", "of the training"),
        field(&Output::tokens_per_parameter, "tokens_per_parameter", "D/P", "of the best model"),
        field(&Output::loss, "loss", "L", "that the fit predicts"),
        field(&Output::inference, "inference", "2 P D_inf", "of all that it serves"),
        field(&Output::lifetime, "lifetime", "", "training and inference"),
        field(&Output::device_time, "device_time", "", "of the training, at the rate and MFU"));
  }
};

// Fills the budget from device time.
Result<Inputs> check(const Inputs& in);

// Pure and allocation-free. REQUIRES: `in` came from check().
Output solve(const Inputs& in);

}  // namespace ridgeline::solve::scaling
