// Every page loads whole: no error of the page, no failed or outside request, nothing that the policy blocks.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { settled, start } from "./setup.mjs";

let app;
before(async () => {
  app = await start();
});
after(() => app.stop());

const example = "v=1&model=llama-3.1-70b&phase=decode&context=131072&plan.tp=8&plan.cp=16&sel=S5";

for (const name of ["inspect", "explore", "fit", "compare", "solvers", "glossary", "plan", "validate"]) {
  it(`${name} loads, cold and with a link`, async () => {
    for (const path of [`/${name}`, `/${name}#${example}`]) {
      const { page, faults, close } = await app.open(path);
      assert.notEqual((await page.locator("h1").innerText()).trim(), "");
      assert.equal(await page.locator('[role="alert"]').count(), 0, path);
      assert.deepEqual(faults, []);
      await close();
    }
  });
}

it("a machine of GPUs shows its own levels, devices and switch", async () => {
  const { page, faults, close } = await app.open("/inspect#v=1&model=llama-3.1-70b&machine=dgx-h100&context=32768&plan.tp=8");
  assert.equal(await page.locator('[data-device][data-used="true"]').count(), 8);
  assert.equal(await page.locator('[data-link="node"]').count(), 1);
  assert.match(await page.locator('[data-panel="memory"] h2').innerText(), /GPU/);
  const before = await page.locator('[data-figure="latency"]').innerText();
  await page.getByRole("slider", { name: "Memory rate, slider" }).press("PageUp");
  await settled(page);
  assert.notEqual(await page.locator('[data-figure="latency"]').innerText(), before);
  assert.match(page.url(), /machine\.device\.memory_bandwidth_bytes_per_s=/);
  assert.deepEqual(faults, []);
  await close();
});

for (const panel of ["roofline", "stages", "pipeline", "machine", "scatter", "heat", "ranks"]) {
  it(`/embed/${panel} shows that panel alone`, async () => {
    const { page, faults, close } = await app.open(`/embed/${panel}#${example}`);
    assert.deepEqual(await page.locator("[data-panel]").evaluateAll((all) => all.map((item) => item.dataset.panel)), [panel]);
    assert.equal(await page.locator("header.top, .rail").count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });
}

it("paper shows every formula and the link", async () => {
  const { page, close } = await app.open(`/inspect#${example}`);
  const stages = await page.locator("[data-stage-row]").count();
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  assert.equal(await page.locator("tr.fx").count(), stages);
  assert.match(await page.locator("footer").innerText(), /plan\.tp=8/);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await settled(page);
  assert.equal(await page.locator("tr.fx").count(), 1);
  await close();
});

it("a plan is scored and an edit of it answered; an unreadable one is told", async () => {
  const { page, close } = await app.open("/plan");
  assert.equal(await page.locator('[data-figure="verdict"]').innerText(), "Yes");
  const cost = await page.locator('[data-figure="tco"]').innerText();
  const field = page.getByRole("textbox", { name: "The plan, as JSON" });
  const plan = JSON.parse(await field.inputValue());
  await field.fill(JSON.stringify({ ...plan, economics: { infrastructure_multiplier: 3 } }));
  await field.blur();
  await settled(page);
  assert.notEqual(await page.locator('[data-figure="tco"]').innerText(), cost);
  await field.fill("{broken");
  await field.blur();
  await page.getByText("This is no JSON").waitFor();
  await close();
});
