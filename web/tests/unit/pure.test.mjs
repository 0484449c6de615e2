import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loader } from "../load.mjs";

const thin = "\u202f";
let vite;
let format;
let link;
let history;
let scale;
let best;

before(async () => {
  vite = await loader();
  format = await vite.load("/src/format/format.ts");
  link = await vite.load("/src/state/link.ts");
  history = await vite.load("/src/state/history.ts");
  scale = await vite.load("/src/scale/scale.ts");
  best = await vite.load("/src/scale/best.ts");
});
after(() => vite.close());

describe("format", () => {
  it("scales seconds so that 1 <= x < 1000", () => {
    assert.equal(format.time(9.8231), `9.82${thin}s`);
    assert.equal(format.time(0.00026214), `262${thin}µs`);
    assert.equal(format.time(1.28e-7), `128${thin}ns`);
    assert.equal(format.time(0.0009999), `1.00${thin}ms`);
    assert.equal(format.time(0), "0");
    assert.equal(format.time(null), "–");
  });
  it("writes bytes in decimal steps", () => {
    assert.equal(format.bytes(42949672960), `42.9${thin}GB`);
    assert.equal(format.bytes(999_999), `1.00${thin}MB`);
    assert.equal(format.bytes(-77.6e9), `−77.6${thin}GB`);
  });
  it("groups thousands, says <0.1 % and keeps 0 for zero", () => {
    assert.equal(format.count(1399680), "1,399,680");
    assert.equal(format.percent(0.0004), `<0.1${thin}%`);
    assert.equal(format.percent(0), "0");
    assert.equal(format.percent(0.354), `35${thin}%`);
    assert.equal(format.percent(1), `100${thin}%`);
  });
  it("takes the unit from the end of the key", () => {
    assert.equal(format.byKey("latency_s", 0.0030296), `3.03${thin}ms`);
    assert.equal(format.byKey("injection_bandwidth_bytes_per_s", 1.2e12), `1.20${thin}TB/s`);
    assert.equal(format.byKey("headroom_fraction", 0.125), `12.5${thin}%`);
    assert.equal(format.byKey("bytes", 6.09e10), `60.9${thin}GB`);
    assert.equal(format.byKey("fits", true), "yes");
  });
  it("counts one and many", () => {
    assert.equal(format.numbered(1, "SIPs"), "1 SIP");
    assert.equal(format.numbered(2048, "devices"), "2,048 devices");
  });
  it("labels keys without their unit", () => {
    assert.equal(format.words("kv_cache_bytes"), "KV cache");
    assert.equal(format.words("tokens_per_s"), "Tokens/s");
    assert.equal(format.words("accepted_tokens_per_step"), "Accepted tokens per step");
    assert.equal(format.words("it_j"), "IT");
  });
});

function random(seed) {
  let state = seed;
  return () => ((state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32);
}

describe("knobs", () => {
  it("are named and written in their own units, or in those of their keys", async () => {
    const knobs = await vite.load("/src/format/knobs.ts");
    assert.equal(knobs.knobName("bw_hbm_gbs"), "HBM bandwidth");
    assert.equal(knobs.knobValue("bw_hbm_gbs", 512), `512${thin}GB/s`);
    assert.equal(knobs.knobName("levels.node.link.bandwidth_bytes_per_s"), "Links, node");
    assert.equal(knobs.knobValue("device.memory_bandwidth_bytes_per_s", 3.35e12), `3.35${thin}TB/s`);
  });

  it("are searched over lists of numbers, or of values with units", async () => {
    const request = await vite.load("/src/state/request.ts");
    assert.deepEqual(request.list("256, 512"), [256, 512]);
    assert.deepEqual(request.list("256 512"), [256, 512]);
    assert.deepEqual(request.list("split replicate"), ["split", "replicate"]);
    assert.deepEqual(request.list("3.35 TB/s"), ["3.35 TB/s"]);
    const path = "machine.device.memory_bandwidth";
    const { space } = request.exploreRequest({ [`explore.axes.${path}_bytes_per_s`]: "3.35 TB/s, 6.7 TB/s" });
    assert.deepEqual(space.axes, { [path]: ["3.35 TB/s", "6.7 TB/s"] });
  });
});

describe("link", () => {
  it("carries 200 random states there and back", () => {
    const next = random(7);
    const keys = ["model", "phase", "context", "plan.tp", "plan.cp_ring_variant", "machine.bw_hbm_gbs", "explore.depth", "solve.batch_size"];
    const values = ["llama-3.1-70b", "TP+CP+DP", 4096, 6.25, true, false, "a b&c=d#e%", "ü✓", "0x10", "007", ""];
    for (let i = 0; i < 200; i += 1) {
      const inputs = {};
      for (const key of keys) if (next() < 0.6) inputs[key] = values[Math.floor(next() * values.length)];
      const state = { page: next() < 0.5 ? "inspect" : "explore", inputs, view: next() < 0.5 ? { sel: "S5" } : {}, unknown: next() < 0.2 ? { future: "x y" } : {} };
      const text = link.writeLink(state);
      const [path, hash] = text.split("#");
      assert.deepEqual(link.readLink(path, `#${hash}`), state, text);
    }
  });
  it("keeps what it does not know and reads version 0", () => {
    assert.deepEqual(link.readLink("/inspect", "#v=9&novel=1").unknown, { novel: "1" });
    assert.deepEqual(link.readLink("/inspect", "#v=0&seq=4096&hw=dgx-h100").inputs, { context: 4096, machine: "dgx-h100" });
  });
  it("never lets a link reach a prototype", () => {
    assert.equal(Object.keys(link.readLink("/inspect", "#v=1&__proto__=1").inputs).length, 0);
  });
  it("packs an uploaded model", async () => {
    const config = { architectures: ["LlamaForCausalLM"], hidden_size: 4096 };
    const packed = await link.pack(config);
    assert.match(packed, /^~[\w-]+$/);
    assert.deepEqual(await link.unpack(packed), config);
  });
});

describe("undo", () => {
  it("takes 50 steps back to the first state and forward to the last", () => {
    let now = 0;
    let steps = history.empty();
    for (let i = 1; i <= 50; i += 1) {
      steps = history.record(steps, `to ${i}`, now, null);
      now = i;
    }
    for (let i = 0; i < 50; i += 1) {
      const done = history.undo(steps, now);
      steps = done.history;
      now = done.state;
    }
    assert.equal(now, 0);
    assert.equal(history.undo(steps, now), null);
    for (let i = 0; i < 50; i += 1) {
      const done = history.redo(steps, now);
      steps = done.history;
      now = done.state;
    }
    assert.equal(now, 50);
  });
  it("makes one step of a drag and keeps at most 200", () => {
    let steps = history.empty();
    for (let i = 0; i < 30; i += 1) steps = history.record(steps, `drag ${i}`, i, "machine.bw_hbm_gbs");
    assert.equal(steps.past.length, 1);
    assert.equal(steps.past[0].state, 0);
    for (let i = 0; i < 300; i += 1) steps = history.record(steps, `${i}`, i, null);
    assert.equal(steps.past.length, 200);
  });
});

describe("scales", () => {
  it("go there and back", () => {
    const log = scale.logarithmic(1, 1000, 0, 300);
    assert.equal(Math.round(log.at(10)), 100);
    assert.ok(Math.abs(log.back(200) - 100) < 1e-9);
    const flat = scale.linear(0, 10, 100, 0);
    assert.equal(flat.at(2.5), 75);
  });
  it("step a slider by quarter octaves and land on the doubles", () => {
    assert.equal(scale.sliderStep(scale.sliderPosition(256, 32), 32, 8192, false), 256);
    assert.equal(scale.sliderStep(scale.sliderPosition(256, 32, 4), 32, 8192, false), 512);
    assert.equal(scale.sliderStep(9999, 32, 8192, false), 8192);
  });
  it("sort numbers by size, texts by letters, nothing last", () => {
    assert.deepEqual([10, 9, null, 2].sort(best.compareValues), [2, 9, 10, null]);
    assert.deepEqual(["qoml", "kv"].sort(best.compareValues), ["kv", "qoml"]);
  });

  it("mark what is best, and nothing where all tie", () => {
    assert.equal(best.verdict(-0.1, "less"), "better");
    assert.equal(best.verdict(0.1, "less"), "worse");
    assert.equal(best.verdict(0.1, "more"), "better");
    assert.equal(best.verdict(0, "more"), "");
    assert.equal(best.verdict(0.1, null), "");
  });
});
