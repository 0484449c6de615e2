// The model that a row of measurements describes.
#pragma once

#include "ridgeline/base/result.h"
#include "ridgeline/spec/model.h"
#include "ridgeline/validate/registry.h"
#include "ridgeline/validate/table.h"

namespace ridgeline::validate {

// From the row's own widths where it has them and they say all; else the registry's model of that
// name, cut to the row's layers where it has fewer.
Result<Model> model_of_row(const Row& row, const Registry& registry);

// The first `layers` layers; of a model whose first layers are dense, `dense` of them.
Model cut_to(Model model, std::int64_t layers, std::optional<std::int64_t> dense);

}  // namespace ridgeline::validate
