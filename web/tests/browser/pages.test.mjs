// Explore, Compare and Solvers in a browser.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { loader } from "../load.mjs";
import { cli, settled, start } from "./setup.mjs";

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

it("the front on screen is the engine's, and filters never change it", async () => {
  const { page, faults, close } = await app.open(explore);
  const { result } = cli("explore", "--model", "llama-3.1-70b", "--phase", "decode", "--context", "131072", "--depth", "balanced", "--json");
  assert.equal(await page.locator("[data-front-row]").count(), result.pareto.length);
  assert.equal(await page.locator("[data-front]").count(), result.pareto.length);
  assert.equal(await page.locator('[data-figure="best"]').innerText(), format.time(result.best.latency_s));
  const box = await page.locator('[data-panel="scatter"] svg.ch').boundingBox();
  await page.mouse.move(box.x + box.width * 0.15, box.y + box.height * 0.1);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.8, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes("brush="));
  assert.equal(await page.locator("[data-front]").count(), result.pareto.length);
  assert.deepEqual(faults, []);
  await close();
});

it("a point chosen in the table is lit, moves the tornado, is pinned and opens in Inspect", async () => {
  const { page, close } = await app.open(explore);
  const row = page.locator("[data-front-row]").nth(1);
  await row.locator("button.rowb").click();
  await settled(page);
  assert.match(await page.locator("[data-front-row]").nth(1).getAttribute("class"), /on/);
  await page.keyboard.press("p");
  await page.waitForFunction(() => location.hash.includes("pins="));
  const time = await page.locator("[data-front-row].on button.rowb").innerText();
  await page.getByRole("button", { name: "Inspect selection" }).click();
  await page.waitForSelector('[data-figure="latency"]');
  await settled(page);
  await page.waitForFunction((text) => document.querySelector('[data-figure="latency"]').textContent === text, time);
  await close();
});

it("a knob of the tornado is set by a click and the search answers again", async () => {
  const { page, close } = await app.open(explore);
  await page.locator('[data-knob="bw_hbm_gbs"]').click();
  await page.waitForFunction(() => location.hash.includes("machine.bw_hbm_gbs="));
  await settled(page);
  assert.match(await page.locator("main").innerText(), /Pareto front/);
  await close();
});

it("four configurations are saved, renamed, compared, deleted and restored", async () => {
  const { page, close } = await app.open("/inspect#v=1&model=llama-3.1-70b&phase=prefill&context=32768&plan.tp=8&plan.cp=16");
  for (const tp of [4, 8, 16, 32]) {
    await page.fill("#f-plan-tp", String(tp));
    await page.keyboard.press("Enter");
    await settled(page);
    await page.getByRole("button", { name: /^Save as/ }).click();
  }
  await page.getByRole("link", { name: "Compare" }).click();
  await page.waitForSelector('[data-row="latency_s"] td.best');
  const shown = await page.locator('[data-row="latency_s"] td').allInnerTexts();
  const times = [4, 8, 16, 32].map((tp) => cli("inspect", "--model", "llama-3.1-70b", "--phase", "prefill", "--context", "32768", "--tp", String(tp), "--cp", "16", "--json").result.latency_s);
  assert.deepEqual(shown.map((text) => text.replace(/\s*best$/, "")), times.map((time) => format.time(time, 4)));
  assert.match(shown[times.indexOf(Math.min(...times))], /best/);
  await page.getByLabel("Name of configuration 0").fill("small");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Delete small" }).click();
  assert.equal(await page.locator('[data-row="latency_s"] td').count(), 3);
  await page.getByRole("button", { name: "Restore small" }).click();
  assert.equal(await page.locator('[data-row="latency_s"] td').count(), 4);
  await close();
});

it("every solver of the schema has a form; an input out of range shows the engine's words", async () => {
  const { page, close } = await app.open("/solvers");
  await page.waitForSelector(".slist button");
  const names = await page.locator(".slist button").allInnerTexts();
  assert.ok(names.length >= 18);
  for (const name of names) {
    await page.getByRole("button", { name, exact: true }).click();
    await page.waitForSelector(`[data-form="${name}"] .field`);
  }
  await page.getByRole("button", { name: "serving", exact: true }).click();
  await page.waitForSelector('[data-key="itl_s"]');
  const { result } = cli("solve", "serving", "--model", "llama-3.1-8b", "--hardware", "h100-sxm", "--json");
  assert.equal(await page.locator('[data-key="itl_s"] td').innerText(), format.byKey("itl_s", result.itl_s, 4));
  await page.fill("#f-solve-tp_size", "-3");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".f.wrong .msg");
  await close();
});
