// Minima: the least latency over the plans of a table at many hardware points, by the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgeline/explore/hardware.h"
#include "ridgeline/explore/plan_table.h"
#include "ridgeline/explore/workers.h"

namespace ridgeline::explore {

// What the kernels find above this is later than `latency_s` in the plain evaluation, too, by a
// picosecond or more. Both latencies are the kernels'.
inline double certainly_later(double latency_s) {
  constexpr double kError = 1 + 2 * kRelativeError;
  return (latency_s * kError + 1.1e-12) * kError;
}

inline constexpr std::uint64_t kAllTiles = ~std::uint64_t{0};

// Upper ends of the plan buckets that suit a group: its capacities where these are few, else some
// of them; +inf alone where plans need not fit. Ascending, the last holds whatever any point holds.
std::vector<double> bucket_bounds(const HardwareGroup& group, bool require_fit);

// Evaluates the sites of one group against one table, a chunk at a time.
class Minima {
 public:
  Minima(const HardwareGroup& group, const PlanTable& table, bool require_fit, Workers& workers);

  // The group's sites are cut into chunks of some 65,536; every site is in one of them.
  std::size_t chunk_count() const { return chunks_.size(); }
  const std::vector<Site>& load(std::size_t chunk);

  // The least latency of each site of the loaded chunk, +inf where no plan fits; and in which tiles
  // it may be found: bit t % 64 for tile t.
  struct Least {
    double latency_s;
    std::uint64_t tiles;
  };
  std::vector<Least> least();

  // The capacity that a site's plans must fit in: +inf where they need not.
  double limit(const Site& site) const { return limits_[site.capacity]; }

  // Latency of every plan of these tiles at a site of the loaded chunk, fit or not: kPitch numbers
  // per tile. Keeps what the next site may share; one Scratch per thread.
  struct Scratch {
    std::vector<double> links, sums;
    std::int64_t link = -1, device = -1;
  };
  const std::vector<double>& latencies(const Site& site, std::uint64_t tiles,
                                       Scratch& scratch) const;

 private:
  struct Chunk {
    std::size_t device, devices, link, links;  // a rectangle of a grid
    std::int64_t first, count;                 // a run of a list
  };

  static void note(double latency_s, std::size_t tile, Least& least);
  bool cheaper_by_tables() const;
  void cut_grid();
  void cut_list();
  void fill_device_rows();
  void grid_task(std::size_t link_begin, std::size_t link_end, std::vector<Least>& out) const;
  void list_task(std::size_t begin, std::size_t end, const std::vector<std::uint32_t>& order,
                 std::vector<Least>& out) const;
  DeviceRate device_rate(std::size_t device) const;
  LinkRate link_rate(std::size_t link) const;

  const HardwareGroup& group_;
  const PlanTable& table_;
  Workers& workers_;
  std::vector<double> limits_;  // by capacity
  bool by_tables_ = false;
  std::vector<Chunk> chunks_;
  Chunk now_{};
  std::vector<Site> sites_;          // of the loaded chunk
  std::vector<double> device_rows_;  // by tables: tile by tile, device by device
};

}  // namespace ridgeline::explore
