// The list of solvers: name, card, and what checks and solves. A new solver is one line here.
#pragma once

#include <tuple>

#include "ridgeline/solve/distributed.h"
#include "ridgeline/solve/serving.h"
#include "ridgeline/solve/single_node.h"

namespace ridgeline::solve {

template <class I, class Check, class Solve>
struct Solver {
  using Inputs = I;
  const char* name;  // kebab-case, as after `ridgeline solve`
  const char* card;
  Check check;  // Result<Inputs>(const Inputs&), or with a Subject
  Solve solve;  // Output or Answer<Output, Row> (const Inputs&), or with a Subject
};

template <class I, class... More, class Solve>
constexpr auto solver(const char* name, const char* card,
                      Result<I> (*check)(const I&, const More&...), Solve solve) {
  return Solver<I, decltype(check), Solve>{name, card, check, solve};
}

inline constexpr auto kSolvers = std::tuple(
    solver("single-node", single_node::kCard, single_node::check, single_node::solve),
    solver("serving", serving::kCard, serving::check, serving::solve),
    solver("distributed", distributed::kCard, distributed::check, distributed::solve));

template <class F>
constexpr void for_each_solver(F&& f) {
  std::apply([&](const auto&... solvers) { (f(solvers), ...); }, kSolvers);
}

}  // namespace ridgeline::solve
