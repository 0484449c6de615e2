// Inspect in a browser: figures equal the command line's, drawings follow the plan, links, undo, copies, keys.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, it } from "node:test";
import { loader } from "../load.mjs";
import { cli, program, settled, start } from "./setup.mjs";

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

const figure = (page, name) => page.locator(`[data-figure="${name}"]`).innerText();
const link = (inputs, page = "inspect") => `/${page}#v=1&${Object.entries(inputs).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
const flags = (inputs) => Object.entries(inputs).flatMap(([key, value]) => ["--set", `${key}=${value}`]);

function seeded(seed) {
  let state = seed;
  return (list) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)];
  };
}

it("every figure is the command line's, for 12 configurations", async () => {
  const one = seeded(11);
  const { page, faults, close } = await app.open(link({ model: "llama-3.1-8b" }));
  for (let i = 0; i < 12; i += 1) {
    const inputs = {
      model: one(["llama-3.1-70b", "llama-3.1-8b", "mixtral-8x7b", "gemma-2-9b", "deepseek-v3"]), phase: one(["prefill", "decode"]), context: one([4096, 32768, 131072]), "plan.tp": one([1, 4, 8, 16]),
      "plan.cp": one([1, 2, 8, 16]), "plan.pp": one([1, 2]), "plan.kv_shard_mode": one(["split", "replicate"]), "plan.cp_ring_variant": one(["kv", "qoml"]), "plan.tp_placement": one(["pe", "cube"]), "machine.bw_hbm_gbs": one([256, 512]),
    };
    const { result } = cli("inspect", ...flags(inputs), "--json");
    await page.goto(app.url + link(inputs));
    await page.reload();
    await page.waitForSelector("[data-ready]");
    await settled(page);
    assert.equal(await figure(page, "latency"), format.time(result.latency_s), JSON.stringify(inputs));
    assert.equal(await figure(page, "memory"), format.bytes(result.memory.total_bytes));
    assert.equal(await figure(page, "devices"), format.count(result.layout.pes_used));
    if (result.latency_s === null) continue;
    const rows = await page.locator("[data-stage-row] [data-total]").allInnerTexts();
    const expected = [...result.layers[0].stages, ...result.edges.filter((edge) => edge.total_s > 0)].map((stage) => format.time(stage.total_s));
    assert.deepEqual(rows, expected);
    assert.equal(await page.locator("[data-pass-total]").innerText(), format.time(result.latency_s));
    const hops = result.layers[0].ring_hops;
    assert.equal(await page.locator("[data-badge]").count(), hops > 0 ? 1 : 0);
    if (hops > 0) assert.equal(await page.locator("[data-badge]").innerText(), `× ${hops} hops`);
    if (await page.locator("[data-cube]").count()) {
      assert.equal(await page.locator('[data-cube][data-used="true"]').count(), result.layout.cubes_used, "cubes lit");
      assert.equal(await page.locator('[data-device][data-used="true"]').count(), result.layout.pes_used, "PEs lit");
    }
  }
  assert.deepEqual(faults, []);
  await close();
});

it("shows the engine's total, even one that is not the sum of its parts", async () => {
  const prepare = (page) => page.route("**/v1/inspect", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    body.result.latency_s = 123.456;
    await route.fulfill({ response, json: body });
  });
  const { page, close } = await app.open(link({ model: "llama-3.1-8b" }), { prepare });
  assert.equal(await page.locator("[data-pass-total]").innerText(), format.time(123.456));
  assert.equal(await figure(page, "latency"), format.time(123.456));
  await close();
});

it("one ring visit has no arc; torus, ring and mesh draw other links", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072, "plan.cp": 16, "plan.tp": 32, "plan.cp_ring_variant": "qoml" }));
  assert.equal(await page.locator("[data-badge]").count(), 0);
  const drawn = {};
  for (const kind of ["ring", "mesh", "torus"]) {
    await page.getByRole("radiogroup", { name: "SIP links" }).getByLabel(kind).check();
    await settled(page);
    drawn[kind] = await page.locator("[data-link]").evaluateAll((all) => all.map((path) => path.getAttribute("d")).join());
  }
  assert.equal(new Set(Object.values(drawn)).size >= 2, true);
  await close();
});

it("a link is the view: reload, Back and a new tab rebuild it; the unknown is kept", async () => {
  const { page, close } = await app.open("/inspect#v=1&model=llama-3.1-8b&phase=decode&context=8192&plan.tp=4&sel=F3&future=1");
  assert.equal(await page.locator('[data-stage="F3"]').getAttribute("aria-pressed"), "true");
  assert.match(page.url(), /future=1/);
  const text = await page.locator("main").innerText();
  await page.reload();
  await page.waitForSelector("[data-ready]");
  await settled(page);
  const steady = (value) => value.replace(/answered in [\d.]+\s\S+/g, "");
  assert.equal(steady(await page.locator("main").innerText()), steady(text));
  await page.getByRole("link", { name: "Glossary" }).click();
  await page.waitForURL(/glossary/);
  await page.goBack();
  await page.waitForURL(/inspect/);
  await page.waitForSelector('[data-stage="F3"][aria-pressed="true"]');
  await close();
});

it("50 actions undone one by one give the first state, redone the last; a drag is one step", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "prefill", context: 32768, "plan.tp": 8, "plan.cp": 16 }));
  const hash = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(location.hash)))));
  const first = await hash();
  const one = seeded(5);
  let done = 0;
  for (let i = 0; i < 50; i += 1) {
    const before = await hash();
    await page.locator(`[data-stage="${one(["S1", "S5", "S8", "F3", "F5"])}"]`).click();
    if ((await hash()) !== before) done += 1;
  }
  const last = await hash();
  for (let i = 0; i < done; i += 1) await page.keyboard.press("Control+z");
  assert.equal(await hash(), first);
  for (let i = 0; i < done; i += 1) await page.keyboard.press("Control+Shift+z");
  assert.equal(await hash(), last);
  const slider = page.getByRole("slider", { name: "HBM bandwidth, slider" });
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 3; i < 9; i += 1) await page.mouse.move(box.x + (box.width * i) / 10, box.y + box.height / 2);
  await page.mouse.up();
  assert.match(await hash(), /machine\.bw_hbm_gbs/);
  await page.keyboard.press("Control+z");
  assert.equal(await hash(), last);
  await close();
});

it("Copy as CLI and cURL, executed, give the number on screen; exports carry the data", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072, "plan.tp": 16, "plan.cp": 8, "machine.bw_hbm_gbs": 512 }));
  const shown = await figure(page, "latency");
  await page.getByRole("button", { name: "Copy as CLI" }).first().click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const run = spawnSync("sh", ["-c", `${command.replace(/^ridgeline/, `'${program}'`)} --json`], { encoding: "utf8" });
  assert.equal(format.time(JSON.parse(run.stdout).result.latency_s), shown, command);
  await page.getByRole("button", { name: "Copy as cURL" }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  const answer = spawnSync("sh", ["-c", curl], { encoding: "utf8" });
  assert.equal(format.time(JSON.parse(answer.stdout).result.latency_s), shown, curl);
  const save = async (kind) => {
    const panel = page.locator('[data-panel="roofline"]');
    await panel.locator("summary").click();
    const [file] = await Promise.all([page.waitForEvent("download"), panel.getByRole("button", { name: kind }).click()]);
    return readFileSync(await file.path());
  };
  const svg = (await save("SVG")).toString();
  assert.equal(await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror") === null, svg), true);
  const png = await save("PNG");
  assert.equal(png.readUInt32BE(16), 840);
  assert.ok(png.length > 5000);
  const csv = (await save("CSV")).toString().trim().split("\n");
  await page.locator('[data-panel="roofline"]').getByRole("button", { name: "Table" }).click();
  assert.equal(await page.locator('[data-panel="roofline"] tbody tr').count(), csv.length - 1);
  await close();
});

it("refused, infeasible, unplaceable and lost are told; hostile names stay text", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072 }));
  await page.waitForSelector("[data-banner]");
  assert.match(await page.locator("[data-banner]").innerText(), /Does not fit/);
  await page.fill("#f-plan-tp", "0");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".deg.wrong");
  assert.match(await page.locator("main").innerText(), /from before the change/);
  await page.keyboard.press("Escape");
  await page.goto(app.url + link({ model: "llama-3.1-70b", "plan.cp": 999 }));
  await page.reload();
  await page.waitForSelector("[data-banner]");
  assert.match(await page.locator("[data-banner]").innerText(), /Cannot be placed/);
  assert.equal(await figure(page, "latency"), "–");
  await page.evaluate(() => (location.hash = `#v=1&model=${encodeURIComponent("<img src=x onerror=alert(1)>")}`));
  await page.waitForFunction(() => document.querySelector("[role=alert]") !== null);
  assert.equal(await page.locator("img").count(), 0);
  await page.setInputFiles("input[type=file]", { name: "config.json", mimeType: "application/json", buffer: Buffer.from("{broken") });
  await page.getByText("is no JSON").waitFor();
  await page.setInputFiles("input[type=file]", { name: "config.json", mimeType: "application/json", buffer: Buffer.alloc(5_100_000, 32) });
  await page.getByText("over 5 MB").waitFor();
  await close();
});

it("works with storage blocked", async () => {
  const prepare = (page) => page.addInitScript(() => Object.defineProperty(window, "localStorage", { get: () => { throw new Error("blocked"); } }));
  const { page, faults, close } = await app.open("/inspect", { prepare });
  assert.match(await figure(page, "latency"), /s$/);
  assert.deepEqual(faults, []);
  await close();
});

it("a hint is tried as one step and taken back", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072, "plan.tp": 32, "plan.cp": 16, "plan.cp_ring_variant": "kv" }));
  const before = await figure(page, "latency");
  await page.locator('[data-hint="decode_kv_ring"]').getByRole("button").click();
  await page.waitForFunction((text) => document.querySelector('[data-figure="latency"]').textContent !== text, before);
  await page.keyboard.press("Control+z");
  await page.waitForFunction((text) => document.querySelector('[data-figure="latency"]').textContent === text, before);
  await close();
});

it("without a pointer: a page, a stage with its formulas, a degree, a saved configuration", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "prefill", context: 32768, "plan.tp": 8, "plan.cp": 16 }));
  await page.keyboard.press(".");
  await page.waitForSelector("tr.fx");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("plan.tp");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "f-plan-tp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.inputValue("#f-plan-tp"), "16");
  await page.keyboard.press("Tab");
  await page.evaluate(() => document.getElementById("main").focus());
  await page.keyboard.press("s");
  await page.keyboard.press("5");
  await page.waitForURL(/compare/);
  await page.getByText("config1").first().waitFor();
  await close();
});

it("100 slider steps: the last value wins, no stale answer is painted, the heap stays", async () => {
  const prepare = (page) => page.route("**/v1/inspect", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, (Date.now() * 7919) % 40));
    await route.continue();
  });
  const { page, close } = await app.open(link({ model: "llama-3.1-8b", phase: "decode", context: 8192 }), { prepare });
  const slider = page.getByRole("slider", { name: "HBM bandwidth, slider" });
  await slider.focus();
  for (let i = 0; i < 100; i += 1) await page.keyboard.press(i % 10 < 7 ? "ArrowRight" : "ArrowLeft");
  const value = Number((await page.inputValue("#f-machine-bw_hbm_gbs")).replaceAll(",", ""));
  await page.waitForTimeout(400);
  await settled(page);
  const { result } = cli("inspect", "--model", "llama-3.1-8b", "--phase", "decode", "--context", "8192", "--set", `machine.bw_hbm_gbs=${value}`, "--json");
  assert.equal(await figure(page, "latency"), format.time(result.latency_s));
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(nodes <= 4000, `${nodes} nodes`);
  await close();
});
