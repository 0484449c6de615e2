// GGUF: which block format each tensor of a model gets under a file type.
//
// The rules are those of llama-quantize [llama-cpp], for files made with its defaults; the i-quants
// are made with an importance matrix, as they require one. Norms, biases and routers stay fp32.
#pragma once

#include "ridgeline/physics/weights.h"
#include "ridgeline/spec/gguf.h"
#include "ridgeline/spec/model.h"

namespace ridgeline::physics {

WeightBits gguf_bits(const Model& model, GgufFile file);

}  // namespace ridgeline::physics
