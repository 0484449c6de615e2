// Every chart has its table: as many rows as the drawing has marks, cells of the same values.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { link, settled, start } from "./setup.mjs";

let app;
before(async () => {
  app = await start();
});
after(() => app.stop());

// What the drawing shows one of per row of its table.
const charts = [
  ["Inspect", link({ model: "llama-3.1-70b", phase: "prefill", context: 32768, "plan.tp": 8, "plan.cp": 16, "plan.pp": 2 }), {
    sharding: "figure.tensor", roofline: "svg .pickable", machine: "[data-sip], [data-cube], [data-device]", memory: ".stagebars li",
  }],
  ["GPUs", link({ model: "llama-3.1-70b", phase: "decode", context: 8192, machine: "dgx-h100", "plan.tp": 8 }), { machine: "[data-sip], [data-cube], [data-device]", roofline: "svg .pickable" }],
  ["Explore", link({ model: "llama-3.1-70b", phase: "decode", context: 131072, "explore.depth": "balanced" }, "explore"), { scatter: "[data-front]", sensitivity: "[data-knob]", heat: "[data-cell]" }],
  ["Fit", link({ model: "llama-3.1-70b", context: 32768 }, "fit"), { ranks: ".fitbars li" }],
];

for (const [name, path, panels] of charts) {
  it(`${name}: each drawing and its table tell the same number of things`, async () => {
    const { page, faults, close } = await app.open(path);
    for (const [id, marks] of Object.entries(panels)) {
      const panel = page.locator(`[data-panel="${id}"]`);
      const drawn = await panel.locator(marks).count();
      assert.ok(drawn > 0, id);
      await panel.getByRole("button", { name: "Table", exact: true }).click();
      await settled(page);
      assert.equal(await panel.locator("table.twin tbody tr").count(), drawn, id);
      const columns = await panel.locator("table.twin thead th").count();
      assert.equal(await panel.locator("table.twin tbody :is(th, td)").count(), drawn * columns, id);
      await panel.getByRole("button", { name: "Drawing", exact: true }).click();
      await settled(page);
      assert.equal(await panel.locator(marks).count(), drawn, id);
    }
    assert.deepEqual(faults, []);
    await close();
  });
}

it("Validate: as many marks as rows", async () => {
  const { page, close } = await app.open("/validate");
  const panel = page.locator('[data-panel="agreement"]');
  const path = await panel.locator("path.dots").getAttribute("d");
  await panel.getByRole("button", { name: "Table", exact: true }).click();
  await settled(page);
  assert.equal(await panel.locator("table.twin tbody tr").count(), path.split("M").length - 1);
  await close();
});
