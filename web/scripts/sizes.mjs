// Prints what the first page loads, gzipped, and fails over its budget.
import { readFileSync, readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const folder = new URL("../dist/", import.meta.url);
const html = readFileSync(new URL("index.html", folder), "utf8");
const size = (name) => gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length / 1024;
const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((match) => match[1]);
const script = first.filter((name) => name.endsWith(".js")).reduce((sum, name) => sum + size(name), 0);
const style = first.filter((name) => name.endsWith(".css")).reduce((sum, name) => sum + size(name), 0);
const fonts = readdirSync(new URL("assets/", folder)).filter((name) => name.endsWith(".woff2")).reduce((sum, name) => sum + readFileSync(new URL(`assets/${name}`, folder)).length / 1024, 0);
const budgets = [["shell and Inspect", script, 60], ["style", style, 12], ["fonts", fonts, 90]];
for (const [what, kib, most] of budgets) console.log(`${what}: ${kib.toFixed(1)} of ${most} KiB`);
if (budgets.some(([, kib, most]) => kib > most)) process.exit(1);
