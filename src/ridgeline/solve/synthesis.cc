#include "ridgeline/solve/synthesis.h"

#include <algorithm>

#include "ridgeline/solve/model_checks.h"

namespace ridgeline::solve::synthesis {
namespace {

// A device that does one FLOP and moves one byte a second: times on it are amounts of work.
Hardware unit_device() {
  Hardware out;
  out.rates.fill(FlopsPerSecond::from_base(1));
  out.memory_bandwidth = BytesPerSecond::from_base(1);
  out.memory_capacity = Bytes::from_base(1);
  return out;
}

single_node::Inputs pass_on(const Inputs& in, const Hardware& hardware) {
  return {.model = in.model,
          .hardware = hardware,
          .setting = in.setting,
          .batch_size = in.batch_size,
          .phase = in.phase,
          .seq_len = in.seq_len,
          .context_len = in.context_len,
          .activation_per_sample = in.activation_per_sample};
}

// Cheaper first, unknown prices last; of the same price the slower: no more than is asked for.
bool goes_before(const Device& a, const Device& b) {
  if (a.unit_cost.has_value() != b.unit_cost.has_value()) return a.unit_cost.has_value();
  if (a.unit_cost && *a.unit_cost != *b.unit_cost) return *a.unit_cost < *b.unit_cost;
  if (!(a.latency == b.latency)) return a.latency > b.latency;
  return a.name.view() < b.name.view();
}

std::vector<Device> passing(const Inputs& in) {
  std::vector<Device> out;
  for (const Candidate& one : in.candidates) {
    const auto pass = single_node::check(pass_on(in, one.hardware));
    if (!pass) continue;  // lacks the number format, or a memory that is known
    const single_node::Output made = single_node::solve(*pass);
    if (!made.feasible || made.latency > in.target_latency) continue;
    out.push_back({one.name, made.latency, made.memory_required / *one.hardware.memory_capacity,
                   one.hardware.unit_cost});
  }
  std::sort(out.begin(), out.end(), goes_before);
  return out;  // (4)
}

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_amount("target_latency", in.target_latency));
  const auto pass = single_node::check(pass_on(in, unit_device()));
  if (!pass) return pass.error();
  return in;
}

Answer<Output, Device> solve(const Inputs& in) {
  const single_node::Output work = single_node::solve(pass_on(in, unit_device()));
  const Seconds left = in.target_latency - work.overhead;  // (1)
  Answer<Output, Device> answer;
  Output& out = answer.output;
  out.required_memory = work.memory_required;
  out.candidates_count = static_cast<std::int64_t>(in.candidates.size());
  if (left <= Seconds{}) {
    out.feasible = false;
    out.reason = Reason::overhead;
    return answer;
  }
  out.required_bandwidth = BytesPerSecond::from_base(work.memory / left);  // (2)
  out.required = FlopsPerSecond::from_base(work.compute / left);
  if (work.memory > Seconds{}) out.balance_flop_per_byte = work.compute / work.memory;  // (3)
  answer.rows = passing(in);
  out.passing_count = static_cast<std::int64_t>(answer.rows.size());
  return answer;
}

}  // namespace ridgeline::solve::synthesis
