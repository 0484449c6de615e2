#include "ridgeline/solve/disaggregation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgeline/solve/serving.h"
#include "ridgeline/solve/serving_capacity.h"
#include "tests/support/solver_inputs.h"

namespace ridgeline::solve::disaggregation {
namespace {

Inputs rates(double prefill, double decode) {
  Inputs in;
  in.prefill_instance_qps = prefill;
  in.decode_instance_qps = decode;
  return in;
}

// Llama-3-8B by its totals on H100: prompts of 4096 tokens, 256 tokens of output.
Inputs llama() {
  Inputs in;
  in.service.model = testing::llama_8b_totals();
  in.service.hardware = testing::h100();
  in.service.setting = testing::flat(0.5);
  in.max_seq_len = 4096;
  in.output_tokens = 256;
  return in;
}

Output answer(const Inputs& in) {
  const auto checked = check(in);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().where + checked.error().message);
  return solve(*checked);
}

// 4 prompts/s and 2 answers/s of an instance: one and two, 4 req/s. Whole requests take
// 1/4 + 1/2 = 3/4 s of any instance: 3 x 4/3 = 4 req/s, no gain.
TEST(Disaggregation, MatchesAHandWorkedCase) {
  const Output out = answer(rates(4, 2));
  EXPECT_EQ(out.prefill_instances, 1);
  EXPECT_EQ(out.decode_instances, 2);
  EXPECT_DOUBLE_EQ(*out.qps, 4);
  EXPECT_DOUBLE_EQ(*out.qps_per_device, 4.0 / 3);
  EXPECT_DOUBLE_EQ(*out.gain, 1);
  EXPECT_FALSE(out.ttft);
}

// 7 req/s: ceil(7/4) = 2 and ceil(7/2) = 4. Of 7 devices 2 and 5 serve 8, which 4 do as well.
TEST(Disaggregation, CountsInstancesForALoadOrForDevices) {
  Inputs in = rates(4, 2);
  in.qps = 7;
  EXPECT_EQ(answer(in).prefill_instances, 2);
  EXPECT_EQ(answer(in).decode_instances, 4);
  in.max_devices = 5;
  EXPECT_EQ(answer(in).reason, Reason::devices);
  in.qps.reset();
  in.max_devices = 7;
  EXPECT_EQ(answer(in).decode_instances, 4);
  EXPECT_DOUBLE_EQ(*answer(in).qps, 8);
  in.max_devices = 1;
  EXPECT_EQ(answer(in).reason, Reason::devices);
}

// What is there is answered as it is: 1 and 1 serve 2; 3 that prefill ask for 6 that decode.
TEST(Disaggregation, TakesInstancesThatAreThere) {
  Inputs in = rates(4, 2);
  in.prefill_instances = in.decode_instances = 1;
  EXPECT_DOUBLE_EQ(*answer(in).qps, 2);
  EXPECT_EQ(answer(in).bound, Bound::decode);
  in.qps = 3;
  EXPECT_EQ(answer(in).reason, Reason::capacity);
  in = rates(4, 2);
  in.prefill_instances = 3;
  EXPECT_EQ(answer(in).decode_instances, 6);
  in = rates(4, 2);
  in.decode_instances = 5;
  EXPECT_EQ(answer(in).prefill_instances, 3);
}

// Trust: without targets, on equal instances, there is no gain, and the counts are within one
// instance of the ratio.
TEST(Disaggregation, KeepsItsTrustStatement) {
  for (const double tokens : {100.0, 700.0, 4096.0}) {
    for (const std::int64_t output : {1, 60, 1000, 3000}) {
      Inputs in = llama();
      in.max_seq_len = 8192;
      in.mean_request_tokens = tokens;
      in.output_tokens = output;
      const Output out = answer(in);
      EXPECT_LE(*out.gain, 1 + 1e-12);
      const double ratio = *out.prefill_instance_qps / *out.decode_instance_qps;
      const auto x = static_cast<double>(*out.prefill_instances);
      const auto y = static_cast<double>(*out.decode_instances);
      EXPECT_LE(std::abs(ratio > 1 ? y - x * ratio : x - y / ratio), 1) << ratio;
    }
  }
}

// Times are those of serving and of serving-capacity: 4096 x 131 072 B over 100 GB/s = 5.36871 ms,
// of which a layer of 32 is not hidden.
TEST(Disaggregation, AgreesWithTheSolversOfItsParts) {
  const Inputs in = llama();
  const Output out = answer(in);
  EXPECT_NEAR(out.transfer->base(), 5.36870912e-3, 1e-12);
  serving::Inputs one{.service = in.service, .seq_len = 4096};
  one.decode_hardware = in.service.hardware;
  const serving::Output served = serving::solve(*serving::check(one));
  EXPECT_DOUBLE_EQ(out.ttft->base(), served.ttft.base());
  EXPECT_NEAR(*out.ttft / *out.prefill, 1 + 5.36870912e-3 / 32 / out.prefill->base(), 1e-12);
  serving_capacity::Inputs whole{.service = in.service, .qps = 1};
  whole.target_p99_latency = 1000 * second;
  whole.max_seq_len = in.max_seq_len;
  whole.output_tokens = in.output_tokens;
  const auto capacity = serving_capacity::solve(*serving_capacity::check(whole));
  EXPECT_DOUBLE_EQ(out.itl->base(), capacity.itl->base());
  EXPECT_DOUBLE_EQ(*out.colocated_qps,
                   static_cast<double>(*out.devices) * *capacity.per_replica_qps);
  EXPECT_DOUBLE_EQ(*out.prefill_instance_qps, 1 / capacity.prefill.base());
  EXPECT_DOUBLE_EQ(*out.decode_instance_qps, 32 / (256 * capacity.itl->base()));
}

// A prompt of 4096 takes 0.15 s. Beside others that prefill, 255 gaps of 12 ms hold few requests
// at once, and weights are read for those few; a decode instance is filled.
TEST(Disaggregation, GainsWhereTargetsAreTight) {
  Inputs in = llama();
  const double loose = *answer(in).gain;
  in.target_itl = 12 * millisecond;
  const Output out = answer(in);
  EXPECT_GT(*out.gain, 1.2);
  EXPECT_LE(loose, 1);
  EXPECT_LT(*out.colocated_batch_size, *out.active_batch_size);
  EXPECT_LE(out.itl->base(), 0.012);
  // N requests are met by t_d(N) + (N - 1) t_p/255 <= 12 ms, one more is not.
  const auto between = [&](std::int64_t n) {
    serving_capacity::Inputs whole{.service = in.service, .qps = 1};
    whole.target_p99_latency = 1000 * second;
    whole.max_seq_len = in.max_seq_len;
    whole.output_tokens = in.output_tokens;
    whole.max_batch_size = n;
    const auto full = serving_capacity::solve(*serving_capacity::check(whole));
    return full.itl->base() + static_cast<double>(n - 1) * full.prefill.base() / 255;
  };
  EXPECT_LE(between(*out.colocated_batch_size), 0.012);
  EXPECT_GT(between(*out.colocated_batch_size + 1), 0.012);
}

// A wide link carries all at once; one of 1 GB/s takes 0.537 s for a cache and ends the rate; at
// hiding_bandwidth the transfer lasts as long as the prefill.
TEST(Disaggregation, DependsOnTheLink) {
  Inputs in = llama();
  in.network_bandwidth = 1e6 * gigabyte_per_second;
  const Output wide = answer(in);
  EXPECT_NEAR(*wide.ttft / *wide.prefill, 1, 1e-6);
  in.network_bandwidth = 1 * gigabyte_per_second;
  const Output narrow = answer(in);
  EXPECT_EQ(narrow.bound, Bound::link);
  EXPECT_DOUBLE_EQ(*narrow.prefill_instance_qps, 1 / narrow.transfer->base());
  EXPECT_DOUBLE_EQ(narrow.ttft->base(), narrow.transfer->base());
  in.network_bandwidth = *wide.hiding_bandwidth;
  EXPECT_NEAR(answer(in).transfer->base(), wide.prefill->base(), 1e-12);
}

// Decode on a device of half the arithmetic costs nothing where decode is bound by memory.
TEST(Disaggregation, TakesTwoKindsOfDevices) {
  Inputs in = llama();
  const Output alike = answer(in);
  in.decode_hardware = testing::h100();
  testing::set_rate(*in.decode_hardware, Precision::bf16, 494.5e12);
  const Output two = answer(in);
  EXPECT_DOUBLE_EQ(*two.decode_instance_qps, *alike.decode_instance_qps);
  EXPECT_LT(*two.colocated_qps, *alike.colocated_qps);
  in = llama();
  in.decode_machine = testing::round_cluster(1);
  in.decode_tp_size = 2;
  const Output wide = answer(in);
  EXPECT_EQ(*wide.devices, *wide.prefill_instances + 2 * *wide.decode_instances);
}

TEST(Disaggregation, SaysWhatIsNotKept) {
  Inputs in = llama();
  in.target_itl = 1 * millisecond;
  EXPECT_EQ(answer(in).reason, Reason::itl);
  in = llama();
  in.target_ttft = 0.1 * second;
  EXPECT_EQ(answer(in).reason, Reason::ttft);
  in = llama();
  in.service.hardware.memory_capacity = 16 * gigabyte;
  in.decode_hardware = testing::h100();
  EXPECT_EQ(answer(in).reason, Reason::prefill_memory);
  in = llama();
  in.decode_hardware = in.service.hardware;
  in.decode_hardware->memory_capacity = 16 * gigabyte;
  EXPECT_EQ(answer(in).reason, Reason::memory);
}

TEST(Disaggregation, NamesWhatIsWrong) {
  EXPECT_EQ(check({}).error().where, "model");
  Inputs in = rates(4, 2);
  in.decode_instance_qps.reset();
  EXPECT_EQ(check(in).error().where, "decode_instance_qps");
  in = rates(4, 2);
  in.target_itl = 1 * second;
  EXPECT_EQ(check(in).error().where, "model");
  in = llama();
  in.prefill_instance_qps = 4;
  EXPECT_EQ(check(in).error().where, "prefill_instance_qps");
  in = llama();
  in.decode_tp_size = 3;
  EXPECT_EQ(check(in).error().where, "decode_tp_size");
  in.decode_tp_size = 2;
  EXPECT_EQ(check(in).error().where, "decode_machine");
  in = llama();
  in.decode_hardware = testing::h100();
  in.decode_hardware->memory_capacity.reset();
  EXPECT_EQ(check(in).error().where, "decode_hardware/memory_capacity");
}

}  // namespace
}  // namespace ridgeline::solve::disaggregation
