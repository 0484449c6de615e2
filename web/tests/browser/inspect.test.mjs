// Inspect in a browser: every figure is the command line's, drawings follow the plan, sliders never paint a stale answer.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { loader } from "../load.mjs";
import { cli, figure, flags, link, seeded, settled, start, visit } from "./setup.mjs";

let app;
let vite;
let format;

before(async () => {
  app = await start();
  vite = await loader();
  format = await vite.load("/src/format/format.ts");
});
after(async () => {
  await app.stop();
  await vite.close();
});

const example = { model: "llama-3.1-70b", phase: "prefill", context: 32768, "plan.tp": 8, "plan.cp": 16 };

async function sameAsCli(page, inputs) {
  const { result } = cli("inspect", ...flags(inputs), "--json");
  const told = JSON.stringify(inputs);
  assert.equal(await figure(page, "latency"), format.time(result.latency_s), told);
  assert.equal(await figure(page, "memory"), format.bytes(result.memory.total_bytes), told);
  assert.equal(await figure(page, "devices"), format.count(result.layout.pes_used), told);
  const parts = await page.locator('[data-panel="memory"] .memkey dd').allInnerTexts();
  const keys = ["attn_weights_bytes", "ffn_weights_bytes", "embedding_bytes", "head_bytes", "kv_cache_bytes", "activations_bytes"];
  assert.deepEqual(parts, keys.map((key) => format.bytes(result.memory[key])), told);
  const held = await page.locator('[data-panel="replication"] tr.sum .num').allInnerTexts();
  const { total } = result.replication;
  assert.deepEqual(held, [format.bytes(total.held_bytes), format.percent(total.redundant_fraction), format.bytes(total.redundant_bytes)], told);
  assert.equal(await page.locator('[data-panel="replication"] tbody tr:not(.sum)').count(), Math.max(1, result.replication.rows.length), told);
  assert.equal(await page.locator("[data-hint]").count(), result.hints.length, told);
  assert.equal(await page.locator('[data-panel="symbols"] dt').count(), result.symbols.length, told);
  if (result.latency_s === null) return result;
  const rows = await page.locator("[data-stage-row] [data-total]").allInnerTexts();
  const due = [...result.layers[0].stages, ...result.edges.filter((edge) => edge.total_s > 0)].map((stage) => format.time(stage.total_s));
  assert.deepEqual(rows, due, told);
  assert.equal(await page.locator("[data-layer-total]").innerText(), format.time(result.layers[0].layer_s), told);
  assert.equal(await page.locator("[data-pass-total]").innerText(), format.time(result.latency_s), told);
  const hops = result.layers[0].ring_hops;
  assert.deepEqual(await page.locator("[data-badge]").allInnerTexts(), hops > 0 ? [`× ${hops} hops`] : [], told);
  if (await page.locator("[data-cube]").count()) {
    assert.equal(await page.locator('[data-cube][data-used="true"]').count(), result.layout.cubes_used, told);
    assert.equal(await page.locator('[data-device][data-used="true"]').count(), result.layout.pes_used, told);
  }
  return result;
}

it("every figure is the command line's, for 12 configurations", async () => {
  const one = seeded(11);
  const { page, faults, close } = await app.open(link({ model: "llama-3.1-8b" }));
  for (let i = 0; i < 12; i += 1) {
    const inputs = {
      model: one(["llama-3.1-70b", "llama-3.1-8b", "mixtral-8x7b", "gemma-2-9b", "deepseek-v3"]), phase: one(["prefill", "decode"]), context: one([4096, 32768, 131072]), "plan.tp": one([1, 4, 8, 16]),
      "plan.cp": one([1, 2, 8, 16]), "plan.pp": one([1, 2]), "plan.kv_shard_mode": one(["split", "replicate"]), "plan.cp_ring_variant": one(["kv", "qoml"]), "plan.tp_placement": one(["pe", "cube"]), "machine.bw_hbm_gbs": one([256, 512]),
    };
    await visit(page, link(inputs));
    await sameAsCli(page, inputs);
  }
  assert.deepEqual(faults, []);
  await close();
});

it("shows the engine's total, even one that is not the sum of its parts", async () => {
  const prepare = (page) => page.route("**/v1/inspect", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    body.result.latency_s = 123.456;
    body.result.memory.total_bytes = 5e9;
    await route.fulfill({ response, json: body });
  });
  const { page, close } = await app.open(link({ model: "llama-3.1-8b" }), { prepare });
  assert.equal(await page.locator("[data-pass-total]").innerText(), format.time(123.456));
  assert.equal(await figure(page, "latency"), format.time(123.456));
  assert.equal(await figure(page, "memory"), format.bytes(5e9));
  await close();
});

it("placement, ring, KV, scope and topology change the numbers as the command line says", async () => {
  const inputs = { ...example };
  const { page, close } = await app.open(link(inputs));
  const toggles = [
    ["TP placement", "PE", "plan.tp_placement", "pe"], ["CP placement", "cube", "plan.cp_placement", "cube"], ["CP ring", "Q, O/m/l", "plan.cp_ring_variant", "qoml"],
    ["KV heads", "replicate", "plan.kv_shard_mode", "replicate"], ["FFN over", "TP", "plan.ffn_shard_scope", "TP"], ["SIP links", "torus", "machine.sip_topology", "torus2d"],
  ];
  for (const [group, choice, path, value] of toggles) {
    await page.getByRole("radiogroup", { name: group, exact: true }).getByLabel(choice, { exact: true }).check();
    await settled(page);
    inputs[path] = value;
    await sameAsCli(page, inputs);
  }
  await close();
});

it("one ring visit has no arc; ring, mesh and torus draw the engine's links", async () => {
  const many = { model: "llama-3.1-70b", phase: "decode", context: 131072, "plan.cp": 16, "plan.tp": 32, "plan.cp_ring_variant": "qoml" };
  const { page, close } = await app.open(link(many));
  assert.equal(await page.locator("[data-badge]").count(), 0);
  await visit(page, link({ ...example, "plan.cp": 1 }));
  assert.equal(await page.locator("[data-badge]").count(), 0);
  const drawn = {};
  for (const kind of ["ring", "mesh2d", "torus2d"]) {
    const inputs = { ...many, "machine.sip_topology": kind };
    await visit(page, link(inputs));
    const { result } = cli("inspect", ...flags(inputs), "--set", "topology=true", "--json");
    const used = new Set(result.topology.nodes.filter((node) => node.parent === null && node.used).map((node) => node.id));
    const due = result.topology.links.filter((item) => used.has(item.a) && used.has(item.b));
    assert.equal(await page.locator("path[data-link]").count(), due.length, kind);
    drawn[kind] = await page.locator("path[data-link]").evaluateAll((all) => all.map((path) => path.getAttribute("d")).join());
  }
  assert.equal(new Set(Object.values(drawn)).size >= 2, true);
  await close();
});

it("a hint is tried as one step and taken back", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072, "plan.tp": 32, "plan.cp": 16, "plan.cp_ring_variant": "kv" }));
  const before = await figure(page, "latency");
  await page.locator('[data-hint="decode_kv_ring"]').getByRole("button").click();
  await settled(page);
  assert.notEqual(await figure(page, "latency"), before);
  await page.keyboard.press("Control+z");
  await settled(page);
  assert.equal(await figure(page, "latency"), before);
  await close();
});

// Answers come back out of order; each one painted must be of a later question than the one before it.
it("100 slider steps with delayed answers: no stale answer is painted, the last value wins", async () => {
  const questions = new Map();
  const one = seeded(3);
  const prepare = (page) => page.route("**/v1/inspect", async (route) => {
    const asked = questions.size;
    const response = await route.fetch();
    const body = await response.json();
    body.result.latency_s += asked * 1e-9;
    questions.set(body.result.latency_s, asked);
    await new Promise((resolve) => setTimeout(resolve, one([0, 5, 20, 40])));
    await route.fulfill({ response, json: body });
  });
  const { page, close } = await app.open(link({ model: "llama-3.1-8b", phase: "decode", context: 8192 }), { prepare });
  await page.evaluate(() => {
    window.painted = [];
    new MutationObserver(() => window.painted.push(document.querySelector("[data-pass-total]").textContent)).observe(document.querySelector("[data-pass-total]"), { characterData: true, subtree: true, childList: true });
  });
  const slider = page.getByRole("slider", { name: "HBM bandwidth, slider" });
  await slider.focus();
  for (let i = 0; i < 100; i += 1) await page.keyboard.press(i % 10 < 7 ? "ArrowRight" : "ArrowLeft");
  await settled(page);
  const value = Number((await page.inputValue("#f-machine-bw_hbm_gbs")).replaceAll(",", ""));
  const inputs = { model: "llama-3.1-8b", phase: "decode", context: 8192, "machine.bw_hbm_gbs": value };
  const due = cli("inspect", ...flags(inputs), "--json").result.latency_s;
  assert.equal(await figure(page, "latency"), format.time(due));
  const texts = [...questions].map(([latency, asked]) => [format.time(latency), asked]);
  let last = 0;
  for (const text of await page.evaluate(() => window.painted)) {
    const candidates = texts.filter(([shown]) => shown === text).map(([, asked]) => asked);
    const next = candidates.filter((asked) => asked >= last).at(0);
    assert.notEqual(next, undefined, `${text} was painted after the answer to question ${last}`);
    last = next;
  }
  await close();
});

it("500 slider steps leave nothing behind; the page stays small", async () => {
  const { page, close } = await app.open(link({ ...example }));
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize;
  };
  const slider = page.getByRole("slider", { name: "HBM bandwidth, slider" });
  const drag = (steps) => slider.evaluate(async (element, count) => {
    for (let i = 0; i < count; i += 1) {
      element.value = String(4 + (i % 13));
      element.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }, steps);
  await drag(50);
  await settled(page);
  const first = await heap();
  await drag(500);
  await settled(page);
  const grown = (await heap()) - first;
  assert.ok(grown < 5e6, `the heap grew by ${grown} bytes`);
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(nodes <= 4000, `${nodes} nodes`);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await settled(page);
  assert.ok(!page.url().includes("bw_hbm_gbs"), "each drag is one step");
  await close();
});
