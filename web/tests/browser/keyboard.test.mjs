// The tasks of architects, engineers and planners, done with the keyboard alone; the focus is visible at every step.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { figure, hash, link, settled, start } from "./setup.mjs";

let app;
before(async () => {
  app = await start();
});
after(() => app.stop());

const mostTabs = 400;

// Tab until the focus is on what is wanted; wherever it stops on the way it can be seen.
async function tabTo(page, wanted, key = "Tab") {
  for (let i = 0; i < mostTabs; i += 1) {
    await page.keyboard.press(key);
    const at = await page.evaluate((selector) => {
      const element = document.activeElement;
      if (!element || element === document.body) return { isThere: false, isVisible: true, text: "" };
      const looks = [element, element.parentElement, element.nextElementSibling].filter(Boolean).map((item) => getComputedStyle(item));
      const isVisible = looks.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || element.matches("dialog, main");
      return { isThere: element.matches(selector), isVisible, text: element.outerHTML.slice(0, 120) };
    }, wanted);
    assert.ok(at.isVisible, `no visible focus on ${at.text}`);
    if (at.isThere) return;
  }
  assert.fail(`${wanted} is not reached by Tab`);
}

const toBody = (page) => page.evaluate(() => document.activeElement?.blur());
const example = link({ model: "llama-3.1-70b", phase: "prefill", context: 32768, "plan.tp": 8, "plan.cp": 16 });

it("T1: why is this slow: the binding stage, its formula and the knob behind it", async () => {
  const { page, close } = await app.open(example);
  await tabTo(page, '[data-stage-row="F3"] button');
  await page.keyboard.press("Enter");
  await page.waitForSelector("tr.fx");
  const row = await page.locator('[data-stage-row="F3"]').innerText();
  assert.match(row, /compute/);
  assert.match(await page.locator("tr.fx").innerText(), /F u/);
  await page.keyboard.press(".");
  await page.waitForSelector('[data-stage="F4"][aria-pressed="true"]');
  await page.keyboard.press(",");
  await page.waitForSelector('[data-stage="F3"][aria-pressed="true"]');
  await page.keyboard.press("Escape");
  assert.doesNotMatch(await hash(page), /sel=/);
  await close();
});

it("T2: does it fit, how long, how many, on which rank", async () => {
  const { page, close } = await app.open(example);
  await page.keyboard.press("4");
  await page.waitForURL(/fit/);
  await settled(page);
  await tabTo(page, "#f-fit-tp");
  await page.keyboard.press("ArrowDown");
  await settled(page);
  assert.match(await page.locator(".kpis").first().innerText(), /Longest context\s+[\d,]+/);
  assert.match(await page.locator(".kpis").first().innerText(), /Largest batch/);
  assert.match(await page.locator('[data-panel="ranks"]').innerText(), /limits/);
  await close();
});

it("T3: a point of the front is chosen, pinned and opened in Inspect", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072, "explore.depth": "balanced" }));
  await page.keyboard.press("2");
  await page.waitForURL(/explore/);
  await settled(page);
  await tabTo(page, '[data-panel="scatter"] [role="listbox"]');
  await page.keyboard.press("ArrowLeft");
  await settled(page);
  await page.keyboard.press("p");
  assert.match(await hash(page), /pins=/);
  const best = await page.locator("[data-front-row].on button.rowb").innerText();
  await tabTo(page, '[data-panel="heat"] [role="listbox"]');
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await tabTo(page, '[data-panel="scatter"] [role="listbox"]', "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/inspect/);
  await settled(page);
  assert.equal(await figure(page, "latency"), best);
  await close();
});

it("T4: the first bar of the tornado is read and tried", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072, "explore.depth": "balanced" }, "explore"));
  await tabTo(page, "[data-knob]");
  const knob = await page.evaluate(() => document.activeElement.dataset.knob);
  assert.match(await page.evaluate(() => document.activeElement.textContent), /%/);
  await page.keyboard.press("Enter");
  await settled(page);
  assert.match(await hash(page), new RegExp(`machine\\.${knob}=`));
  await toBody(page);
  await page.keyboard.press("Control+z");
  assert.doesNotMatch(await hash(page), new RegExp(`machine\\.${knob}=`));
  await close();
});

it("T5: a hint is tried, its effect seen, undone", async () => {
  const { page, close } = await app.open(example);
  const before = await figure(page, "latency");
  await tabTo(page, "[data-hint] button");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.notEqual(await figure(page, "latency"), before);
  await page.keyboard.press("Control+z");
  await settled(page);
  assert.equal(await figure(page, "latency"), before);
  await close();
});

it("T6: two configurations are saved, compared, and the baseline swapped", async () => {
  const { page, close } = await app.open(example);
  await page.keyboard.press("s");
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "combobox" && document.activeElement.closest("dialog"));
  await page.keyboard.type("plan.tp");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "f-plan-tp");
  await page.keyboard.press("ArrowUp");
  await settled(page);
  await toBody(page);
  await page.keyboard.press("s");
  await page.keyboard.press("x");
  await settled(page);
  assert.match(await hash(page), /plan\.tp=8/);
  await page.keyboard.press("x");
  await settled(page);
  assert.match(await hash(page), /plan\.tp=16/);
  await page.keyboard.press("5");
  await page.waitForSelector('[data-row="latency_s"]');
  assert.match(await page.locator('[data-row="latency_s"]').innerText(), /best/);
  await page.keyboard.press("x");
  assert.match(await hash(page), /base=1/);
  await close();
});

it("ranks of the machine and the export menu are reached; E opens it", async () => {
  const { page, close } = await app.open(example);
  await tabTo(page, '[data-panel="machine"] svg [role="slider"]');
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.match(await hash(page), /rank=\d/);
  await page.keyboard.press("e");
  assert.equal(await page.evaluate(() => document.activeElement.closest("[data-panel]")?.dataset.panel), "machine");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "PNG");
  await close();
});

it("single letters can be switched off", async () => {
  const { page, close } = await app.open(example);
  await page.keyboard.press("t");
  await page.waitForSelector('html[data-theme="dark"]');
  await page.keyboard.press("?");
  await tabTo(page, "dialog input[type=checkbox]");
  await page.keyboard.press("Space");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await toBody(page);
  await page.keyboard.press("t");
  await page.keyboard.press("5");
  await settled(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.match(page.url(), /inspect/);
  await page.keyboard.press("Control+k");
  await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "combobox" && document.activeElement.closest("dialog"));
  await page.waitForSelector("dialog");
  await close();
});
