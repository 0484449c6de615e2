// Pipeline schedules: micro-batches in flight on each stage, and the time that stages stand idle.
//
//   in flight at stage j of p, m micro-batches, v chunks a stage, in units of a stage's layers
//     1F1B, ZB-1P    min(m, p - j)                                       [narayanan2021]     (1)
//     interleaved    min(m v, 2 (p - j - 1) + (v - 1) p + 1) / v         [narayanan2021]     (2)
//     GPipe          m                                                   [huang2019]         (3)
//     DualPipe       p + 1, of two stages' layers each half              [deepseek-v3]       (4)
//   bubble over ideal time
//     1F1B, interleaved, GPipe   (p - 1)/(v m)                           [narayanan2021]     (5)
//     ZB-1P      (p - 1)(F + B - 2 W)/(m (F + B))                        [qi2023]            (6)
//     DualPipe   (p/2 - 1)(F&B + B - 3 W)/(m (F + B))                    [deepseek-v3]       (7)
//   with backward B = 2 F, of which weight gradients W = F, and F&B = F + B.
// (2) at j = 0 is the p (1 + (p - 1)/(p v)) of [korthikanti2022].
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ridgeline::physics {

enum class Schedule : std::uint8_t { one_f_one_b, interleaved, zb1p, dualpipe, gpipe };

inline std::span<const char* const> names_of(Schedule) {
  static constexpr std::array<const char*, 5> kNames = {"1f1b", "interleaved", "zb1p", "dualpipe",
                                                        "gpipe"};
  return kNames;
}

struct Pipeline {
  Schedule schedule = Schedule::one_f_one_b;
  std::int64_t stages = 1;         // p
  std::int64_t micro_batches = 1;  // m
  std::int64_t chunks = 1;         // v

  // More chunks than one are interleaved, whichever name was given.
  bool is_interleaved() const {
    return schedule == Schedule::interleaved || (schedule == Schedule::one_f_one_b && chunks > 1);
  }
};

double in_flight(const Pipeline& pipeline, std::int64_t stage);

double bubble_over_ideal(const Pipeline& pipeline);

}  // namespace ridgeline::physics
