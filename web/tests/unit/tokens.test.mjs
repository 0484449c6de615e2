// The tokens keep their promises: contrast of text and marks, and distance between data colours.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";

const css = readFileSync(new URL("../../src/tokens.css", import.meta.url), "utf8");
const blocks = { light: css.slice(css.indexOf(":root")).split("[data-theme")[0], dark: css.slice(css.indexOf('[data-theme="dark"]')) };
const colours = (theme) => Object.fromEntries([...blocks[theme].matchAll(/--([\w-]+):\s*(#[0-9A-Fa-f]{6})/g)].map((match) => [match[1], match[2]]));
const linear = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const luminance = (hex) => linear(hex).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
};

for (const theme of ["light", "dark"]) {
  it(`${theme}: text is 4.5:1 and data colours 3:1 on every ground`, () => {
    const c = colours(theme);
    for (const ground of ["bg", "panel", "sunk"]) {
      for (const text of ["ink", "ink2", "ink3", "link", "good", "warn", "bad"]) assert.ok(contrast(c[text], c[ground]) >= 4.5, `${text} on ${ground}: ${contrast(c[text], c[ground])}`);
      for (const data of ["compute", "memory", "network", "overhead", "ring"]) assert.ok(contrast(c[data], c[ground]) >= 3, `${data} on ${ground}`);
    }
    for (const step of ["r1", "r2", "r3", "r4", "r5", "r6", "r7"]) assert.ok(Math.max(contrast(c.ink, c[step]), contrast(c.panel, c[step])) >= 4.5, step);
  });
}

// Machado, Oliveira, Fernandes 2009, severity 1.
const views = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function lab(rgb) {
  const [r, g, b] = rgb.map((c) => Math.min(1, Math.max(0, c)));
  const xyz = [(0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047, 0.2126729 * r + 0.7151522 * g + 0.072175 * b, (0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883];
  const [x, y, z] = xyz.map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

it("data colours stay apart under every kind of colour vision", () => {
  for (const theme of ["light", "dark"]) {
    const c = colours(theme);
    const data = ["compute", "memory", "network", "overhead", "ring"];
    for (const [name, matrix] of Object.entries(views)) {
      const seen = data.map((key) => {
        const rgb = linear(c[key]);
        return lab(matrix.map((row) => row.reduce((sum, m, i) => sum + m * rgb[i], 0)));
      });
      for (let i = 0; i < data.length; i += 1) {
        for (let j = i + 1; j < data.length; j += 1) assert.ok(Math.hypot(...seen[i].map((v, k) => v - seen[j][k])) > 15, `${theme} ${name}: ${data[i]} and ${data[j]}`);
      }
    }
  }
});
