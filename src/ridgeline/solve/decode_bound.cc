#include "ridgeline/solve/decode_bound.h"

#include <algorithm>

#include "ridgeline/physics/totals.h"
#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::decode_bound {

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_totals(in.model));
  RIDGELINE_CHECK(check_computes(in.model));
  RIDGELINE_CHECK(check_hardware(in.hardware));
  RIDGELINE_CHECK(check_setting(in.setting));
  RIDGELINE_CHECK(check_number("batch_size", in.batch_size, 1));
  RIDGELINE_CHECK(check_degree_of("tp_size", in.tp));
  RIDGELINE_CHECK(check_needed("hardware/memory_bandwidth", in.hardware.memory_bandwidth,
                               "every step reads main memory"));
  RIDGELINE_CHECK(check_rate(in.hardware, in.model, in.setting));
  return in;
}

Output solve(const Inputs& in) {
  const physics::ModelSums m = physics::sums_of(in.model, in.setting);
  const Precision format = physics::compute_precision(in.hardware, in.model, in.setting);
  const physics::Pace pace = physics::pace_of(in.hardware, in.setting, format);
  const auto B = static_cast<double>(in.batch_size), tp = static_cast<double>(in.tp);
  const Flops F = Flops::from_base(m.flop_per_unit * B);
  const Bytes Q = physics::touched_weights(m, B);
  Output out{.compute = F / (tp * pace.rate), .memory = Q / (tp * pace.bandwidth)};  // (1), (2)
  out.memory_share_fraction = out.memory / (out.memory + out.compute);               // (3)
  out.intensity_flop_per_byte = F.base() / Q.base();
  out.attainable = std::min(pace.rate, F / (Q / pace.bandwidth));  // (4)
  out.bound = out.memory > out.compute ? physics::TimeBound::memory : physics::TimeBound::compute;
  out.crossover_batch =
      m.weights / pace.bandwidth.base() / (m.flop_per_unit / pace.rate.base());  // (5)
  return out;
}

}  // namespace ridgeline::solve::decode_bound
