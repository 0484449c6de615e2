#include "ridgeline/app/output_keys.h"

#include <array>

namespace ridgeline::app {
namespace {

constexpr std::array kStage = {
    OutputKey{"name", "string", "S1 to S10, F1 to F6, EMB, HEAD, P2P"},
    OutputKey{"title", "string", "the stage in words"},
    OutputKey{"matrix_flop", "number", "matrix operations on one device (m)"},
    OutputKey{"vector_flop", "number", "vector operations (v)"},
    OutputKey{"hbm_bytes", "number", "bytes of memory read and written"},
    OutputKey{"hops[]", "number", "per level, innermost first: hops in series (A)"},
    OutputKey{"link_bytes[]", "number", "per level: bytes in series on one link (X)"},
    OutputKey{"compute_s", "number", "(m + v/nu) / (F u)"},
    OutputKey{"memory_s", "number", "bytes / B_h"},
    OutputKey{"network_s", "number", "sum over levels of A alpha + X / beta"},
    OutputKey{"total_s", "number", "the larger of compute and memory, plus network"},
    OutputKey{"bound", "string", "compute, memory or network"},
    OutputKey{"share_fraction", "number", "of the pass, all layers of the kind together"},
    OutputKey{"layer_fraction", "number?", "of one layer; null outside layers"},
    OutputKey{"intensity_flop_per_byte", "number?", "operations per byte of memory"},
    OutputKey{"flop_per_s", "number?", "operations over the larger of compute and memory"},
    OutputKey{"formulas", "object", "each term in symbols, with the values put in, and its source"},
    OutputKey{"definitions", "object", "m, v, bytes and network in symbols"},
};

constexpr std::array kHolding = {
    OutputKey{"held_bytes", "number", "over all devices"},
    OutputKey{"unique_bytes", "number", "what one copy of everything takes"},
    OutputKey{"redundant_bytes", "number", "the difference"},
};

constexpr std::array kEffect = {
    OutputKey{"latency_s", "number?", "null when it cannot be placed"},
    OutputKey{"total_bytes", "integer", "on the fullest device"},
    OutputKey{"fits_memory", "boolean", "does it hold them?"},
    OutputKey{"placement_valid", "boolean", "can the plan be placed?"},
};

constexpr std::array kRow = {
    OutputKey{"hardware", "object", "value of each knob, in the unit of its name"},
    OutputKey{"workload", "object", "workload fields that are axes"},
    OutputKey{"plan", "object", "the plan, field by field"},
    OutputKey{"latency_s", "number", "one pass of the batch"},
    OutputKey{"cost_score", "number", "sum over the knobs of value / default"},
    OutputKey{"pes_used", "integer", "devices in use"},
    OutputKey{"cost_x_pes", "number", "cost_score times devices"},
    OutputKey{"tokens_per_s", "number", "tokens of the pass over its latency"},
    OutputKey{"tokens_per_s_per_pe", "number", "the same per device"},
    OutputKey{"energy_j", "number?", "of one pass, static power included"},
    OutputKey{"energy_j_per_token", "number?", "the same per token"},
    OutputKey{"memory_bytes", "integer", "on the fullest device"},
    OutputKey{"memory_headroom_bytes", "integer", "what it has left"},
    OutputKey{"bound", "string", "compute, memory or network: the largest part of the latency"},
    OutputKey{"lacking_bytes", "integer", "of a near miss: what it lacks"},
};

constexpr std::array kInspect = {
    OutputKey{"latency_s", "number?", "one pass; null when the plan cannot be placed"},
    OutputKey{"fits_memory", "boolean", "does the fullest device hold its part?"},
    OutputKey{"placement_valid", "boolean", "can the plan be placed?"},
    OutputKey{"invalid_reasons[]", "string", "why not"},
    OutputKey{"bound", "string?", "what the pass waits for most: compute, memory or network"},
    OutputKey{"shares[].bound", "string", "what the time is spent on"},
    OutputKey{"shares[].seconds", "number", "of the pass; they sum to the latency"},
    OutputKey{"shares[].share_fraction", "number", "of the latency"},
    OutputKey{"roofline.flop_per_s", "number", "matrix rate that kernels reach (F u)"},
    OutputKey{"roofline.vector_flop_per_s", "number", "vector rate (nu F u)"},
    OutputKey{"roofline.memory_bytes_per_s", "number", "memory bandwidth (B_h)"},
    OutputKey{"roofline.ridge_flop_per_byte", "number", "where both roofs meet"},
    OutputKey{"symbols[].symbol", "string", "as in the formulas"},
    OutputKey{"symbols[].meaning", "string", "in words"},
    OutputKey{"symbols[].value", "number", "its value now"},
    OutputKey{"symbols[].unit", "string", "of the value; empty: a plain number"},
    OutputKey{"symbols[].from", "string", "the field that sets it, model, or derived"},
    OutputKey{"topology.levels[]", "object",
              "name, member, topology, columns, rows, members, used"},
    OutputKey{"topology.nodes[]", "object", "id, level, parent, x, y, used, owner"},
    OutputKey{"topology.links[]", "object", "a, b, level, wrap, bytes of one layer"},
    OutputKey{"topology.groups[]", "object", "axis, size, members and stride per level"},
    OutputKey{"layout.levels[]", "string", "names of the levels, innermost first"},
    OutputKey{"layout.spans.tp[]", "integer", "members of a TP group per level"},
    OutputKey{"layout.spans.cp[]", "integer", "of a CP group"},
    OutputKey{"layout.spans.dp[]", "integer", "of a DP group"},
    OutputKey{"memory.attn_weights_bytes", "integer", "attention weights on the fullest device"},
    OutputKey{"memory.ffn_weights_bytes", "integer", "feed-forward weights"},
    OutputKey{"memory.kv_cache_bytes", "integer", "KV cache"},
    OutputKey{"memory.embedding_bytes", "integer", "embedding table"},
    OutputKey{"memory.head_bytes", "integer", "output head"},
    OutputKey{"memory.activations_bytes", "integer", "activations"},
    OutputKey{"memory.total_bytes", "integer", "their sum"},
    OutputKey{"memory.stage", "integer", "pipeline stage of that device"},
    OutputKey{"memory.capacity_bytes", "integer", "what a device has"},
    OutputKey{"memory.used_fraction", "number?", "total / capacity"},
    OutputKey{"memory.over_bytes", "integer", "what is lacking; 0 when it fits"},
    OutputKey{"memory.stages[]", "object", "the same of each pipeline stage"},
    OutputKey{"layers[].windowed", "boolean", "sliding window"},
    OutputKey{"layers[].moe", "boolean", "mixture of experts"},
    OutputKey{"layers[].count", "integer", "layers of this kind"},
    OutputKey{"layers[].ring_blocks", "number", "blocks of the context visited in turn (R)"},
    OutputKey{"layers[].ring_hops", "number", "hops of the ring: R - 1"},
    OutputKey{"layers[].layer_s", "number", "one layer: the sum of its stages"},
    OutputKey{"layers[].attention_s", "number", "of one layer: S1 to S10"},
    OutputKey{"layers[].ffn_s", "number", "of one layer: F1 to F6"},
    OutputKey{"layers[].total_s", "number", "all layers of this kind"},
    OutputKey{"layers[].share_fraction", "number", "of the pass"},
    OutputKey{"layers[].stages[]", "@stage", "the sixteen stages"},
    OutputKey{"edges[]", "@stage", "embedding, head, pipeline hand-over"},
    OutputKey{"objectives.cost_score", "number", "sum over the knobs of value / default"},
    OutputKey{"objectives.pes_used", "integer", "devices in use"},
    OutputKey{"objectives.cost_x_pes", "number", "cost_score times devices"},
    OutputKey{"objectives.tokens_per_s", "number", "tokens of the pass over its latency"},
    OutputKey{"objectives.tokens_per_s_per_pe", "number", "the same per device"},
    OutputKey{"objectives.energy_j", "number?", "of one pass, static power included"},
    OutputKey{"objectives.energy_j_per_token", "number?", "the same per token"},
    OutputKey{"hints[].id", "string", "which hint"},
    OutputKey{"hints[].category", "string", "space, comm, compute or layout"},
    OutputKey{"hints[].severity", "string", "info, warn or good"},
    OutputKey{"hints[].message", "string", "in words"},
    OutputKey{"hints[].values", "object", "the numbers in it"},
    OutputKey{"hints[].patch", "object?", "what to set, path by path; null: nothing to try"},
    OutputKey{"hints[].effect", "object?", "null without a patch"},
    OutputKey{"hints[].effect.before", "@effect", "as it is"},
    OutputKey{"hints[].effect.after", "@effect", "with the patch"},
    OutputKey{"mends[].patch", "object", "what makes it fit or placeable"},
    OutputKey{"mends[].effect.before", "@effect", "as it is"},
    OutputKey{"mends[].effect.after", "@effect", "with the patch"},
    OutputKey{"replication.rows[].tensor", "string", "what is held more than once"},
    OutputKey{"replication.rows[].per_pe_bytes", "integer", "on one device"},
    OutputKey{"replication.rows[].replicated_across", "string", "the axes"},
    OutputKey{"replication.rows[].copies", "number", "how many"},
    OutputKey{"replication.rows[].wasted_bytes", "integer", "(copies - 1) x bytes"},
    OutputKey{"replication.rows[].overlaps", "boolean", "counts bytes of other rows again"},
    OutputKey{"replication.classes.attn_weights", "@holding", ""},
    OutputKey{"replication.classes.ffn_weights", "@holding", ""},
    OutputKey{"replication.classes.kv_cache", "@holding", ""},
    OutputKey{"replication.classes.embed_and_head", "@holding", ""},
    OutputKey{"replication.total", "@holding", ""},
    OutputKey{"replication.total.redundant_fraction", "number", "redundant / held"},
    OutputKey{"shards[].tensor", "string", "which tensor"},
    OutputKey{"shards[].layers", "integer", "layers that have one"},
    OutputKey{"shards[].full_shape[]", "number", "rows, columns"},
    OutputKey{"shards[].sharded_over", "string", "the axes that cut it; - for none"},
    OutputKey{"shards[].per_pe_shape[]", "number", "rows, columns on one device"},
    OutputKey{"shards[].per_pe_bytes", "number", "of one layer"},
    OutputKey{"shards[].copies", "number", "over the ranks of a stage"},
    OutputKey{"shards[].rule", "string", "how it is cut, in words"},
    OutputKey{"shards[].pieces[]", "integer", "of rows, of columns"},
    OutputKey{"shards[].piece[]", "integer", "which of them the rank holds"},
    OutputKey{"shards[].rows[]", "number", "of the rank: from, up to"},
    OutputKey{"shards[].columns[]", "number", "of the rank: from, up to"},
    OutputKey{"shards[].owner", "string?", "the device of the rank"},
};

constexpr std::array kExplore = {
    OutputKey{"hardware_count", "integer", "machines"},
    OutputKey{"workload_count", "integer", "workloads, where any is an axis"},
    OutputKey{"parallelism_count", "integer", "plans per machine, as listed"},
    OutputKey{"evaluated_count", "integer", "pairs that were decided"},
    OutputKey{"feasible_count", "integer", "pairs that are valid, fit and meet the constraints"},
    OutputKey{"rejected", "object", "other pairs by reason"},
    OutputKey{"best", "@row", "the best pair; null when none is feasible"},
    OutputKey{"pareto[]", "@row", "the Pareto front"},
    OutputKey{"top[]", "@row", "with top: the fastest pairs"},
    OutputKey{"per_hardware[]", "@row", "with per_hardware: the best of each machine"},
    OutputKey{"points[]", "@row", "with points: every feasible pair; with thin: some of them"},
    OutputKey{"points_total", "integer", "with thin: how many pairs there are"},
    OutputKey{"heat_map.x", "object", "path and values of one axis"},
    OutputKey{"heat_map.y", "object", "of the other"},
    OutputKey{"heat_map.cells[]", "object",
              "x, y, feasible_count, latency_s, value, reason, point"},
    OutputKey{"near_misses[]", "@row", "when nothing is feasible: what misses by the least"},
    OutputKey{"sensitivity[].knob", "string", "a hardware knob"},
    OutputKey{"sensitivity[].baseline", "number", "its value at the best pair"},
    OutputKey{"sensitivity[].doubled", "number", "twice that"},
    OutputKey{"sensitivity[].baseline_latency_s", "number", "at the best pair"},
    OutputKey{"sensitivity[].doubled_latency_s", "number", "with the knob doubled"},
    OutputKey{"sensitivity[].speedup_fraction", "number", "1 - doubled / baseline"},
    OutputKey{"sensitivity[].halved", "number", "half the baseline"},
    OutputKey{"sensitivity[].halved_latency_s", "number?", "null: out of range or does not fit"},
    OutputKey{"sensitivity[].slowdown_fraction", "number?", "halved / baseline - 1"},
    OutputKey{"sensitivity_at", "@row", "where the sensitivity is taken"},
    OutputKey{"elapsed_s", "number", "of the search with its lowering"},
    OutputKey{"evaluations_per_s", "number", "evaluated_count / elapsed_s"},
};

constexpr std::array kReplay = {
    OutputKey{"passed", "integer", "cases that passed"},
    OutputKey{"failed", "integer", "cases that did not"},
    OutputKey{"misses[].id", "string", "of the case"},
    OutputKey{"misses[].path", "string", "what was checked"},
    OutputKey{"misses[].right", "string", "the right value"},
    OutputKey{"misses[].got", "string", "the value that came out"},
    OutputKey{"misses[].fault", "string", "what the report was about"},
};

constexpr std::array kList = {
    OutputKey{"count", "integer", "entries"},
    OutputKey{"entries[]", "object", "name, aliases, a few facts, source"},
};

}  // namespace

std::span<const OutputKey> result_keys(std::string_view command) {
  if (command == "inspect") return kInspect;
  if (command == "explore") return kExplore;
  if (command == "replay") return kReplay;
  if (command == "list") return kList;
  return {};
}

std::span<const OutputKey> group_keys(std::string_view group) {
  if (group == "@stage") return kStage;
  if (group == "@holding") return kHolding;
  if (group == "@effect") return kEffect;
  if (group == "@row") return kRow;
  return {};
}

}  // namespace ridgeline::app
