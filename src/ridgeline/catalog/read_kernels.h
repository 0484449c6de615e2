// Kernel curves of an accelerator, from data/kernels/.
#pragma once

#include <optional>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/spec/kernels.h"

namespace ridgeline::catalog {

// Nothing where the registry has none. Errors name the field.
Result<std::optional<Kernels>> kernels_of(const Catalog& catalog, std::string_view accelerator);

}  // namespace ridgeline::catalog
