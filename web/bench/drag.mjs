// When the page first paints and first answers, how long from a slider's step to the painted answer, and the frames meanwhile.
//   node bench/drag.mjs [explore|inspect] [steps]      beside a built program (RIDGELINE_PROGRAM)
import { settled, start } from "../tests/browser/setup.mjs";

const name = process.argv[2] ?? "explore";
const steps = Number(process.argv[3] ?? 60);
const target = { explore: '[data-panel="scatter"] path.front', inspect: '[data-figure="latency"]' }[name];
const app = await start();
const link = `/${name}#v=1&model=llama-3.1-70b&phase=decode&context=131072&plan.tp=8&plan.cp=16`;
const at = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))].toFixed(1);
const tell = (what, values) => console.log(`${name}: ${what}, ms: median ${at(values, 0.5)}, 95 % ${at(values, 0.95)}, longest ${at(values, 1)} (${values.length})`);

const loads = { "first contentful paint": [], "first answer on screen": [] };
for (let i = 0; i < 5; ++i) {
  const prepare = (page) => page.addInitScript(() => new MutationObserver((_, observer) => {
    if (!document.querySelector("[data-ready]")) return;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => (window.answered = performance.now())));
  }).observe(document, { childList: true, subtree: true, attributes: true }));
  const { page, close } = await app.open(link, { prepare });
  const paints = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint").map((entry) => entry.startTime));
  loads["first contentful paint"].push(...paints);
  loads["first answer on screen"].push(await page.evaluate(() => window.answered));
  await close();
}
for (const [what, values] of Object.entries(loads)) tell(what, values);

const { page, close } = await app.open(link);
await settled(page);

// One step at a time: set the slider, wait until the figure that it changes has changed and the frame after it began.
const found = await page.evaluate(async ({ target, steps }) => {
  const slider = document.querySelector('input[type="range"][aria-label^="HBM bandwidth"]');
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const shown = () => { const item = document.querySelector(target); return item.getAttribute("d") ?? item.textContent; };
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const waits = [];
  const frames = [];
  let last = performance.now();
  let isDone = false;
  const watch = (now) => { frames.push(now - last); last = now; if (!isDone) requestAnimationFrame(watch); };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(watch); });
  slider.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  const [low, high] = [Number(slider.min), Number(slider.max)];
  for (let i = 0; i < steps; ++i) {
    const before = shown();
    setValue.call(slider, String(low + ((i * 7 + 3) % (high - low + 1))));
    const began = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (shown() === before && performance.now() - began < 2000) await frame();
    await frame();
    waits.push(performance.now() - began);
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  slider.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
  isDone = true;
  return { waits, frames };
}, { target, steps });

tell("step to painted answer", found.waits);
tell("frame", found.frames);
await close();
await app.stop();
