// Explore: scatter, table, heat map and tornado are one selection over the engine's front.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { loader } from "../load.mjs";
import { cli, figure, settled, start } from "./setup.mjs";

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

const explore = "/explore#v=1&model=llama-3.1-70b&phase=decode&context=131072&explore.depth=balanced&explore.x=cost_score";
const asked = ["explore", "--model", "llama-3.1-70b", "--phase", "decode", "--context", "131072", "--depth", "balanced"];

it("the front on screen is the engine's, and a brush never changes it", async () => {
  const { page, faults, close } = await app.open(explore);
  const { result } = cli(...asked, "--json");
  assert.equal(await page.locator("[data-front-row]").count(), result.pareto.length);
  assert.equal(await page.locator("[data-front]").count(), result.pareto.length);
  assert.equal(await figure(page, "best"), format.time(result.best.latency_s));
  assert.equal(await figure(page, "front"), format.count(result.pareto.length));
  const times = await page.locator("[data-front-row] button.rowb").allInnerTexts();
  assert.deepEqual(times, result.pareto.map((point) => format.time(point.latency_s)));
  const box = await page.locator('[data-panel="scatter"] svg.ch').boundingBox();
  await page.mouse.move(box.x + box.width * 0.15, box.y + box.height * 0.1);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.8, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes("brush="));
  await settled(page);
  assert.equal(await page.locator("[data-front]").count(), result.pareto.length);
  assert.equal(await figure(page, "front"), format.count(result.pareto.length));
  const [x0, x1, y0, y1] = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("brush").split(",").map(Number);
  const inside = result.pareto.filter((point) => point.cost_score >= x0 && point.cost_score <= x1 && point.latency_s >= y0 && point.latency_s <= y1);
  assert.equal(await page.locator("[data-front-row]").count(), inside.length);
  await page.getByRole("button", { name: "Clear filter" }).click();
  await settled(page);
  assert.equal(await page.locator("[data-front-row]").count(), result.pareto.length);
  assert.deepEqual(faults, []);
  await close();
});

it("a point chosen anywhere is lit everywhere, moves the tornado, is pinned and opens in Inspect", async () => {
  const { page, close } = await app.open(explore);
  await page.locator("[data-front-row]").nth(1).locator("button.rowb").click();
  await settled(page);
  const key = await page.locator("[data-front-row].on").getAttribute("data-front-row");
  assert.equal(await page.locator("[data-front-row].on").count(), 1);
  assert.equal(await page.locator('[data-front][aria-selected="true"]').count(), 1);
  const { result } = cli(...asked, "--json");
  const { hardware, plan } = result.pareto[1];
  const there = cli(...asked, "--at", JSON.stringify({ hardware, plan }), "--json").result;
  const knobs = await page.locator("[data-knob]").evaluateAll((all) => all.map((item) => item.dataset.knob));
  assert.deepEqual(knobs, there.sensitivity.map((row) => row.knob));
  const widths = await page.locator('[data-panel="sensitivity"] text[text-anchor="end"]:not(.m)').allTextContents();
  assert.deepEqual(widths, there.sensitivity.map((row) => format.saved(row.speedup_fraction)));
  await page.locator('[data-panel="scatter"] [role="listbox"]').focus();
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  const next = await page.locator("[data-front-row].on").getAttribute("data-front-row");
  assert.notEqual(next, key);
  await page.keyboard.press("p");
  await page.waitForFunction(() => location.hash.includes("pins="));
  assert.equal(await page.locator('[data-front-row].on [aria-pressed="true"]').count(), 1);
  const time = await page.locator("[data-front-row].on button.rowb").innerText();
  await page.getByRole("button", { name: "Inspect selection" }).click();
  await page.waitForURL(/inspect/);
  await settled(page);
  assert.equal(await figure(page, "latency"), time);
  await close();
});

it("a cell of the heat map chooses its best point", async () => {
  const { page, close } = await app.open(explore);
  const { result } = cli(...asked, "--heat-map", "plan.tp,plan.cp", "--json");
  const cells = result.heat_map.cells;
  assert.equal(await page.locator("[data-cell]").count(), cells.length);
  const wanted = cells.findLast((cell) => cell.point);
  await page.locator(`[data-cell="${wanted.x},${wanted.y}"]`).click();
  await settled(page);
  assert.equal(await page.locator(`[data-cell="${wanted.x},${wanted.y}"]`).getAttribute("aria-selected"), "true");
  const point = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("point");
  assert.match(point, new RegExp(`tp:${wanted.point.plan.tp},`.replace(",", "\\b")));
  assert.match(point, new RegExp(`cp:${wanted.point.plan.cp}\\b`));
  await close();
});

it("a knob of the tornado is set by a click and the search answers again", async () => {
  const { page, close } = await app.open(explore);
  const before = await figure(page, "best");
  await page.locator('[data-knob="bw_inter_gbs"]').click();
  await page.waitForFunction(() => location.hash.includes("machine.bw_inter_gbs="));
  await settled(page);
  const value = new URLSearchParams(new URL(page.url()).hash.slice(1)).get("machine.bw_inter_gbs");
  const { result } = cli(...asked, "--set", `machine.bw_inter_gbs=${value}`, "--json");
  assert.equal(await figure(page, "best"), format.time(result.best.latency_s), `was ${before}`);
  await close();
});

it("marks are coloured by a field and the legend says by which values", async () => {
  const { page, close } = await app.open(explore);
  const fill = () => page.locator("[data-front]").evaluateAll((all) => all.map((mark) => mark.style.fill));
  const byBound = await fill();
  await page.getByRole("combobox", { name: "Colour by" }).selectOption("plan.tp");
  await settled(page);
  assert.notDeepEqual(await fill(), byBound);
  assert.ok((await page.locator('[data-panel="scatter"] .key span').count()) >= 2);
  assert.match(page.url(), /color=plan\.tp/);
  await close();
});

it("a long search tells its progress and is stopped; the last answer stays", async () => {
  let release = () => {};
  const held = new Promise((resolve) => (release = resolve));
  let hold = false;
  const prepare = (page) => page.route("**/v1/explore", async (route) => {
    if (hold) await held;
    await route.continue().catch(() => {});
  });
  const { page, close } = await app.open(explore, { prepare });
  const best = await figure(page, "best");
  hold = true;
  await page.getByRole("slider", { name: "HBM bandwidth, slider" }).press("PageUp");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("The search was stopped.").waitFor();
  assert.equal(await figure(page, "best"), best);
  release();
  hold = false;
  await page.getByRole("button", { name: "Search again" }).click();
  await page.getByText("The search was stopped.").waitFor({ state: "detached" });
  await settled(page);
  assert.notEqual(await figure(page, "best"), best);
  await close();
});

it("what does not fit is drawn hollow on request and never joins the front", async () => {
  const { page, faults, close } = await app.open(explore);
  const { result } = cli(...asked, "--json");
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith("/v1/explore") && (response.request().postData() ?? "").includes('"misfits":true')),
    page.getByLabel("what does not fit").check(),
  ]);
  await settled(page);
  assert.ok((await answer.json()).result.feasible_count > result.feasible_count);
  assert.match(await page.locator('[data-panel="scatter"] header').innerText(), /hollow: does not fit/);
  assert.equal(await page.locator("[data-front]").count(), result.pareto.length);
  assert.equal(await figure(page, "best"), format.time(result.best.latency_s));
  assert.match(page.url(), /misfits=on/);
  assert.deepEqual(faults, []);
  await close();
});

it("columns of the front are chosen and remembered", async () => {
  const { page, close } = await app.open(explore);
  const heads = () => page.locator('[data-panel="front"] thead th').allInnerTexts();
  assert.ok(!(await heads()).includes("Ring"));
  await page.getByText("Columns", { exact: true }).click();
  await page.getByLabel("Ring", { exact: true }).check();
  await page.getByLabel("SIP", { exact: true }).last().uncheck();
  await settled(page);
  assert.ok((await heads()).includes("Ring"));
  assert.ok(!(await heads()).includes("SIP"));
  await page.reload();
  await page.waitForSelector("[data-ready]");
  await settled(page);
  assert.ok((await heads()).includes("Ring"));
  await close();
});

it("a space of GPUs has the knobs, the front and the axes of that machine", async () => {
  const gpus = ["explore", "--model", "llama-3.1-70b", "--phase", "decode", "--context", "8192", "--machine", "dgx-h100", "--depth", "coarse", "--objectives", "latency_s,cost_x_pes"];
  const { page, faults, close } = await app.open("/explore#v=1&model=llama-3.1-70b&phase=decode&context=8192&machine=dgx-h100");
  const { result } = cli(...gpus, "--json");
  assert.equal(await figure(page, "best"), format.time(result.best.latency_s));
  assert.equal(await page.locator("[data-front-row]").count(), result.pareto.length);
  assert.deepEqual(await page.locator("[data-knob]").evaluateAll((all) => all.map((item) => item.dataset.knob)), result.sensitivity.map((row) => row.knob));
  await page.fill("#f-explore-axes-machine-device-memory_bandwidth_bytes_per_s", "3.35 TB/s, 6.7 TB/s");
  await page.keyboard.press("Enter");
  await settled(page);
  const space = JSON.stringify({ base: "coarse", axes: { "machine.device.memory_bandwidth_bytes_per_s": [3.35e12, 6.7e12] } });
  const own = cli(...gpus.filter((word) => word !== "--depth" && word !== "coarse"), "--space", space, "--json").result;
  assert.equal(await figure(page, "best"), format.time(own.best.latency_s));
  await page.getByRole("button", { name: "Inspect selection" }).click();
  await page.waitForURL(/inspect/);
  await settled(page);
  assert.equal(await figure(page, "latency"), format.time(own.best.latency_s));
  assert.deepEqual(faults, []);
  await close();
});
