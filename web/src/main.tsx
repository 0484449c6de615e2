// Starts the page: state from the link, lists of the registry, keys; then one component per page.
import "./tokens.css";
import "./base.css";
import "./panels.css";
import "./widths.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { App, ready } from "./pages/app.tsx";
import { pending } from "./engine/engine.ts";
import { shownTheme } from "./state/saved.ts";
import { start } from "./state/store.ts";

effect(() => {
  document.documentElement.dataset.theme = shownTheme();
});

effect(() => {
  document.documentElement.dataset.pending = String(pending.value);
});

void start().then(() => {
  ready();
  render(<App />, document.getElementById("app")!);
});
