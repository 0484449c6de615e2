#include "ridgeline/base/result.h"

namespace ridgeline {

const char* to_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "usage";
    case ErrorCode::unknown_name: return "unknown_name";
    case ErrorCode::unknown_key: return "unknown_key";
    case ErrorCode::bad_value: return "bad_value";
    case ErrorCode::out_of_range: return "out_of_range";
    case ErrorCode::wrong_unit: return "wrong_unit";
    case ErrorCode::missing: return "missing";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::io: return "io";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

}  // namespace ridgeline
