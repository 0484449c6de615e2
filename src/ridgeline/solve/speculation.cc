#include "ridgeline/solve/speculation.h"

#include <cmath>

namespace ridgeline::solve {

double accepted_tokens(double a, std::int64_t K) {
  const auto most = static_cast<double>(K + 1);
  return a == 1 ? most : (1 - std::pow(a, most)) / (1 - a);
}

physics::Replica draft_replica(const Service& s, const Totals& draft, const Hardware& hardware) {
  physics::Setting setting = s.setting;
  setting.decode_overhead = s.setting.draft_overhead;
  const LinkTree links = s.machine ? physics::links_of(*s.machine, s.setting) : LinkTree{};
  return physics::replica_of(draft, hardware, setting, links, {s.tp_size, s.pp_size});
}

Seconds draft_step(const physics::Replica& draft, double sequences, double context) {
  return physics::decode_step(draft, {.sequences = sequences, .context = context}).total();
}

physics::StepTime verify_step(const physics::Replica& model, double sequences, double context,
                              double tokens) {
  return physics::decode_step(model,
                              {.sequences = sequences, .context = context, .tokens = tokens});
}

}  // namespace ridgeline::solve
