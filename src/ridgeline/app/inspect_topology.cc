// Where the groups and devices of a machine stand, which of them a plan uses, and their links.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ridgeline/app/inspect.h"
#include "ridgeline/physics/topology.h"

namespace ridgeline::app {
namespace {

constexpr std::int64_t kMostNodes = 8192;

template <class E>
const char* name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

// Who is on a group: the stages and replicas of its ranks.
struct Users {
  std::set<std::int64_t> stages, replicas;
};

// What the members of level l are called: the groups of the level below, at last the devices.
std::string member_name(const Machine& machine, std::size_t l) {
  if (l > 0) return machine.levels[l - 1].name;
  return machine.kind == MachineKind::chiplet ? "pe" : "device";
}

class TopologyWriter {
 public:
  explicit TopologyWriter(const Inspection& in)
      : in_(in), machine_(in.c.scenario.machine), levels_(machine_.levels.size()) {
    sizes_.push_back(1);
    for (const Level& level : machine_.levels) sizes_.push_back(sizes_.back() * level.count);
    users_.resize(levels_ + 1);
    if (in.valid()) seat_ranks();
  }

  Json json() {
    Json levels = Json::array();
    for (std::size_t l = 0; l < levels_; ++l) levels.push_back(level_json(l));
    if (levels_ > 0) add_members(levels_ - 1, 0);
    return {{"levels", std::move(levels)},
            {"nodes", std::move(nodes_)},
            {"links", std::move(links_)},
            {"groups", groups_json()}};
  }

 private:
  void seat_ranks() {
    const Plan& plan = in_.c.scenario.plan;
    for (physics::Rank r; r.dp < plan.dp; ++r.dp) {
      for (r.pp = 0; r.pp < plan.pp; ++r.pp) {
        for (r.cp = 0; r.cp < plan.cp; ++r.cp) {
          for (r.tp = 0; r.tp < plan.tp; ++r.tp) seat(r);
        }
      }
    }
  }

  void seat(const physics::Rank& rank) {
    const std::int64_t device =
        physics::device_of(machine_, in_.placement, in_.c.scenario.plan, rank);
    owners_[device] = rank;
    for (std::size_t l = 1; l <= levels_; ++l) {
      Users& users = users_[l][device / sizes_[l]];
      users.stages.insert(rank.pp);
      users.replicas.insert(rank.dp);
    }
  }

  // Serialised bytes that one layer of the first kind sends over a link of the level.
  double layer_bytes(std::size_t l) const {
    double bytes = 0;
    if (in_.step.layers.empty()) return bytes;
    for (const StageWork& w : in_.step.layers[0].stages) bytes += w.traffic.link_bytes[l];
    return bytes;
  }

  std::int64_t in_use(std::size_t l) const {
    const std::int64_t used = physics::members_in_use(machine_, in_.step.layout, l);
    return std::clamp<std::int64_t>(used, 1, machine_.levels[l].count);
  }

  physics::Grid grid(std::size_t l) const {
    const bool ring = machine_.levels[l].topology == Topology::ring;
    const bool outermost = l + 1 == levels_;
    const bool by_use = machine_.kind == MachineKind::chiplet && outermost;
    Level level = machine_.levels[l];
    if (ring && !by_use) return {level.count, 1, 1};
    return physics::grid_of(level, by_use ? in_use(l) : level.count);
  }

  Json level_json(std::size_t l) const {
    const Level& level = machine_.levels[l];
    const physics::Grid g = grid(l);
    const bool wraps = level.topology == Topology::ring || level.topology == Topology::torus2d ||
                       level.topology == Topology::torus3d;
    return {{"name", level.name},
            {"member", member_name(machine_, l)},
            {"topology", name_of(level.topology)},
            {"columns", g.columns},
            {"rows", g.rows * g.planes},
            {"members", level.count},
            {"used", in_use(l)},
            {"wraps", wraps},
            {"link_bytes", layer_bytes(l)}};
  }

  // The members of a group of level l that starts at `device`, and what is in those that are used.
  void add_members(std::size_t l, std::int64_t device) {
    if (l == 0 && !in_.detail.devices) return;
    const physics::Grid g = grid(l);
    const bool outermost = l + 1 == levels_;
    const std::int64_t most =
        outermost && machine_.levels[l].count > 64 ? in_use(l) : machine_.levels[l].count;
    for (std::int64_t i = 0; i < most; ++i) {
      if (static_cast<std::int64_t>(nodes_.size()) >= kMostNodes) return;
      add_node(l, g, i, device + i * sizes_[l],
               outermost ? Json(nullptr) : Json(name_at(l + 1, device)));
    }
    add_links(l, g, most, device);
    for (std::int64_t i = 0; l > 0 && i < most; ++i) {
      const std::int64_t at = device + i * sizes_[l];
      if (users_[l].contains(at / sizes_[l])) add_members(l - 1, at);
    }
  }

  void add_node(std::size_t l, const physics::Grid& g, std::int64_t i, std::int64_t device,
                Json parent) {
    physics::Place place = physics::place_of(g, i);
    std::int64_t row = place.row + place.plane * g.rows;
    if (i >= g.size()) {  // idle ones beyond the grid of those in use follow in rows of their own
      place.column = (i - g.size()) % g.columns;
      row = g.rows * g.planes + (i - g.size()) / g.columns;
    }
    const Json owner = l == 0 ? owner_json(device) : users_json(l, device);
    nodes_.push_back({{"id", name_at(l, device)},
                      {"level", member_name(machine_, l)},
                      {"parent", std::move(parent)},
                      {"x", place.column},
                      {"y", row},
                      {"used", !owner.is_null()},
                      {"owner", owner}});
  }

  void add_links(std::size_t l, const physics::Grid& g, std::int64_t most, std::int64_t device) {
    const Level& level = machine_.levels[l];
    if (is_switched(level.topology) || level.topology == Topology::crossbar) return;
    const std::int64_t n = std::min(most, g.size());
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        if (physics::distance(level.topology, g, i, j) == 1) add_link(l, g, i, j, device);
      }
    }
  }

  void add_link(std::size_t l, const physics::Grid& g, std::int64_t i, std::int64_t j,
                std::int64_t device) {
    const physics::Place p = physics::place_of(g, i), q = physics::place_of(g, j);
    const std::int64_t apart =
        std::abs(p.column - q.column) + std::abs(p.row - q.row) + std::abs(p.plane - q.plane);
    const std::int64_t a = device + i * sizes_[l], b = device + j * sizes_[l];
    const bool busy = is_used(l, a) && is_used(l, b);
    links_.push_back({{"a", name_at(l, a)},
                      {"b", name_at(l, b)},
                      {"level", machine_.levels[l].name},
                      {"wrap", apart > 1},
                      {"bytes", busy ? layer_bytes(l) : 0.0}});
  }

  bool is_used(std::size_t l, std::int64_t device) const {
    return l == 0 ? owners_.contains(device) : users_[l].contains(device / sizes_[l]);
  }

  Json owner_json(std::int64_t device) const {
    const auto found = owners_.find(device);
    if (found == owners_.end()) return nullptr;
    const physics::Rank& r = found->second;
    return {{"tp", r.tp}, {"cp", r.cp}, {"pp", r.pp}, {"dp", r.dp}};
  }

  Json users_json(std::size_t l, std::int64_t device) const {
    const auto found = users_[l].find(device / sizes_[l]);
    if (found == users_[l].end()) return nullptr;
    return {{"pp", found->second.stages}, {"dp", found->second.replicas}};
  }

  // The member of level l that starts at `device`.
  std::string name_at(std::size_t l, std::int64_t device) const {
    const std::string whole = device_name(machine_, device);
    std::size_t end = 0;
    for (std::size_t part = l; part < levels_; ++part) end = whole.find('.', end + 1);
    return whole.substr(0, end);
  }

  Json groups_json() const {
    const Plan& plan = in_.c.scenario.plan;
    const Layout& layout = in_.step.layout;
    const auto group = [&](const char* axis, std::int64_t size, const Span& span) {
      Json members = Json::array(), stride = Json::array();
      for (std::size_t l = 0; l < levels_; ++l) {
        members.push_back(span.members[l]);
        stride.push_back(span.stride[l]);
      }
      return Json{{"axis", axis},
                  {"size", size},
                  {"members", std::move(members)},
                  {"stride", std::move(stride)}};
    };
    return Json::array({group("tp", plan.tp, layout.tp), group("cp", plan.cp, layout.cp),
                        group("dp", plan.dp, layout.dp)});
  }

  const Inspection& in_;
  const Machine& machine_;
  std::size_t levels_;
  std::vector<std::int64_t> sizes_;  // devices of a member of each level
  std::map<std::int64_t, physics::Rank> owners_;
  std::vector<std::map<std::int64_t, Users>> users_;
  Json nodes_ = Json::array(), links_ = Json::array();
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

Json topology_json(const Inspection& in) {
  return TopologyWriter(in).json();
}

}  // namespace ridgeline::app
