// Solvers: a form for each of the schema, its worked values answered as on the command line, refusals in the engine's words.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { loader } from "../load.mjs";
import { cli, settled, start, visit } from "./setup.mjs";

let app;
let vite;
let format;
let worked;

before(async () => {
  app = await start();
  vite = await loader();
  format = await vite.load("/src/format/format.ts");
  ({ worked } = await vite.load("/src/pages/worked.ts"));
});
after(async () => {
  await app.stop();
  await vite.close();
});

const asFlags = (request) => Object.entries(request).flatMap(([key, value]) => (typeof value === "object" ? ["--set", `${key}=${JSON.stringify(value)}`] : [`--${key.replaceAll("_", "-")}`, String(value)]));

it("every solver of the schema has a form whose first answer is the command line's", async () => {
  const { page, faults, close } = await app.open("/solvers");
  const { result: schema } = cli("schema", "--command", "solve", "--json");
  const names = schema.input.properties.solver.enum;
  assert.deepEqual(await page.locator(".slist button").allInnerTexts(), names);
  for (const name of names) {
    await visit(page, `/solvers#v=1&solver=${name}`);
    await page.waitForSelector(`[data-form="${name}"]`);
    await settled(page);
    const { properties } = cli("schema", "--command", "solve", "--variant", name, "--json").result.input;
    const starts = Object.entries({ model: "llama-3.1-8b", hardware: "h100-sxm" }).filter(([key]) => key in properties);
    const { result } = cli("solve", name, ...asFlags(worked[name] ?? Object.fromEntries(starts)), "--json");
    assert.equal(await page.locator("[role=alert]").count(), 0, name);
    const shown = Object.fromEntries(await page.locator("table.out > tbody > tr").evaluateAll((rows) => rows.map((row) => [row.dataset.key, row.cells[1].innerText])));
    assert.deepEqual(Object.keys(shown), Object.keys(result), name);
    for (const [key, value] of Object.entries(result)) {
      if (typeof value !== "object" || value === null) assert.equal(shown[key].trim(), format.byKey(key, value, 4), `${name} ${key}`);
    }
    assert.ok((await page.locator('[data-panel="card"] pre').innerText()).length > 100, name);
    assert.ok((await page.locator(`[data-form="${name}"] .field`).count()) > 0, name);
  }
  assert.deepEqual(faults, []);
  await close();
});

it("an input out of range shows the engine's words at its field; a right one is answered", async () => {
  const { page, close } = await app.open("/solvers#v=1&solver=serving");
  await page.fill("#f-solve-tp_size", "-3");
  await page.keyboard.press("Enter");
  const message = await page.locator(".f.wrong .msg").innerText();
  const refused = await page.request.post(`${app.url}/v1/solve/serving`, { data: { model: "llama-3.1-8b", hardware: "h100-sxm", tp_size: -3 } });
  assert.equal(refused.status(), 400);
  assert.ok(message.startsWith((await refused.json()).error.message), message);
  await page.fill("#f-solve-tp_size", "1");
  await page.keyboard.press("Enter");
  await page.fill("#f-solve-batch_size", "4");
  await page.keyboard.press("Enter");
  await settled(page);
  const { result } = cli("solve", "serving", "--model", "llama-3.1-8b", "--hardware", "h100-sxm", "--batch-size", "4", "--json");
  assert.equal(await page.locator('[data-key="itl_s"] td').innerText(), format.byKey("itl_s", result.itl_s, 4));
  await close();
});

it("Validate shows the medians of `validate`, and a chosen class in full", async () => {
  const { page, faults, close } = await app.open("/validate");
  const { result } = cli("validate", "--json");
  await page.getByRole("button", { name: "All classes" }).click();
  await settled(page);
  const shown = await page.locator("[data-class]").evaluateAll((rows) => rows.map((row) => [row.dataset.class, row.querySelector("[data-median]").textContent]));
  assert.deepEqual(new Map(shown), new Map(result.classes.map((row) => [`${row.class} ${row.quantity}`, format.percent(row.median_abs_error_fraction)])));
  await page.locator('[data-class="train/moe iter_time"] button').click();
  await settled(page);
  const rows = result.rows.filter((row) => row.class === "train/moe" && row.quantity === "iter_time");
  assert.equal(await page.locator('[data-panel="rows"] tbody tr').count(), rows.length);
  assert.deepEqual(faults, []);
  await close();
});

it("what moves a solver's answer is the engine's list", async () => {
  const { page, close } = await app.open("/solvers#v=1&solver=serving");
  const { result } = cli("solve", "serving", "--model", "llama-3.1-8b", "--hardware", "h100-sxm", "--levers", "--json");
  const moving = result.levers.filter((lever) => lever.changes === null || Object.keys(lever.changes).length > 0);
  assert.deepEqual(await page.locator("[data-lever]").evaluateAll((rows) => rows.map((row) => row.dataset.lever)), moving.map((lever) => lever.input));
  const memory = moving.find((lever) => lever.input === "hardware.memory_bandwidth_bytes_per_s");
  assert.ok((await page.locator(`[data-lever="${memory.input}"]`).innerText()).includes(`ITL ${format.signedPercent(memory.changes.itl_s)}`));
  await close();
});

it("one's own table is scored, an unreadable one is refused in words", async () => {
  const { page, close } = await app.open("/validate");
  const give = (text) => page.setInputFiles('.acts input[type="file"]', { name: "own.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  const table = readFileSync(new URL("../../../data/measured/training.csv", import.meta.url), "utf8").split("\n").slice(0, 9).join("\n");
  await give(`${table}\n`);
  await page.getByText(/^own\.csv: \d+ rows?/).waitFor();
  await settled(page);
  const file = join(mkdtempSync(join(tmpdir(), "ridgeline-")), "own.csv");
  writeFileSync(file, `${table}\n`);
  const { result } = cli("validate", "--files", file, "--json");
  assert.match(await page.locator(".crumb").innerText(), new RegExp(`own.csv: ${result.rows.length} row`));
  await give("hello,there\n1,2\n");
  await page.getByText("the columns of no known table").waitFor();
  await page.getByRole("button", { name: "Back to the published ones" }).click();
  await page.getByText("published measurements").waitFor();
  await close();
});
