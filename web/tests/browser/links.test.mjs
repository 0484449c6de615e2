// The link is the view; undo takes back every step.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { hash, link, seeded, settled, start, visit } from "./setup.mjs";

let app;
before(async () => {
  app = await start();
});
after(() => app.stop());

const screen = async (page) => {
  await settled(page);
  const text = await page.locator("main").innerText();
  return text.replace(/(answered in|[Ss]earched in\s*)\s*[\d.,]+\s\S+/g, "").replace(/[\d.]+\s\S* pairs\/s/g, "");
};

function randomState(one) {
  const inputs = { model: one(["llama-3.1-70b", "llama-3.1-8b", "mixtral-8x7b", "gemma-2-9b"]), phase: one(["prefill", "decode"]), context: one([4096, 8192, 131072]) };
  const some = {
    "plan.tp": [2, 4, 8], "plan.cp": [2, 8, 16], "plan.pp": [2, 4], "plan.kv_shard_mode": ["replicate"], "plan.ffn_shard_scope": ["TP", "TP+CP+DP"], batch: [2, 16], precision: ["fp8", "int4"],
    "machine.bw_hbm_gbs": [64, 512, 1024], "machine.sip_topology": ["mesh2d", "torus2d"], sel: ["S1", "S5", "F3", "HEAD"], rank: ["1", "3"], names: ["on"], open: ["all"], kind: ["0"],
  };
  for (const [key, values] of Object.entries(some)) if (one([true, false, false])) inputs[key] = one(values);
  if (!(inputs["plan.tp"] > 3)) delete inputs.rank; // else there may be no such rank
  return inputs;
}

it("200 random views come back from their links as they were", async () => {
  const one = seeded(21);
  const first = await app.open("/inspect");
  const second = await app.open("/inspect");
  for (let i = 0; i < 200; i += 1) {
    const target = link(randomState(one));
    await visit(first.page, target, i % 10 > 0);
    const written = await hash(first.page);
    const read = (text) => Object.fromEntries(new URLSearchParams(text.slice(text.indexOf("#")).slice(1)));
    assert.deepEqual(read(written), read(target));
    if (i % 10 > 0) continue;
    await visit(second.page, `/inspect${written}`);
    assert.equal(await first.page.locator("[role=alert]").count(), 0, target);
    assert.equal(await screen(second.page), await screen(first.page), target);
  }
  assert.deepEqual([...first.faults, ...second.faults], []);
  await first.close();
  await second.close();
});

it("a view survives a reload, Back and a new tab; the unknown is kept and told", async () => {
  const target = "/inspect#v=1&model=llama-3.1-8b&phase=decode&context=8192&plan.tp=4&sel=F3&future=1";
  const { page, close } = await app.open(target);
  assert.equal(await page.locator('[data-stage="F3"]').getAttribute("aria-pressed"), "true");
  assert.match(page.url(), /future=1/);
  assert.match(await page.locator(".toast").innerText(), /future/);
  const text = await screen(page);
  await page.reload();
  await page.waitForSelector("[data-ready]");
  assert.equal(await screen(page), text);
  await page.getByRole("link", { name: "Glossary" }).click();
  await page.waitForURL(/glossary/);
  await page.goBack();
  await page.waitForURL(/inspect/);
  await page.waitForSelector('[data-stage="F3"][aria-pressed="true"]');
  assert.equal(await screen(page), text);
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await tab.waitForSelector("[data-ready]");
  assert.equal(await screen(tab), text);
  await close();
});

it("a link of an older version is read by its old names", async () => {
  const { page, close } = await app.open("/inspect#v=0&model=llama-3.1-8b&hw=chiplet-sip&seq=8192&select=S5");
  const written = await hash(page);
  assert.match(written, /^#v=1&/);
  assert.match(written, /context=8192/);
  assert.match(written, /sel=S5/);
  await close();
});

it("a rank that this plan has not is kept in the link and the first one shown", async () => {
  const { page, close } = await app.open("/inspect#v=1&model=llama-3.1-8b&rank=7");
  assert.equal(await page.locator("[role=alert]").count(), 0);
  assert.match(await page.locator('[data-panel="sharding"] header').innerText(), /pe0/);
  assert.match(await hash(page), /rank=7/);
  await close();
});

it("50 actions undone one by one give the first view, redone the last; a drag is one step", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "prefill", context: 32768, "plan.tp": 8, "plan.cp": 16 }));
  const radio = (group, choice) => page.getByRole("radiogroup", { name: group, exact: true }).getByLabel(choice, { exact: true }).check();
  const one = seeded(5);
  const actions = [
    () => page.locator(`[data-stage="${one(["S1", "S5", "S8", "F3"])}"]`).click(),
    () => page.locator("#f-plan-tp").press(one(["ArrowUp", "ArrowDown"])),
    () => page.locator("#f-plan-cp").press(one(["ArrowUp", "ArrowDown"])),
    () => radio("KV heads", one(["split", "replicate"])),
    () => radio("SIP links", one(["ring", "mesh", "torus"])),
    () => page.getByRole("slider", { name: "Batch, slider" }).press(one(["PageUp", "Home"])),
    () => page.getByRole("button", { name: /^(All|Close) formulas$/ }).click(),
  ];
  const seen = [await hash(page)];
  for (let i = 0; i < 50; i += 1) {
    await one(actions)();
    const now = await hash(page);
    if (now !== seen.at(-1)) seen.push(now);
  }
  assert.ok(seen.length > 30, `${seen.length} steps`);
  await page.evaluate(() => document.activeElement?.blur());
  for (let i = seen.length - 2; i >= 0; i -= 1) {
    await page.keyboard.press("Control+z");
    assert.equal(await hash(page), seen[i], `undo to step ${i}`);
  }
  for (let i = 1; i < seen.length; i += 1) await page.keyboard.press("Control+Shift+z");
  assert.equal(await hash(page), seen.at(-1));
  const slider = page.getByRole("slider", { name: "HBM bandwidth, slider" });
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 3; i < 9; i += 1) await page.mouse.move(box.x + (box.width * i) / 10, box.y + box.height / 2);
  await page.mouse.up();
  assert.match(await hash(page), /machine\.bw_hbm_gbs/);
  await page.keyboard.press("Control+z");
  assert.equal(await hash(page), seen.at(-1));
  await close();
});
