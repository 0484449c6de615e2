#include "ridgeline/solve/pipeline.h"

#include <fmt/format.h>

#include "ridgeline/solve/checks.h"

namespace ridgeline::solve::pipeline {
namespace {

constexpr std::int64_t kMostStages = 100'000;  // rows of the answer

}  // namespace

Result<Inputs> check(const Inputs& in) {
  RIDGELINE_CHECK(check_count("pp", in.pp, 1));
  RIDGELINE_CHECK(check_count("microbatch_count", in.microbatch_count, 1));
  RIDGELINE_CHECK(check_count("v_stages", in.v_stages, 1));
  if (in.pp > kMostStages) {
    return out_of_range("pp", fmt::format("pp is {}", in.pp),
                        fmt::format("at most {}", kMostStages));
  }
  const bool chunked = in.pipeline_schedule == physics::Schedule::one_f_one_b ||
                       in.pipeline_schedule == physics::Schedule::interleaved;
  if (in.v_stages > 1 && !chunked) {
    return out_of_range("v_stages", "this schedule has one chunk per stage",
                        "1, or the schedule interleaved");
  }
  return in;
}

Answer<Output, Row> solve(const Inputs& in) {
  const physics::Pipeline p{in.pipeline_schedule, in.pp, in.microbatch_count, in.v_stages};
  const double over_ideal = physics::bubble_over_ideal(p);                      // (1)-(3)
  Answer<Output, Row> answer{{over_ideal, over_ideal / (1 + over_ideal)}, {}};  // (4)
  for (std::int64_t j = 0; j < in.pp; ++j)
    answer.rows.push_back({physics::in_flight(p, j)});  // (5)
  return answer;
}

}  // namespace ridgeline::solve::pipeline
