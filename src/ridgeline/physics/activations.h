// Activations: the peak of one forward pass, and what training keeps for the backward pass.
//
// Forward, T tokens, b bytes per element, on one of tp ranks:
//   attention   b T (2 d + (q + k + v + o) / tp)                                            (1)
//   dense       b T (3 d + m f / tp)                                                        (2)
//   experts     b T (3 d + k etp/tp max(m f_e / etp, f_e / etp + d))                        (3)
//   logits      (b + 4) V per sequence, 4 for the fp32 copy that is sampled                 (4)
//   peak = max of (1)-(4): input and residual stay, what is inside one block comes and goes.
// Ours, by what is alive at once; (2) is within 1 % of two engine logs [vllm-10517].
//
// Training, bytes per token of one layer kept for the backward pass (b = 2: 34 d for GPT)
//   b (4 d + 2 H h + 2 H_k h + m f), and 2 d for masks with dropout      [korthikanti2022]  (5)
//   MLA: b (4 d + 2 H (n + r) + 2 H v + 2 q_r + 2 c + r)                                    (6)
//   experts: f = f_shared + k f_e, and b 2 k d for the copies that are sent and returned    (7)
//   GPT form: 34 S d (b/2) per sequence, 5 H S^2 more when scores are kept [korthikanti2022] (8)
// The 4 d and masks are divided by tp with sequence parallelism only, copies by tp / etp, the rest
// by tp.
// Block by block: only inputs of blocks (2 b d, whole layer: b d), and the largest block anew.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ridgeline/physics/weights.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/spec/precision.h"

namespace ridgeline::physics {

struct ForwardLoad {
  double tokens = 0;     // of one pass on the device
  double sequences = 0;  // whose logits are computed
  Precision precision = Precision::bf16;
  WeightSplit split;
};

// Peak bytes of a forward pass on a device that holds the layers; logits where the stage is last.
double forward_peak_bytes(const Model& model, const ForwardLoad& load, const StageLayers& stage);

enum class Recompute : std::uint8_t { none, selective, full, per_module, selective_op };
enum class AttentionKernel : std::uint8_t { flash, unfused };
enum class ActivationForm : std::uint8_t { lowered, gpt };

inline std::span<const char* const> names_of(Recompute) {
  static constexpr std::array<const char*, 5> kNames = {"none", "selective", "full", "per-module",
                                                        "selective-op"};
  return kNames;
}
inline std::span<const char* const> names_of(AttentionKernel) {
  static constexpr std::array<const char*, 2> kNames = {"flash", "unfused"};
  return kNames;
}
inline std::span<const char* const> names_of(ActivationForm) {
  static constexpr std::array<const char*, 2> kNames = {"lowered", "gpt"};
  return kNames;
}

// The shape numbers of the GPT form.
struct GptShape {
  double hidden = 0;
  double heads = 0;
};

struct TrainingLoad {
  double sequences = 0;  // of a micro-batch
  double tokens = 0;     // of one sequence on the device: S / cp
  double context = 0;    // keys that a query may meet: S
  double bytes = 2;      // of an element
  double tp = 1;
  double etp = 1;
  double mask_bytes = 0;  // of a block's dropout mask per token and unit of width; 0: no dropout
  bool sequence_parallel = true;
  Recompute recompute = Recompute::none;
  AttentionKernel kernel = AttentionKernel::flash;
};

// Kept per micro-batch, and in addition at once while one layer is computed anew.
struct KeptActivations {
  double stored = 0;
  double working = 0;
};
KeptActivations kept_by_layer(const LayerKind& kind, std::int64_t hidden, const TrainingLoad& load);
KeptActivations kept_by_gpt_layer(const GptShape& shape, const TrainingLoad& load);

}  // namespace ridgeline::physics
