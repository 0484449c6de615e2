// Plans to start from: those of examples/ in the program's sources.

export const examplePlans: Readonly<Record<string, { title: string; plan: Record<string, unknown> }>> = {
  "capacity-planner": {
    title: "Capacity planner: a 70B service whose load is uncertain",
    plan: {
      name: "70B service", model: "llama-3.1-70b", machine: "dgx-h100-superpod", precision: "fp8", kv_precision: "fp8",
      serving: { qps: { lognormal: [60, 0.25] }, target_p99_latency: "20 s", max_seq_len: 8192, mean_request_tokens: { uniform: [1500, 3000] }, output_tokens: 400, tp_size: 4, max_batch_size: 64 },
      site: { grid: "united-states", pue: 1.2, wue_l_per_kwh: 0.3, kwh_price_usd: { normal: [0.09, 0.015] } },
      economics: { infrastructure_multiplier: 1.6 }, limits: { power: "400 kW" }, assert: { ttft_p99: "< 2 s", usd_per_million_tokens: "< 5" },
    },
  },
  "training-lead": {
    title: "Training lead: 70B on 1.4 trillion tokens",
    plan: {
      name: "70B pre-training", model: "llama-3.1-70b", machine: "meta-24k-roce", devices: 2048, precision: "bf16",
      training: { tokens_count: 1.4e12, batch_size: 2048, seq_len: 4096, tp_size: 8, pp_size: 4, v_stages: 4, gradient_accumulation_steps: 32, zero_stage: 1, overlap_comm: true },
      checkpoint: { storage: "nd-h100-v5-nvme", n_writers: 256 },
      reliability: { failure_rates: "llama3-h100", detect_time: "1 min", restart_time: "5 min", warm_up_time: "2 min" },
      site: { grid: "united-states", pue: 1.1, wue_l_per_kwh: 0.2, kwh_price_usd: 0.08 },
      economics: { infrastructure_multiplier: 1.5 }, limits: { power: "2 MW", budget: "10000000 USD" }, assert: { mfu_fraction: "> 0.35", wall_time_days: "< 60" },
    },
  },
  teacher: {
    title: "Teacher: an assistant for a course of 2,000 students",
    plan: {
      name: "course assistant", model: "llama-3.1-8b", machine: "l4-8", precision: "fp8",
      serving: { qps: 2, target_p99_latency: "60 s", max_seq_len: 4096, mean_request_tokens: 1500, output_tokens: 300, max_batch_size: 16, duration_days: 120 },
      site: { grid: "france", pue: 1.4, wue_l_per_kwh: 0.5, kwh_price_usd: 0.15 },
      economics: { unit_cost: "2500 USD", infrastructure_multiplier: 1.5, hourly_rental_price_usd: 0.8 }, assert: { ttft_s: "< 5", usd_per_million_tokens: "< 20" },
    },
  },
};
