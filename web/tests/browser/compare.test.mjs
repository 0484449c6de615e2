// Compare and saved configurations: marks and changes are those of the engine's `compare`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

const degrees = [4, 8, 16, 32];
const base = { model: "llama-3.1-70b", phase: "prefill", context: 32768 };
const specs = degrees.map((tp) => ({ command: "inspect", ...base, plan: { tp, cp: 16 } }));
const told = (baseline) => cli("compare", "--set", `files=${JSON.stringify(specs)}`, "--baseline", String(baseline), "--json").result;

async function same(page, result, keys) {
  for (const key of keys) {
    const row = result.rows.find((item) => item.key === key);
    const cells = page.locator(`[data-row="${key}"] td`);
    const last = key.split(".").at(-1);
    const texts = (await cells.allInnerTexts()).map((text) => text.split("\n")[0].replace(/\s*best$/, "").trim());
    assert.deepEqual(texts, row.values.map((value) => format.byKey(last, value, 4)), key);
    const marked = await cells.evaluateAll((all) => all.map((cell) => cell.classList.contains("best")));
    assert.deepEqual(marked, row.values.map((value) => row.best_index !== null && value === row.values[row.best_index]), key);
  }
}

it("four configurations are saved, compared as the engine does, renamed, deleted and restored", async () => {
  const { page, faults, close } = await app.open("/inspect#v=1&model=llama-3.1-70b&phase=prefill&context=32768&plan.tp=8&plan.cp=16");
  for (const tp of degrees) {
    await page.fill("#f-plan-tp", String(tp));
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Save as/ }).click();
  }
  await page.getByRole("link", { name: "Compare" }).click();
  await page.waitForSelector('[data-row="latency_s"]');
  await settled(page);
  const keys = ["latency_s", "memory.total_bytes", "objectives.tokens_per_s", "objectives.pes_used", "layers.0.stages.S5.total_s", "layers.0.stages.F3.total_s"];
  await same(page, told(0), keys);
  assert.match(await page.locator('[data-row="latency_s"]').innerText(), /best/);
  const result = told(2);
  await page.getByRole("combobox", { name: "Baseline" }).selectOption("2");
  await settled(page);
  await same(page, result, keys);
  const change = result.rows.find((row) => row.key === "memory.total_bytes").change_fractions[0];
  assert.match(await page.locator('[data-row="memory.total_bytes"] td').first().innerText(), new RegExp(`${format.signedPercent(change).replace("+", "\\+")} worse`));
  await page.getByLabel("Name of configuration 0").fill("small");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Delete small" }).click();
  await settled(page);
  assert.equal(await page.locator('[data-row="latency_s"] td').count(), 3);
  await page.getByRole("button", { name: "Restore small" }).click();
  await settled(page);
  assert.equal(await page.locator('[data-row="latency_s"] td').count(), 4);
  await same(page, result, keys);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export all" }).click()]);
  const exported = JSON.parse(readFileSync(await file.path(), "utf8"));
  assert.deepEqual(exported.saved.map((item) => item.name), ["small", "config2", "config3", "config4"]);
  assert.deepEqual(exported.answer.result.rows, result.rows);
  assert.deepEqual(faults, []);
  await close();
});

it("two configurations draw a slope each; an exported file brings them to another browser", async () => {
  const saved = degrees.slice(0, 2).map((tp, i) => ({ name: `c${i}`, inputs: { ...base, "plan.tp": tp, "plan.cp": 16 } }));
  const { page, close } = await app.open("/compare");
  await page.evaluate((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "two.ridgeline.json", { type: "application/json" }));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, JSON.stringify({ saved }));
  await page.waitForSelector('[data-panel="slope"]');
  await settled(page);
  const { rows } = cli("compare", "--set", `files=${JSON.stringify(specs.slice(0, 2))}`, "--json").result;
  const latency = rows.find((row) => row.key === "latency_s").change_fractions[1];
  assert.ok((await page.locator('[data-panel="slope"] text').allTextContents()).some((text) => text === `Latency of one pass ${format.signedPercent(latency)}`));
  await close();
});
