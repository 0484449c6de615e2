import { defineConfig } from "vite";

// Everything the page needs comes from the bundle: no inline script or style, no other host.
export default defineConfig({
  base: "/",
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  server: { proxy: { "/v1": process.env.RIDGELINE ?? "http://127.0.0.1:8765" } },
});
