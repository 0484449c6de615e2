// The page does no arithmetic on answers: in parts, pages and engine there is no + - * / %, Math or reduce on what
// comes from a result. Sums, scales and rounding live in format, scale and layout. Imports go down only; files stay short.
import { readdirSync, readFileSync } from "node:fs";
import { parseAst, transformWithEsbuild } from "vite";

const root = new URL("../src/", import.meta.url);
const order = ["engine", "format", "scale", "layout", "state", "parts", "pages"];
const faults = [];

function files(folder) {
  return readdirSync(new URL(`${folder}/`, root)).map((name) => `${folder}/${name}`);
}

function walk(node, visit) {
  if (!node || typeof node !== "object") return;
  if (Array.isArray(node)) return node.forEach((child) => walk(child, visit));
  if (node.type) visit(node);
  for (const [key, child] of Object.entries(node)) if (key !== "parent") walk(child, visit);
}

const readsMember = (node) => {
  let found = false;
  walk(node, (inner) => {
    if (inner.type === "MemberExpression") found = true;
  });
  return found;
};

// Types and markup are stripped first; a fault is told by its text.
async function arithmetic(path, source) {
  const { code } = await transformWithEsbuild(source, path, { jsx: "automatic", target: "es2022", sourcemap: false });
  walk(parseAst(code), (node) => {
    const told = code.slice(node.start, node.end).slice(0, 80);
    if (node.type === "BinaryExpression" && ["+", "-", "*", "/", "%", "**"].includes(node.operator) && (readsMember(node.left) || readsMember(node.right))) faults.push(`${path}: arithmetic: ${told}`);
    if (node.type === "CallExpression" && node.callee.type === "MemberExpression" && node.callee.property.name === "reduce" && !/path\.split/.test(told)) faults.push(`${path}: reduce: ${told}`);
  });
}

for (const folder of order) {
  for (const path of files(folder)) {
    const source = readFileSync(new URL(path, root), "utf8");
    if (source.split("\n").length > 301) faults.push(`${path}: over 300 lines`);
    if (/innerHTML|dangerouslySetInnerHTML|https?:\/\/(?!www\.w3\.org)/.test(source)) faults.push(`${path}: raw HTML or another host`);
    for (const [, target] of source.matchAll(/from "\.\.\/(\w+)\//g)) {
      if (order.indexOf(target) > order.indexOf(folder)) faults.push(`${path}: imports ${target}, which is above ${folder}`);
    }
    if (["parts", "pages"].includes(folder) && path !== "parts/keys.ts") await arithmetic(path, source);
  }
}
console.log(faults.length === 0 ? "lint: nothing" : faults.join("\n"));
process.exit(faults.length === 0 ? 0 : 1);
