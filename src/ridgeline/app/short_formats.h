// w4a16, w8a16: weights in 4 or 8 bits, computed with in 16.
#pragma once

#include "ridgeline/app/request.h"

namespace ridgeline::app {

// The request with such a `precision`, at any depth outside the model, written out as int4 or int8
// with an activation precision of bf16, unless it gives one.
Request with_short_formats(Request request);

}  // namespace ridgeline::app
