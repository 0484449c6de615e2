#include "ridgeline/explore/collect.h"

#include <algorithm>

#include "ridgeline/explore/pareto.h"

namespace ridgeline::explore {
namespace {

std::vector<std::size_t> front_indices(const Problem& problem, std::span<const Row> rows) {
  std::vector<double> values;
  values.reserve(rows.size() * problem.objectives.size());
  for (const Row& row : rows) {
    for (const Objective& o : problem.objectives) values.push_back(objective_value(row, o));
  }
  return pareto_front(values, problem.objectives.size());
}

bool equal_objectives(const Problem& problem, const Row& a, const Row& b) {
  return std::all_of(problem.objectives.begin(), problem.objectives.end(), [&](const Objective& o) {
    return objective_value(a, o) == objective_value(b, o);
  });
}

}  // namespace

std::vector<Row> front_of_site(const Problem& problem, std::vector<Row> rows) {
  std::sort(rows.begin(), rows.end(),
            [&](const Row& a, const Row& b) { return faster_plan(problem, a, b); });
  std::vector<Row> out;
  for (const std::size_t i : front_indices(problem, rows)) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const Row& kept) {
      return equal_objectives(problem, kept, rows[i]);
    });
    if (!known) out.push_back(rows[i]);
  }
  return out;
}

bool Collector::top_before(const Row& a, const Row& b) const {
  if (problem_.space->pick == Pick::fewest_devices) {
    if (smaller_plan(problem_, a, b)) return true;
    if (smaller_plan(problem_, b, a)) return false;
  }
  return better_row(problem_, a, b);
}

void Collector::offer_best(const Row& row) {
  if (!best_ || better_row(problem_, row, *best_)) best_ = row;
}

void Collector::offer_top(const Row& row) {
  const auto before = [this](const Row& a, const Row& b) { return top_before(a, b); };
  if (options_.top <= 0) return;
  if (top_.size() == static_cast<std::size_t>(options_.top)) {
    if (!before(row, top_.front())) return;
    std::pop_heap(top_.begin(), top_.end(), before);
    top_.pop_back();
  }
  top_.push_back(row);
  std::push_heap(top_.begin(), top_.end(), before);
}

void Collector::offer_front(std::span<const Row> front_of_site) {
  constexpr std::size_t kAtLeast = 1024;
  front_.insert(front_.end(), front_of_site.begin(), front_of_site.end());
  if (front_.size() > 2 * thinned_size_ + kAtLeast) thin_front();
}

void Collector::offer_site(const Row& row) {
  if (options_.per_hardware) sites_.push_back(row);
}

const Row* Collector::worst_kept() const {
  if (options_.top <= 0) return best_ ? &*best_ : nullptr;
  return top_.size() == static_cast<std::size_t>(options_.top) ? &top_.front() : nullptr;
}

std::span<const Row> Collector::front() {
  thin_front();
  return front_;
}

void Collector::thin_front() {
  if (front_.size() == thinned_size_) return;
  std::vector<Row> kept;
  for (const std::size_t i : front_indices(problem_, front_)) kept.push_back(front_[i]);
  front_ = std::move(kept);
  thinned_size_ = front_.size();
}

void Collector::finish(Exploration& out) {
  const auto less = [this](const Row& a, const Row& b) { return row_less(problem_, a, b); };
  thin_front();
  std::sort(front_.begin(), front_.end(), less);
  std::sort(sites_.begin(), sites_.end(), less);
  std::sort(top_.begin(), top_.end(),
            [this](const Row& a, const Row& b) { return top_before(a, b); });
  if (best_) out.best.push_back(point_of(problem_, *best_));
  const auto move = [this](const std::vector<Row>& from, std::vector<Point>& to) {
    to.reserve(from.size());
    for (const Row& row : from) to.push_back(point_of(problem_, row));
  };
  move(front_, out.pareto);
  move(sites_, out.per_hardware);
  move(top_, out.top);
}

}  // namespace ridgeline::explore
