// Loads a source module as the page would, for tests under node.
import { createServer } from "vite";

export async function loader() {
  const server = await createServer({ root: new URL("..", import.meta.url).pathname, configFile: false, server: { middlewareMode: true, hmr: false, ws: false }, logLevel: "error", appType: "custom", optimizeDeps: { noDiscovery: true } });
  return { load: (path) => server.ssrLoadModule(path), close: () => server.close() };
}
