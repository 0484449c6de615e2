// Where the groups and devices of a machine stand, which of them a plan uses, and their links.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ridgeline/app/inspect.h"
#include "ridgeline/physics/topology.h"

namespace ridgeline::app {
namespace {

using report::JsonWriter;
using Form = JsonWriter::Form;

constexpr std::size_t kMostNodes = 8192;

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

// What the members of level l are called: the groups of the level below, at last the devices.
std::string member_name(const Machine& machine, std::size_t l) {
  if (l > 0) return machine.levels[l - 1].name;
  return machine.kind == MachineKind::chiplet ? "pe" : "device";
}

// The ranks of a plan by the devices they stand on.
class Seats {
 public:
  explicit Seats(const Inspection& in) {
    if (!in.valid()) return;
    const Plan& plan = in.c.scenario.plan;
    for (physics::Rank r; r.dp < plan.dp; ++r.dp) {
      for (r.pp = 0; r.pp < plan.pp; ++r.pp) {
        for (r.cp = 0; r.cp < plan.cp; ++r.cp) {
          for (r.tp = 0; r.tp < plan.tp; ++r.tp) {
            list_.push_back({physics::device_of(in.c.scenario.machine, in.placement, plan, r), r});
          }
        }
      }
    }
    std::sort(list_.begin(), list_.end(),
              [](const Seat& a, const Seat& b) { return a.device < b.device; });
  }

  struct Seat {
    std::int64_t device;
    physics::Rank rank;
  };

  // Those on the devices from `first` on.
  std::span<const Seat> of(std::int64_t first, std::int64_t devices) const {
    const auto before = [](const Seat& seat, std::int64_t device) { return seat.device < device; };
    const auto begin = std::lower_bound(list_.begin(), list_.end(), first, before);
    const auto end = std::lower_bound(begin, list_.end(), first + devices, before);
    return {begin, end};
  }

 private:
  std::vector<Seat> list_;
};

class TopologyWriter {
 public:
  TopologyWriter(const Inspection& in, JsonWriter& out)
      : in_(in), machine_(in.c.scenario.machine), out_(out), seats_(in) {
    std::int64_t devices = 1;
    for (std::size_t l = 0; l < machine_.levels.size(); ++l) {
      floors_.push_back(floor_of(l, devices));
      devices *= machine_.levels[l].count;
    }
    if (!floors_.empty()) add_group(floors_.size() - 1, 0, "");
  }

  void write() {
    out_.begin_object();
    write_list("levels", [this] {
      for (std::size_t l = 0; l < floors_.size(); ++l) write_level(l);
    });
    write_list("nodes", [this] {
      for (const Group& group : groups_) write_nodes(group);
    });
    write_list("links", [this] {
      for (const Group& group : groups_) write_links(group);
    });
    write_list("groups", [this] { write_axes(); });
    out_.end_object();
  }

 private:
  // What all groups of a level have in common.
  struct Floor {
    std::int64_t size = 1;  // devices of a member
    std::int64_t shown = 1;
    std::string member;
    physics::Grid grid;
    double link_bytes = 0;  // that one layer of the first kind sends over a link, one after another
    struct Link {
      std::size_t a, b;
      bool wraps;
    };
    std::vector<Link> links;
  };

  struct Member {
    std::string name;
    std::span<const Seats::Seat> seats;  // of the ranks on it
  };

  // A group whose members are shown.
  struct Group {
    std::size_t level;
    std::string name;
    std::vector<Member> members;
  };

  bool outermost(std::size_t l) const { return l + 1 == machine_.levels.size(); }

  Floor floor_of(std::size_t l, std::int64_t size) const {
    const Level& level = machine_.levels[l];
    Floor out;
    out.size = size;
    out.shown = outermost(l) && level.count > 64 ? in_use(l) : level.count;
    out.member = member_name(machine_, l);
    out.grid = grid(l);
    if (!in_.step.layers.empty()) {
      for (const StageWork& w : in_.step.layers[0].stages) {
        out.link_bytes += w.traffic.link_bytes[l];
      }
    }
    add_links(level.topology, out);
    return out;
  }

  std::int64_t in_use(std::size_t l) const {
    const std::int64_t used = physics::members_in_use(machine_, in_.step.layout, l);
    return std::clamp<std::int64_t>(used, 1, machine_.levels[l].count);
  }

  physics::Grid grid(std::size_t l) const {
    const Level& level = machine_.levels[l];
    const bool by_use = machine_.kind == MachineKind::chiplet && outermost(l);
    if (level.topology == Topology::ring && !by_use) return {level.count, 1, 1};
    return physics::grid_of(level, by_use ? in_use(l) : level.count);
  }

  static void add_links(Topology topology, Floor& out) {
    if (is_switched(topology) || topology == Topology::crossbar) return;
    const std::int64_t n = std::min(out.shown, out.grid.size());
    for (std::int64_t a = 0; a < n; ++a) {
      const physics::Place p = physics::place_of(out.grid, a);
      for (std::int64_t b = a + 1; b < n; ++b) {
        if (physics::distance(topology, out.grid, a, b) != 1) continue;
        const physics::Place q = physics::place_of(out.grid, b);
        const std::int64_t apart =
            std::abs(p.column - q.column) + std::abs(p.row - q.row) + std::abs(p.plane - q.plane);
        out.links.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b), apart > 1});
      }
    }
  }

  // The group of level l from `device` on and those in it that are used; devices only where asked
  // for.
  void add_group(std::size_t l, std::int64_t device, const std::string& name) {
    if ((l == 0 && !in_.detail.devices) || nodes_ >= kMostNodes) return;
    const Floor& floor = floors_[l];
    const auto room = static_cast<std::int64_t>(kMostNodes - nodes_);
    const std::int64_t shown = std::min(floor.shown, room);
    nodes_ += static_cast<std::size_t>(shown);
    Group group{l, name, {}};
    const std::string start = name.empty() ? floor.member : name + "." + floor.member;
    for (std::int64_t i = 0; i < shown; ++i) {
      group.members.push_back(
          {start + std::to_string(i), seats_.of(device + i * floor.size, floor.size)});
    }
    groups_.push_back(group);
    for (std::int64_t i = 0; l > 0 && i < shown; ++i) {
      const Member& member = group.members[static_cast<std::size_t>(i)];
      if (!member.seats.empty()) add_group(l - 1, device + i * floor.size, member.name);
    }
  }

  template <class Write>
  void write_list(const char* key, const Write& write) {
    out_.plain_key(key);
    out_.begin_list();
    write();
    out_.end_list();
  }

  void write_level(std::size_t l) {
    const Level& level = machine_.levels[l];
    const Floor& floor = floors_[l];
    const bool wraps = level.topology == Topology::ring || level.topology == Topology::torus2d ||
                       level.topology == Topology::torus3d;
    out_.begin_object(Form::line);
    out_.member("name", level.name);
    out_.member("member", floor.member);
    out_.member("topology", name_of(level.topology));
    out_.member("columns", floor.grid.columns);
    out_.member("rows", floor.grid.rows * floor.grid.planes);
    out_.member("members", level.count);
    out_.member("used", in_use(l));
    out_.member("wraps", wraps);
    out_.member("link_bytes", floor.link_bytes);
    out_.end_object();
  }

  void write_nodes(const Group& group) {
    const Floor& floor = floors_[group.level];
    const physics::Grid& g = floor.grid;
    for (std::size_t m = 0; m < group.members.size(); ++m) {
      const auto i = static_cast<std::int64_t>(m);
      physics::Place place = physics::place_of(g, i);
      std::int64_t row = place.row + place.plane * g.rows;
      if (i >= g.size()) {  // idle ones beyond the grid of those in use follow in rows of their own
        place.column = (i - g.size()) % g.columns;
        row = g.rows * g.planes + (i - g.size()) / g.columns;
      }
      const auto& [name, seats] = group.members[m];
      out_.begin_object(Form::line);
      out_.member("id", name);
      out_.member("level", floor.member);
      out_.plain_key("parent");
      group.name.empty() ? out_.value(nullptr) : out_.value(group.name);
      out_.member("x", place.column);
      out_.member("y", row);
      out_.member("used", !seats.empty());
      out_.plain_key("owner");
      write_owner(group.level, seats);
      out_.end_object();
    }
  }

  // Of a device its rank; of a group the stages and replicas of those on it.
  void write_owner(std::size_t l, std::span<const Seats::Seat> seats) {
    if (seats.empty()) return out_.value(nullptr);
    out_.begin_object(Form::line);
    if (l == 0) {
      const physics::Rank& r = seats[0].rank;
      out_.member("tp", r.tp);
      out_.member("cp", r.cp);
      out_.member("pp", r.pp);
      out_.member("dp", r.dp);
    } else {
      write_distinct("pp", seats, &physics::Rank::pp);
      write_distinct("dp", seats, &physics::Rank::dp);
    }
    out_.end_object();
  }

  void write_distinct(const char* key, std::span<const Seats::Seat> seats,
                      std::int64_t physics::Rank::*axis) {
    distinct_.clear();
    for (const Seats::Seat& seat : seats) {
      const bool again = !distinct_.empty() && distinct_.back() == seat.rank.*axis;
      if (!again) distinct_.push_back(seat.rank.*axis);
    }
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
    out_.plain_key(key);
    out_.begin_list(Form::line);
    for (const std::int64_t index : distinct_) out_.value(index);
    out_.end_list();
  }

  void write_links(const Group& group) {
    const Floor& floor = floors_[group.level];
    for (const Floor::Link& link : floor.links) {
      if (link.b >= group.members.size()) continue;  // the later of the two
      const Member &a = group.members[link.a], &b = group.members[link.b];
      const bool busy = !a.seats.empty() && !b.seats.empty();
      out_.begin_object(Form::line);
      out_.member("a", a.name);
      out_.member("b", b.name);
      out_.member("level", machine_.levels[group.level].name);
      out_.member("wrap", link.wraps);
      out_.member("bytes", busy ? floor.link_bytes : 0.0);
      out_.end_object();
    }
  }

  void write_axes() {
    const Plan& plan = in_.c.scenario.plan;
    const Layout& layout = in_.step.layout;
    const auto axis = [this](const char* name, std::int64_t size, const Span& span) {
      out_.begin_object(Form::line);
      out_.member("axis", name);
      out_.member("size", size);
      write_counts("members", span.members);
      write_counts("stride", span.stride);
      out_.end_object();
    };
    axis("tp", plan.tp, layout.tp);
    axis("cp", plan.cp, layout.cp);
    axis("dp", plan.dp, layout.dp);
  }

  template <class Counts>
  void write_counts(const char* key, const Counts& counts) {
    out_.plain_key(key);
    out_.begin_list(Form::line);
    for (std::size_t l = 0; l < floors_.size(); ++l) out_.value(counts[l]);
    out_.end_list();
  }

  const Inspection& in_;
  const Machine& machine_;
  JsonWriter& out_;
  Seats seats_;
  std::vector<Floor> floors_;  // by level, innermost first
  std::vector<Group> groups_;
  std::size_t nodes_ = 0;
  std::vector<std::int64_t> distinct_;
};

}  // namespace

std::string device_name(const Machine& machine, std::int64_t device) {
  std::string out;
  for (std::size_t l = 0; l < machine.levels.size(); ++l) {
    const std::int64_t count = machine.levels[l].count;
    out = fmt::format("{}{}{}{}", member_name(machine, l), device % count, out.empty() ? "" : ".",
                      out);
    device /= count;
  }
  return out.empty() ? "device0" : out;
}

void write_topology(const Inspection& in, JsonWriter& out) {
  TopologyWriter(in, out).write();
}

}  // namespace ridgeline::app
