// What a page shows when there is nothing, too much, something wrong, or no engine.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { figure, freePort, link, settled, start, visit } from "./setup.mjs";

let app;
before(async () => {
  app = await start(await freePort());
});
after(() => app.stop());

const plain = { model: "llama-3.1-8b", phase: "decode", context: 8192 };

it("empty: Compare says what to do and a button does it", async () => {
  const { page, close } = await app.open("/compare");
  await page.getByText("Nothing is saved yet").waitFor();
  await page.locator('[aria-label="Nothing to compare"]').getByRole("button", { name: "Add the current one" }).click();
  await page.getByText("One configuration is saved").waitFor();
  await close();
});

it("slow: the last answer stays, is dimmed, and gives way to the new one", async () => {
  let release = () => {};
  let held = Promise.resolve();
  const prepare = (page) => page.route("**/v1/inspect", async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  const { page, close } = await app.open(link(plain), { prepare });
  const before = await figure(page, "latency");
  held = new Promise((resolve) => (release = resolve));
  await page.locator("#f-plan-tp").press("ArrowUp");
  await page.waitForSelector(".panel.busy");
  assert.equal(await figure(page, "latency"), before);
  release();
  await settled(page);
  assert.equal(await page.locator(".panel.busy").count(), 0);
  assert.notEqual(await figure(page, "latency"), before);
  await close();
});

it("refused: the message stands at the field, the last good answer stays and is called so", async () => {
  const { page, close } = await app.open(link(plain));
  const before = await figure(page, "latency");
  await page.fill("#f-plan-tp", "0");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".deg.wrong");
  assert.match(await page.locator("main").innerText(), /from before the change/);
  assert.equal(await figure(page, "latency"), before);
  await page.fill("#f-plan-tp", "2");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.locator(".wrong, [role=alert]").count(), 0);
  await close();
});

it("infeasible and unplaceable are answers, with what mends them; hostile names stay text", async () => {
  const { page, close } = await app.open(link({ model: "llama-3.1-70b", phase: "decode", context: 131072 }));
  assert.match(await page.locator("[data-banner]").innerText(), /Does not fit: \S+\s\S+ needed/);
  await page.locator(".mends button").first().click();
  await settled(page);
  assert.equal(await page.locator("[data-banner]").count(), 0);
  await visit(page, link({ model: "llama-3.1-70b", "plan.cp": 999 }));
  assert.match(await page.locator("[data-banner]").innerText(), /Cannot be placed/);
  assert.equal(await figure(page, "latency"), "–");
  await visit(page, `/inspect#v=1&model=${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
  await page.waitForSelector("[role=alert]");
  assert.equal(await page.locator("img").count(), 0);
  await close();
});

it("Fit says what is missing", async () => {
  const { page, close } = await app.open("/fit#v=1&model=llama-3.1-70b&fit.tp=1&context=131072");
  assert.match(await page.locator("[data-banner]").innerText(), /Does not fit: 187\s+GB needed/);
  await close();
});

it("a broken, a huge, an unknown and a good config.json", async () => {
  const { page, close } = await app.open(link(plain));
  const give = (text) => page.setInputFiles("input[type=file]", { name: "config.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await give("{broken");
  await page.getByText("is no JSON").waitFor();
  await give(" ".repeat(5_100_000));
  await page.getByText("over 5 MB").waitFor();
  await give(JSON.stringify({ architectures: ["NoSuchForCausalLM"], model_type: "no-such" }));
  await page.locator(".rail .msg").filter({ hasText: /no-such|NoSuch/ }).waitFor();
  const hidden = 2048;
  await give(JSON.stringify({ architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: hidden, intermediate_size: 8192, num_attention_heads: 32, num_key_value_heads: 8, num_hidden_layers: 16, vocab_size: 128256, head_dim: 64 }));
  await page.getByText("config.json is the model now").first().waitFor();
  await settled(page);
  assert.match(page.url(), /model=~/);
  const shown = await figure(page, "latency");
  await page.reload();
  await page.waitForSelector("[data-ready]");
  await settled(page);
  assert.equal(await figure(page, "latency"), shown);
  await close();
});

it("works with storage blocked", async () => {
  const prepare = (page) => page.addInitScript(() => Object.defineProperty(window, "localStorage", { get: () => { throw new Error("blocked"); } }));
  const { page, faults, close } = await app.open("/inspect", { prepare });
  assert.match(await figure(page, "latency"), /s$/);
  await page.keyboard.press("s");
  await page.getByText("Saved as config1").first().waitFor();
  assert.deepEqual(faults, []);
  await close();
});

it("an exception in a panel stays in that panel", async () => {
  const prepare = (page) => page.route("**/v1/inspect", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    delete body.result.replication.total;
    await route.fulfill({ response, json: body });
  });
  const { page, close } = await app.open(link(plain), { prepare });
  assert.match(await page.getByRole("region", { name: "Replication" }).innerText(), /This panel failed/);
  assert.match(await figure(page, "latency"), /s$/);
  await close();
});

it("the engine killed and back: inputs stay usable, the page finds it again by itself", async () => {
  const { page, close } = await app.open(link(plain));
  const before = await figure(page, "latency");
  await app.kill();
  await page.locator("#f-plan-tp").press("ArrowUp");
  await page.getByText("The engine does not answer.").first().waitFor();
  assert.equal(await figure(page, "latency"), before);
  assert.equal(await page.inputValue("#f-plan-tp"), "2");
  await app.revive();
  await page.locator(".offline").waitFor({ state: "detached" });
  await page.waitForFunction((text) => document.querySelector('[data-figure="latency"]').textContent !== text, before);
  await close();
});
