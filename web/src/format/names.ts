// English texts: names of fields, stages' short names, knobs, reasons.

export const knobNames: Record<string, string> = {
  pe_hbm_gb: "HBM per PE", bw_hbm_gbs: "HBM bandwidth", peak_tflops_f16: "Peak fp16", bw_intra_gbs: "In-cube links",
  bw_inter_gbs: "Cube to cube", bw_intersip_gbs: "SIP to SIP",
};

export const knobUnits: Record<string, string> = {
  pe_hbm_gb: "GB", bw_hbm_gbs: "GB/s", peak_tflops_f16: "TFLOP/s", bw_intra_gbs: "GB/s", bw_inter_gbs: "GB/s", bw_intersip_gbs: "GB/s",
};

export const knobShort: Record<string, string> = {
  pe_hbm_gb: "HBM GB", bw_hbm_gbs: "HBM GB/s", peak_tflops_f16: "TFLOP/s", bw_intra_gbs: "In cube", bw_inter_gbs: "Cube", bw_intersip_gbs: "SIP",
};

export const stageNames: Record<string, string> = {
  S1: "Norm", S2: "Query", S3: "Key, value", S4: "Rope, append", S5: "Scores QKᵀ", S6: "Softmax", S7: "Weights · V", S8: "Merge, ring hop",
  S9: "Output", S10: "Residual", F1: "Norm", F2: "Route, gather", F3: "Gate, up", F4: "Activation", F5: "Down", F6: "Combine, residual",
  EMB: "Embedding", HEAD: "Output head", P2P: "Stage hand-over",
};

export const memoryNames: readonly (readonly [key: string, name: string])[] = [
  ["attn_weights_bytes", "Attention weights"], ["ffn_weights_bytes", "FFN weights"], ["embedding_bytes", "Embedding"],
  ["head_bytes", "Output head"], ["kv_cache_bytes", "KV cache"], ["activations_bytes", "Activations"],
];

export const tensorNames: Record<string, string> = {
  attn_weights: "Attention weights", ffn_weights: "FFN weights", kv_cache: "KV cache", embed_and_head: "Embedding, head",
  dp_footprint: "Whole footprint", gate_up: "FFN gate, up", down: "FFN down", embedding: "Embedding", head: "Output head",
};

export const reasonNames: Record<string, string> = {
  does_not_fit: "lack memory", not_enough_sips: "need more SIPs", pe_group_not_whole_cubes: "fill no whole cubes",
  cube_group_not_whole_sips: "fill no whole SIPs", tp_gt_4hq: "TP over 4 × heads", pp_gt_layers: "PP over layers", cp_gt_s_kv: "CP over tokens", not_enough_devices: "need more devices", constraints: "miss a limit",
};

export const invalidNames: Record<string, string> = {
  not_enough_sips: "the plan needs more SIPs than the machine has",
  pe_group_not_whole_cubes: "the ranks packed on PEs fill no whole number of cubes",
  cube_group_not_whole_sips: "the cubes of one block fill no whole number of SIPs",
  tp_gt_4hq: "TP is over four times the query heads", pp_gt_layers: "PP is over the number of layers", cp_gt_s_kv: "CP is over the number of tokens",
  ep_without_experts: "the model has no experts for EP", ep_not_dividing_experts: "EP does not divide the experts",
  ep_not_dividing_ffn_copies: "EP does not divide the copies of the feed-forward weights",
};

export const objectiveNames: Record<string, string> = {
  latency_s: "Latency", cost_score: "Cost score", cost_x_pes: "Cost score × PEs", pes_used: "PEs used", energy_j: "Energy",
  tokens_per_s: "Tokens/s", tokens_per_s_per_pe: "Tokens/s per PE", memory_bytes: "Memory per PE", energy_j_per_token: "Energy per token",
};

export const levelNames: Record<string, string> = { sips_used: "SIPs", pes_used: "PEs" };

export const betterWords = (objective: string): string => (objective.startsWith("tokens") ? "more is better" : "less is better");

// Of the chiplet machine PEs are counted, of others devices.
export function objectiveName(key: string, isChiplet: boolean): string {
  const name = objectiveNames[key] ?? key;
  return isChiplet ? name : name.replace("PEs used", "Devices used").replace("PEs", "devices").replace("per PE", "per device");
}

export const boundText: Record<string, string> = { compute: "compute", memory: "memory", network: "network" };

export const compareNames: Record<string, string> = {
  latency_s: "Latency of one pass", "objectives.tokens_per_s": "Throughput", "objectives.tokens_per_s_per_pe": "Throughput per device", "memory.total_bytes": "Memory per device",
  fits_memory: "Fits", placement_valid: "Can be placed", bound: "Bound by", "objectives.pes_used": "Devices", "objectives.cost_score": "Cost score", "objectives.cost_x_pes": "Cost score × devices",
  "objectives.energy_j_per_token": "Energy per token", "replication.total.redundant_bytes": "Spare copies, all devices", attention_s: "Attention, one layer", ffn_s: "Feed-forward, one layer",
};
