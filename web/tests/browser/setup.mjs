// A server of the built program and one Chromium for a test file; errors of the page are collected.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const program = process.env.RIDGELINE_PROGRAM ?? fileURLToPath(new URL("../../../build/test/ridgeline", import.meta.url));
const browserFlags = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-device-scale-factor=1"];

export const figure = (page, name) => page.locator(`[data-figure="${name}"]`).innerText();
// The link after the frame that writes it.
export const hash = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(location.hash)))));
export const link = (inputs, page = "inspect") => `/${page}#v=1&${Object.entries(inputs).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
export const flags = (inputs) => Object.entries(inputs).flatMap(([key, value]) => ["--set", `${key}=${value}`]);

// Draws that are the same in every run.
export function seeded(seed) {
  let state = seed;
  return (list) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return list[Math.floor((state / 2 ** 32) * list.length)];
  };
}

// Another view in the same page, as a changed address bar gives it.
export async function visit(page, target, isQuick = false) {
  const hash = target.slice(target.indexOf("#"));
  await page.evaluate((text) => new Promise((resolve) => {
    if (location.hash === text) return resolve();
    window.addEventListener("hashchange", () => resolve(), { once: true });
    location.hash = text;
  }), hash);
  if (!isQuick) await settled(page);
}

export function cli(...args) {
  const done = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (![0, 3].includes(done.status)) throw new Error(`${args.join(" ")}: ${done.stderr}${done.stdout}`);
  return JSON.parse(done.stdout);
}

export const freePort = () => new Promise((resolve) => {
  const probe = createServer();
  probe.listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

export async function startServer(port = 0) {
  const child = spawn(program, ["serve", "--port", String(port), "--no-browser"], { stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    const look = (chunk) => {
      text += chunk;
      const found = /http:\/\/[\d.]+:\d+/.exec(text);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", () => reject(new Error(`serve: ${text}`)));
  });
  return { url, stop: async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  } };
}

export async function start(port = 0) {
  let server = await startServer(port);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: browserFlags });
  return {
    url: server.url,
    kill: () => server.stop(),
    revive: async () => {
      server = await startServer(port);
    },
    stop: async () => {
      await browser.close();
      await server.stop();
    },
    open: async (path, options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, reducedMotion: "reduce", ...options });
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
      const page = await context.newPage();
      const faults = [];
      await page.addInitScript(() => document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith(server.url) && !/^(blob|data):/.test(request.url())) faults.push(`outside: ${request.url()}`);
      });
      page.on("requestfailed", (request) => {
        if (request.failure()?.errorText !== "net::ERR_ABORTED") faults.push(`failed: ${request.url()}`); // aborted: the test went to another page
      });
      if (options.prepare) await options.prepare(page);
      page.setDefaultTimeout(90_000);
      await page.goto(server.url + path);
      await page.waitForSelector("[data-ready]", { state: "attached" });
      await settled(page);
      return { page, faults, close: () => context.close() };
    },
  };
}

// No question is open or about to be asked, and what is on screen is painted.
export async function settled(page) {
  await page.evaluate(() => new Promise((resolve) => {
    let quiet = 0;
    const look = () => {
      quiet = document.documentElement.dataset.pending === "0" && document.querySelector("[data-ready], [role=alert]") ? quiet + 1 : 0;
      if (quiet > 3) resolve();
      else requestAnimationFrame(look);
    };
    look();
  }));
}
