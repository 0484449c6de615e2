// PlanTable: the plans of one hardware group and workload, lowered, in tiles for the kernels.
//
// Plans that cannot be placed, that no point's memory holds or that a constraint forbids are
// counted and dropped. The others lie in buckets by the capacities of the points: a point takes
// whole buckets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ridgeline/explore/collect.h"
#include "ridgeline/explore/hardware.h"
#include "ridgeline/explore/kernels.h"
#include "ridgeline/explore/problem.h"
#include "ridgeline/explore/workers.h"
#include "ridgeline/physics/cost.h"

namespace ridgeline::explore {

// Up to kTile plans of one bucket.
class Tile {
 public:
  Tile(std::size_t bucket, std::size_t slots, std::size_t levels);

  std::size_t bucket() const { return bucket_; }
  std::size_t count() const { return count_; }
  TileView view() const;

  // What pairs are judged by, per plan.
  std::uint32_t plan(std::size_t i) const { return plans_[i]; }
  const double* memory() const { return column(2 * slots_ + 2 * levels_); }
  const double* devices() const { return memory() + kPitch; }
  const double* energy() const { return memory() + 2 * kPitch; }

  struct Entry {
    std::uint32_t plan;
    double memory, devices, energy;
    const physics::Separable* work;
  };
  // REQUIRES: count() < kTile.
  void add(const Entry& entry);

 private:
  const double* column(std::size_t c) const { return data_.get() + c * kPitch; }

  std::size_t bucket_, slots_, levels_;
  std::size_t count_ = 0, used_slots_ = 0;
  std::unique_ptr<double[]> data_;
  std::unique_ptr<std::uint32_t[]> plans_;
};

class PlanTable {
 public:
  // `bounds` ascend: bucket b holds the plans within bounds[b] that are not within bounds[b - 1].
  PlanTable(const Problem& problem, const HardwareGroup& group, std::uint32_t workload,
            std::vector<double> bounds, Workers& workers);

  const std::vector<Tile>& tiles() const { return tiles_; }
  const std::vector<double>& bounds() const { return bounds_; }
  std::size_t plan_count() const;
  double tokens() const { return tokens_; }

  // Listed plans that can be placed; those by first reason that cannot.
  std::int64_t valid_weight() const { return valid_; }
  const std::array<std::int64_t, 16>& rejected_weight() const { return rejected_; }

  // Listed plans within each of `capacities`, which ascend: all valid ones; those the constraints
  // allow.
  std::vector<std::int64_t> fitting_weights(std::span<const double> capacities) const;
  std::vector<std::int64_t> allowed_weights(std::span<const double> capacities) const;

 private:
  struct Share;                                                  // what one thread has lowered
  using Weights = std::vector<std::pair<double, std::int64_t>>;  // (memory, weight)

  void gather(Share& share);

  std::vector<double> bounds_;
  std::vector<Tile> tiles_;
  std::int64_t valid_ = 0;
  std::array<std::int64_t, 16> rejected_{};
  Weights valid_by_memory_, allowed_by_memory_;
  double tokens_ = 0;
};

}  // namespace ridgeline::explore
