#include "ridgeline/app/field_symbols.h"

#include <array>
#include <string_view>

#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

struct Named {
  std::string_view stem;
  const char* symbol;
};
constexpr std::array kNamed = {Named{"bw_hbm", "B_h"},
                               Named{"memory_bandwidth", "B_h"},
                               Named{"peak_tflops_f16", "F"},
                               Named{"peak_f16", "F"},
                               Named{"bw_intra", "beta_cube"},
                               Named{"alpha_intra", "alpha_cube"},
                               Named{"bw_inter", "beta_sip"},
                               Named{"alpha_inter", "alpha_sip"},
                               Named{"bw_intersip", "beta_system"},
                               Named{"alpha_intersip", "alpha_system"},
                               Named{"compute_util", "u"},
                               Named{"vector_fraction", "nu"},
                               Named{"pes_per_cube", "P"},
                               Named{"sips", "N"},
                               Named{"tree_max", "M_t"},
                               Named{"cp", "CP"},
                               Named{"tp", "TP"},
                               Named{"pp", "PP"},
                               Named{"dp", "DP"},
                               Named{"ep", "EP"},
                               Named{"context", "S"},
                               Named{"batch", "batch"},
                               Named{"precision", "b_w"},
                               Named{"kv_precision", "b_kv"},
                               Named{"activation_precision", "b_a"}};

}  // namespace

std::string symbol_of(const ScalarField& field, const Machine& machine) {
  for (const Named& named : kNamed) {
    if (named.stem == field.stem) return named.symbol;
  }
  const bool link = field.path.find(".link.") != std::string::npos;
  if (!link || machine.kind == MachineKind::chiplet) return "";
  const std::string& level = machine.levels[static_cast<std::size_t>(field.level)].name;
  if (field.stem == "bandwidth") return "beta_" + level;
  return field.stem == "latency" ? "alpha_" + level : "";
}

std::string unit_text(const ScalarField& field) {
  if (field.dim == Dim{} || field.kind == ScalarKind::choice) return "";
  const std::string one = format_quantity(field.unit, field.dim);  // "1 GB/s"
  const std::size_t space = one.find(' ');
  return space == std::string::npos ? "" : one.substr(space + 1);
}

}  // namespace ridgeline::app
