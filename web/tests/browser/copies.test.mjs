// What is copied or exported reproduces what is on screen.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { after, before, it } from "node:test";
import { inflateSync } from "node:zlib";
import { loader } from "../load.mjs";
import { figure, link, program, start } from "./setup.mjs";

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

const inputs = { model: "llama-3.1-70b", phase: "decode", context: 131072, "plan.tp": 16, "plan.cp": 8, "machine.bw_hbm_gbs": 512 };
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

// Runs a copied line in a shell where `ridgeline` is the program under test.
function run(line) {
  const done = spawnSync("sh", ["-c", `PATH='${dirname(program)}':$PATH; ${line}`], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok([0, 3].includes(done.status), `${line}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

async function save(page, panel, kind) {
  const box = page.locator(`[data-panel="${panel}"]`);
  await box.locator("summary").click();
  const [file] = await Promise.all([page.waitForEvent("download"), box.getByRole("button", { name: kind, exact: true }).click()]);
  return readFileSync(await file.path());
}

it("Copy as CLI and cURL, executed, give the number on screen", async () => {
  const { page, close } = await app.open(link(inputs));
  const shown = await figure(page, "latency");
  await page.getByRole("button", { name: "Copy as CLI" }).first().click();
  const line = await clipboard(page);
  assert.match(line, /^ridgeline inspect /);
  assert.equal(format.time(run(`${line} --json`).result.latency_s), shown, line);
  await page.getByRole("button", { name: "Copy as cURL" }).click();
  const curl = await clipboard(page);
  assert.equal(format.time(run(curl).result.latency_s), shown, curl);
  await close();
});

it("the command line of Explore gives its best and its front", async () => {
  const { page, close } = await app.open("/explore#v=1&model=llama-3.1-70b&phase=decode&context=131072&explore.depth=balanced&machine.bw_hbm_gbs=512&explore.pes_max=512");
  await page.getByRole("button", { name: "Copy as CLI" }).first().click();
  const { result } = run(`${await clipboard(page)} --json`);
  assert.equal(await figure(page, "best"), format.time(result.best.latency_s));
  assert.equal(await page.locator("[data-front-row]").count(), result.pareto.length);
  await close();
});

it("the command lines of Fit, Plan, Solvers and Compare answer the same", async () => {
  const { page, close } = await app.open("/fit#v=1&model=llama-3.1-70b&fit.tp=4&context=16384");
  const copied = async () => {
    await page.getByRole("button", { name: "Copy as CLI" }).first().click();
    return run(`${await clipboard(page)} --json`);
  };
  const fit = await copied();
  assert.equal(await figure(page, "context"), format.byKey("max_context_tokens", fit.result.max_context_tokens));
  await page.goto(`${app.url}/plan`);
  await page.waitForSelector("[data-ready]");
  const plan = await copied();
  assert.equal(await figure(page, "tco"), format.byKey("_usd", plan.result.cost.tco_usd));
  await page.goto(`${app.url}/solvers#v=1&solver=kingman-queue`);
  await page.waitForSelector("[data-ready]");
  assert.deepEqual(Object.keys((await copied()).result), await page.locator("[data-key]").evaluateAll((rows) => rows.map((row) => row.dataset.key)));
  await close();
});

// A picture's size and whether its pixels differ; rows are inflated, filters left as they are.
function picture(png) {
  const parts = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), kinds: new Set(inflateSync(Buffer.concat(parts))).size };
}

it("exports: SVG parses, PNG is twice the size and not blank, CSV is the table, JSON is the answer", async () => {
  let answer;
  const prepare = (page) => page.on("response", async (response) => {
    if (response.url().endsWith("/v1/inspect")) answer = (await response.json().catch(() => null)) ?? answer;
  });
  const { page, close } = await app.open(link(inputs), { prepare });
  const box = await page.locator('[data-panel="roofline"] svg.ch').evaluate((svg) => [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height]);
  const svg = (await save(page, "roofline", "SVG")).toString();
  const read = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return { failed: parsed.querySelector("parsererror") !== null, title: parsed.querySelector("title")?.textContent, variables: text.includes("var(") };
  }, svg);
  assert.equal(read.failed, false);
  assert.equal(read.variables, false);
  assert.match(read.title, /Roofline, Ridgeline .*plan\.tp=16/);
  const { width, height, kinds } = picture(await save(page, "roofline", "PNG"));
  assert.equal(width, box[0] * 2);
  assert.ok(height > box[1] * 2);
  assert.ok(kinds > 20, `${kinds} different bytes`);
  const csv = (await save(page, "roofline", "CSV")).toString().trim().split("\n").map((line) => line.split(","));
  await page.locator('[data-panel="roofline"]').getByRole("button", { name: "Table" }).click();
  const table = await page.locator('[data-panel="roofline"] table tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(table, csv);
  await page.locator('[data-panel="roofline"] summary').click();
  await page.locator('[data-panel="roofline"]').getByRole("button", { name: "Markdown" }).click();
  const markdown = (await clipboard(page)).trim().split("\n");
  assert.equal(markdown.length, csv.length + 1);
  assert.equal(markdown[0], `| ${csv[0].join(" | ")} |`);
  assert.deepEqual(JSON.parse((await save(page, "stages", "JSON")).toString()), answer.result.layers[0].stages);
  await close();
});
