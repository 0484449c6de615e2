#include "ridgeline/solve/zero_sharding.h"

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::zero_sharding {
namespace {

training_memory::Inputs states_of(const Inputs& in) {
  training_memory::Inputs states;
  states.precision = in.precision;
  states.optimizer = in.optimizer;
  return states;
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("parameters_count", in.params));
  RIDGELINE_CHECK(check_degree_of("devices", in.devices));
  const Totals totals{.params = in.params};
  const auto states = training_memory::check(states_of(in), Subject{.totals = &totals});
  if (!states) return states.error();  // number formats in which nothing is trained
  return in;
}

Output solve(const Inputs& in) {
  const auto n = static_cast<double>(in.devices);
  const double b = bytes_per_element(in.precision);
  const double w = in.params * b, g = w;
  const double o = in.params * training_memory::optimizer_bytes_per_param(states_of(in));  // (1)
  Output out{.weights = w * byte, .gradients = g * byte, .optimizer = o * byte};
  for (const double bytes : {w + g + o, w + g + o / n, w + (g + o) / n, (w + g + o) / n}) {
    out.stage_bytes.push_back(bytes);  // (2)
  }
  for (const double multiple : {1.0, 1.0, 1.0, 1.5})
    out.traffic_multiple.push_back(multiple);  // (3)
  return out;
}

}  // namespace ridgeline::solve::zero_sharding
