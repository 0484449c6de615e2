// The shapes of answers that the pages show. Fields that only some machines or versions send are optional.

export type Bound = "compute" | "memory" | "network";

export interface Formula {
  symbols: string;
  values: string;
  refs?: string[];
}

export interface Stage {
  name: string;
  title: string;
  matrix_flop: number;
  vector_flop: number;
  hbm_bytes: number;
  hops: number[];
  link_bytes: number[];
  compute_s: number;
  memory_s: number;
  network_s: number;
  total_s: number;
  bound: Bound;
  share_fraction?: number | null;
  layer_fraction?: number | null;
  intensity_flop_per_byte: number | null;
  flop_per_s?: number | null;
  formulas: Partial<Record<Bound, Formula>>;
  definitions?: Record<string, string>;
}

export interface LayerKind {
  windowed: boolean;
  moe: boolean;
  count: number;
  ring_hops: number;
  layer_s: number;
  total_s?: number;
  share_fraction?: number;
  attention_s?: number;
  ffn_s?: number;
  stages: Stage[];
}

export interface MemoryParts {
  [part: string]: number | boolean | unknown;
  total_bytes: number;
  capacity_bytes: number;
  used_fraction?: number;
  over_bytes?: number;
  stage: number;
  stages?: (Record<string, number> & { stage: number; fits: boolean })[];
}

export interface Figures {
  latency_s: number | null;
  total_bytes: number;
  fits_memory: boolean;
  placement_valid: boolean;
}

export type Patch = Record<string, string | number | boolean>;

export interface Change {
  before: Figures;
  after: Figures;
}

export interface Hint {
  id: string;
  category: string;
  severity: "warn" | "info" | "good";
  message: string;
  patch?: Patch | null;
  effect?: Change | null;
}

export interface ReplicationRow {
  tensor: string;
  per_pe_bytes: number;
  replicated_across: string;
  copies: number;
  wasted_bytes: number;
  overlaps: boolean;
}

export interface Shard {
  tensor: string;
  layers: number;
  full_shape: number[];
  sharded_over: string;
  per_pe_shape: number[];
  per_pe_bytes: number;
  copies: number;
  rule?: string;
  pieces?: [rows: number, columns: number];
  piece?: [row: number, column: number];
  owner?: string;
}

export interface TopologyNode {
  id: string;
  level: string;
  parent: string | null;
  x: number;
  y: number;
  used: boolean;
  owner: Record<string, number | number[]> | null;
}

export interface TopologyLink {
  a: string;
  b: string;
  level: string;
  wrap: boolean;
  bytes: number;
}

export interface Topology {
  levels: { name: string; topology: string; columns: number; rows: number; member?: string; members: number; used: number; wraps?: boolean; link_bytes?: number }[];
  nodes: TopologyNode[];
  links: TopologyLink[];
  groups?: { axis: string; size: number; members: number[] }[];
}

export interface SymbolRow {
  symbol: string;
  meaning: string;
  value: unknown;
  unit: string;
  from: string;
}

export interface Inspect {
  latency_s: number | null;
  fits_memory: boolean;
  placement_valid: boolean;
  invalid_reasons: string[];
  bound?: Bound;
  shares?: { bound: Bound; seconds: number; share_fraction: number }[];
  layout: Record<string, unknown> & { levels: string[] };
  memory: MemoryParts;
  layers: LayerKind[];
  edges: Stage[];
  objectives: Record<string, number | null> | null;
  hints: Hint[];
  mends?: { patch: Patch; effect: Change }[];
  replication: {
    rows: ReplicationRow[];
    classes: Record<string, { held_bytes: number; unique_bytes: number; redundant_bytes: number }>;
    total: { held_bytes: number; unique_bytes: number; redundant_bytes: number; redundant_fraction: number };
  };
  shards: Shard[];
  symbols?: SymbolRow[];
  roofline?: { flop_per_s: number; vector_flop_per_s: number; memory_bytes_per_s: number; ridge_flop_per_byte: number };
  topology?: Topology;
}

export interface Point {
  hardware: Record<string, number>;
  plan: Record<string, string | number>;
  latency_s: number;
  bound?: Bound;
  memory_bytes?: number;
  [objective: string]: unknown;
}

export interface Sensitivity {
  knob: string;
  baseline: number;
  doubled: number;
  baseline_latency_s: number;
  doubled_latency_s: number;
  speedup_fraction: number;
  halved?: number;
  halved_latency_s?: number | null;
  slowdown_fraction?: number | null;
}

export interface HeatMap {
  x: { path: string; values: (number | string)[] };
  y: { path: string; values: (number | string)[] };
  cells: { x: number; y: number; feasible_count: number; latency_s: number | null; reason: string | null; point: Point | null }[];
}

// Points as columns: `at[i]` is the place in `values` of point i; without `at` they stand in order.
export interface PointColumns {
  count: number;
  front_count: number;
  columns: { key: string; values: unknown[]; at?: number[] }[];
}

export interface Explore {
  hardware_count: number;
  parallelism_count: number;
  evaluated_count: number;
  feasible_count: number;
  rejected?: Record<string, number>;
  best: Point | null;
  pareto: Point[];
  point_columns?: PointColumns;
  points_total?: number;
  heat_map?: HeatMap;
  sensitivity: Sensitivity[];
  sensitivity_at?: Point | null;
  elapsed_s: number;
  evaluations_per_s: number;
}

export interface Property {
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: (string | number)[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  unit?: string;
  group?: string;
  order?: number;
  widget?: string;
  source?: string;
  symbol?: string;
  examples?: unknown[];
  properties?: Record<string, Property>;
}

export interface CompareRow {
  key: string;
  values: unknown[];
  best_index: number | null;
  better: "less" | "more" | null;
  change_fractions: (number | null)[]; // against the baseline
}

export interface Compare {
  names: string[];
  differences: { key: string; values: unknown[] }[];
  rows: CompareRow[];
}
