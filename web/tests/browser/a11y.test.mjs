// Every page, both themes, three widths: no fault of the page, no violation that axe-core knows.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, it } from "node:test";
import { settled, start } from "./setup.mjs";

const axe = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const example = "v=1&model=llama-3.1-70b&phase=decode&context=131072&plan.tp=8&plan.cp=16&sel=S5";
const pages = ["inspect", "explore", "fit", "compare", "solvers", "glossary", "plan", "validate"];
let app;

before(async () => {
  app = await start();
});
after(() => app.stop());

for (const name of pages) {
  for (const theme of ["light", "dark"]) {
    it(`${name}, ${theme}`, async () => {
      const { page, faults, close } = await app.open(`/${name}#${example}`, { colorScheme: theme, bypassCSP: true });
      for (const [width, height] of [[1440, 900], [900, 1200], [390, 844]]) {
        await page.setViewportSize({ width, height });
        await settled(page);
        if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
        const told = found.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary?.split("\n")[1] ?? ""}`).join(" | ")}`);
        assert.deepEqual(told, [], `${width} px`);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(beyond <= 0, `${width} px: the page is ${beyond} px too wide`);
      }
      assert.deepEqual(faults, []);
      await close();
    });
  }
}
