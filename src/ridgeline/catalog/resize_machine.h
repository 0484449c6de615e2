// A machine with another number of devices, as `--devices N` asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ridgeline/base/result.h"
#include "ridgeline/catalog/catalog.h"
#include "ridgeline/spec/machine.h"

namespace ridgeline::catalog {

// How copies of a registry machine are joined ("scale_out" of its entry), count left at 1; nothing
// when the entry does not say, or the name is an accelerator's.
Result<std::optional<Level>> scale_out_of(std::string_view name, const Catalog& catalog);

// `devices` of them: fewer shrink the outer levels first; more join as many copies as that needs,
// by `scale_out`, filled evenly where that comes out (256 of a 72-device node: 4 x 64). Else the
// outermost level is rounded up to whole members. The error has an empty `where`.
Result<Machine> resized(const Machine& machine, const std::optional<Level>& scale_out,
                        std::int64_t devices);

}  // namespace ridgeline::catalog
