// Every number of every solver: not a number, infinite and negative are refused, by name.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "ridgeline/solve/all.h"
#include "tests/support/field_kinds.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBad[] = {kNan, kInfinity, -kInfinity, -1, 1e300};

Service service() {
  Service s;
  s.model = testing::mixtral_totals();
  s.hardware = testing::round_device();
  s.machine = testing::round_cluster(2);
  s.setting = testing::flat(0.5);
  return s;
}

single_node::Inputs valid(const single_node::Inputs&) {
  single_node::Inputs in;
  in.model = testing::round_7b();
  in.hardware = testing::round_device();
  return in;
}
serving::Inputs valid(const serving::Inputs&) {
  serving::Inputs in;
  in.service = service();
  in.decode_hardware = testing::h100();
  in.draft_model = testing::round_7b();
  return in;
}
distributed::Inputs valid(const distributed::Inputs&) {
  distributed::Inputs in;
  in.model = testing::mixtral_totals();
  in.machine = testing::round_cluster(2);
  in.batch_size = 64;
  return in;
}
moe_routing::Inputs valid(const moe_routing::Inputs&) {
  moe_routing::Inputs in;
  in.model = testing::mixtral_totals();
  in.machine = testing::round_cluster(2);
  return in;
}
continuous_batching::Inputs valid(const continuous_batching::Inputs&) {
  continuous_batching::Inputs in;
  in.service = service();
  in.output_tokens = 64;
  in.length_distribution = continuous_batching::LengthDistribution::truncated_exponential;
  return in;
}
serving_capacity::Inputs valid(const serving_capacity::Inputs&) {
  serving_capacity::Inputs in;
  in.service = service();
  in.qps = 1;
  in.target_p99_latency = 60 * second;
  return in;
}
weight_streaming::Inputs valid(const weight_streaming::Inputs&) {
  weight_streaming::Inputs in;
  in.model = testing::round_7b();
  in.hardware = testing::round_device();
  in.injection_bandwidth = 1000 * gigabyte_per_second;
  return in;
}
tail_latency::Inputs valid(const tail_latency::Inputs&) {
  tail_latency::Inputs in;
  in.service_latency = 1 * second;
  in.quantiles.push_back(0.5);
  return in;
}
reliability::Inputs valid(const reliability::Inputs&) {
  reliability::Inputs in;
  in.parts = {{"device", 8, 50000 * hour}};
  in.checkpoint_time = 60 * second;
  return in;
}
checkpoint::Inputs valid(const checkpoint::Inputs&) {
  checkpoint::Inputs in;
  in.model = testing::round_7b();
  in.hardware = testing::round_device();
  return in;
}
FleetEnergy fleet() {
  FleetEnergy f;
  f.devices = 64;
  f.duration = 30 * day;
  f.tdp = 700 * watt;
  f.pue = 1.1;
  f.wue = WaterPerJoule{};
  f.carbon_intensity = EmissionsPerJoule{};
  return f;
}
economics::Inputs valid(const economics::Inputs&) {
  economics::Inputs in;
  in.fleet = fleet();
  in.unit_cost = 25000 * dollar;
  in.kwh_price = DollarsPerJoule{};
  return in;
}
sustainability::Inputs valid(const sustainability::Inputs&) {
  sustainability::Inputs in;
  in.fleet = fleet();
  in.embodied_per_device = Emissions{};
  return in;
}

efficiency::Inputs valid(const efficiency::Inputs&) {
  efficiency::Inputs in;
  in.hardware = testing::round_device();
  in.m = in.n = in.k = 256;
  in.units = 100;
  in.heads = in.kv_heads = 8;
  in.seq_len = 64;
  in.bytes = 1e6 * byte;
  in.ranks = 8;
  in.link_bandwidth = 100 * gigabyte_per_second;
  return in;
}
data::Inputs valid(const data::Inputs&) {
  data::Inputs in;
  in.data_rate = gigabyte_per_second;
  in.storage_bandwidth = gigabyte_per_second;
  in.step = 1 * second;
  return in;
}
transformation::Inputs valid(const transformation::Inputs&) {
  return {.sample = 1000.0 * byte, .cpu = gigabyte_per_second, .accelerator_step = 1 * second};
}
scaling::Inputs valid(const scaling::Inputs&) {
  scaling::Inputs in;
  in.compute_budget = Flops::from_base(1e24);
  in.form = scaling::Form::loss;
  return in;
}
kingman_queue::Inputs valid(const kingman_queue::Inputs&) {
  kingman_queue::Inputs in{.service = 1 * second};
  in.utilization_fraction.push_back(0.5);
  return in;
}
goodput::Inputs valid(const goodput::Inputs&) {
  goodput::Inputs in;
  in.program = 0.5;
  return in;
}
iron_law::Inputs valid(const iron_law::Inputs&) {
  return {.memory_time = 1 * second, .compute_time = 1 * second, .overhead = 1 * second};
}
zero_sharding::Inputs valid(const zero_sharding::Inputs&) {
  return {.params = 1e9};
}
orchestration::Inputs valid(const orchestration::Inputs&) {
  return {.arrival_rate_jobs_per_day = 1, .avg_job_duration = 1 * hour};
}
decode_bound::Inputs valid(const decode_bound::Inputs&) {
  return {.model = testing::round_7b(), .hardware = testing::round_device()};
}
topology::Inputs valid(const topology::Inputs&) {
  topology::Inputs in;
  in.num_nodes = 16;
  in.link = gigabyte_per_second;
  return in;
}
compression::Inputs valid(const compression::Inputs&) {
  compression::Inputs in;
  in.model = testing::round_7b();
  in.hardware = testing::round_device();
  return in;
}
synthesis::Inputs valid(const synthesis::Inputs&) {
  synthesis::Inputs in{.model = testing::round_7b()};
  in.target_latency = 1 * second;
  return in;
}
inference_scaling::Inputs valid(const inference_scaling::Inputs&) {
  inference_scaling::Inputs in;
  in.service = service();
  return in;
}
placement::Inputs valid(const placement::Inputs&) {
  placement::Inputs in;
  in.owner = valid(economics::Inputs{});
  in.regions = {{.name = "here"}};
  return in;
}
sensitivity::Inputs valid(const sensitivity::Inputs&) {
  sensitivity::Inputs in;
  in.pass = valid(single_node::Inputs{});
  return in;
}

carbon_shift::Inputs valid(const carbon_shift::Inputs&) {
  carbon_shift::Inputs in;
  in.intensity_profile.assign(24, EmissionsPerJoule{});
  in.window = 4 * hour;
  return in;
}
offload::Inputs valid(const offload::Inputs&) {
  offload::Inputs in{.stage = 1 * second, .memory_capacity = 1 * gigabyte};
  in.weights = 2 * gigabyte;
  return in;
}
power_and_cooling::Inputs valid(const power_and_cooling::Inputs&) {
  return {.devices = 8, .tdp = 700 * watt};
}

parallelism::Inputs valid(const parallelism::Inputs&) {
  parallelism::Inputs in;
  in.model = testing::mixtral_totals();
  in.machine = testing::round_cluster(1);
  in.batch_size = 8;
  in.space.tp = in.space.cp = in.space.pp = in.space.dp = in.space.ep = {1};
  in.space.v_stages = in.space.microbatch_count = in.space.zero_stage = {1};
  return in;
}

batching::Inputs valid(const batching::Inputs&) {
  batching::Inputs in;
  in.service = valid(serving_capacity::Inputs{}).service;
  in.qps = in.arrival_rate_qps = 1;
  in.sla = {1 * second, 1 * second, 10 * second};
  in.max_seq_len = 512;
  return in;
}

energy_per_token::Inputs valid(const energy_per_token::Inputs&) {
  energy_per_token::Inputs in;
  in.service = service();
  in.coefficients.flop = 1 * picojoule_per_flop;
  in.coefficients.formats = {{Precision::fp8, 1 * picojoule_per_flop}};
  in.coefficients.memory = 40 * picojoule_per_byte;
  in.coefficients.static_power = 100 * watt;
  return in;
}

multi_tenancy::Inputs valid(const multi_tenancy::Inputs&) {
  multi_tenancy::Inputs in;
  in.service = service();
  return in;
}
batch_jobs::Inputs valid(const batch_jobs::Inputs&) {
  batch_jobs::Inputs in;
  in.service = service();
  in.tokens = 1e9;
  in.max_seq_len = 512;
  return in;
}

network_roofline::Inputs valid(const network_roofline::Inputs&) {
  return {.job = valid(distributed::Inputs{})};
}
responsible_engineering::Inputs valid(const responsible_engineering::Inputs&) {
  responsible_engineering::Inputs in;
  in.noise_multiplier = 1;
  in.sample_rate = 0.01;
  in.steps = 100;
  in.examples_needed = 100;
  in.min_subgroup_prevalence = 0.01;
  in.pass = valid(single_node::Inputs{});
  return in;
}
speculative_decoding::Inputs valid(const speculative_decoding::Inputs&) {
  speculative_decoding::Inputs in;
  in.service = service();
  in.draft_model = testing::round_7b();
  return in;
}

prefix_caching::Inputs valid(const prefix_caching::Inputs&) {
  prefix_caching::Inputs in;
  in.service = service();
  in.prefixes = {{1, 1024}};
  in.tiers = {{"host", 1000 * gigabyte, 50 * gigabyte_per_second}};
  return in;
}

disaggregation::Inputs valid(const disaggregation::Inputs&) {
  disaggregation::Inputs in;
  in.service = service();
  in.decode_hardware = in.service.hardware;
  in.decode_machine = testing::round_cluster(1);
  return in;
}

latency_slo::Inputs valid(const latency_slo::Inputs&) {
  latency_slo::Inputs in;
  in.service = service();
  in.target_p99_latency = 60 * second;
  return in;
}

// Visits every leaf of a struct in the order of fields(); lists by their first item.
template <class S, class F>
void visit(S& s, const F& f);

template <class V, class F>
void visit_value(const char* name, V& value, const F& f) {
  if constexpr (HasFields<V>) {
    visit(value, f);
  } else if constexpr (testing::ListOf<V>::value) {
    if (!value.empty()) visit_value(name, value[0], f);
  } else {
    f(name, value);
  }
}

template <class S, class F>
void visit(S& s, const F& f) {
  for_each_field<S>([&](const auto& one) {
    auto& value = s.*one.member;
    using V = std::decay_t<decltype(value)>;
    if constexpr (requires { value.has_value(); }) {
      if constexpr (HasFields<typename testing::Unwrapped<V>::Type>) {
        if (value) visit(*value, f);
      } else {
        f(one.name, value);
      }
    } else {
      visit_value(one.name, value, f);
    }
  });
}

// Sets a number; false where the leaf is none.
template <class V>
bool put(V& leaf, double bad) {
  if constexpr (requires { leaf.has_value(); }) {
    return put(leaf.emplace(), bad);
  } else if constexpr (testing::QuantityOf<V>::value) {
    leaf = V::from_base(bad);
    return true;
  } else if constexpr (std::is_same_v<V, double>) {
    leaf = bad;
    return true;
  } else if constexpr (std::is_same_v<V, std::int64_t>) {
    leaf = bad == -1 ? -1 : std::numeric_limits<std::int64_t>::max();
    return true;
  } else if constexpr (std::is_same_v<V, std::array<FlopsPerSecond, kPrecisionCount>>) {
    leaf[0] = FlopsPerSecond::from_base(bad);
    return true;
  } else {
    return false;
  }
}

template <class S>
void check_solver(const S& solver) {
  using Inputs = typename S::Inputs;
  const Inputs good = valid(Inputs{});
  const auto accepted = solver.check(good);
  ASSERT_TRUE(accepted.has_value()) << accepted.error().where << ": " << accepted.error().message;
  int leaves = 0;
  Inputs probe = good;
  visit(probe, [&](const char*, auto&) { ++leaves; });
  for (int i = 0; i < leaves; ++i) {
    for (const double bad : kBad) {
      Inputs in = good;
      std::string name;
      int at = 0;
      visit(in, [&](const char* leaf, auto& value) {
        if (at++ == i && put(value, bad)) name = leaf;
      });
      if (name.empty()) continue;
      const auto refused = solver.check(in);
      EXPECT_FALSE(refused.has_value()) << name << " = " << bad;
      if (refused) continue;
      const std::string where = refused.error().where;
      EXPECT_EQ(where.substr(where.find_last_of('/') + 1), name) << bad;
      EXPECT_FALSE(refused.error().message.empty());
    }
  }
}

TEST(BadInput, IsRefusedByNameInEveryField) {
  for_each_solver([](const auto& solver) {
    using S = std::decay_t<decltype(solver)>;
    if constexpr (requires { valid(typename S::Inputs{}); }) {
      SCOPED_TRACE(solver.name);
      check_solver(solver);
    }
  });
}

// Keys and names of a struct are told apart, and so is every flattened part.
TEST(Fields, HaveOneNameEach) {
  for_each_solver([](const auto& solver) {
    using S = std::decay_t<decltype(solver)>;
    SCOPED_TRACE(solver.name);
    std::vector<std::string> keys;
    const auto collect = [&](const auto& self, auto* of) -> void {
      for_each_field<std::remove_pointer_t<decltype(of)>>([&](const auto& f) {
        using T = typename std::decay_t<decltype(f)>::Value;
        if constexpr (HasFields<T>) {
          if (*f.name == '\0') return self(self, static_cast<T*>(nullptr));
        }
        keys.push_back(testing::key_of(f));
      });
    };
    collect(collect, static_cast<typename S::Inputs*>(nullptr));
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
  });
}

}  // namespace
}  // namespace ridgeline::solve
