// Number formats and the context limit of a model's config.
#pragma once

#include <cstdint>

#include "ridgeline/catalog/families.h"

namespace ridgeline::catalog {

// The model's own limit in tokens, scaled rotary embeddings included; 0 when it states none.
std::int64_t read_max_context(Draft& draft);

// weight_precision and quantization.
void read_formats(Draft& draft);

}  // namespace ridgeline::catalog
