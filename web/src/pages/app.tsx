// Which page is on screen, with its rail; pages beyond Inspect load when first opened.
import { effect, signal } from "@preact/signals";
import { options, type ComponentType } from "preact";
import { began, ended, watchEngine } from "../engine/engine.ts";
import { pageCommand, say, spoken } from "../parts/actions.ts";
import { failure } from "../parts/failure.ts";
import { listen } from "../parts/keys.ts";
import { loadLists, takeFile } from "../parts/models.tsx";
import { pages, Shell, toggleTheme } from "../parts/shell.tsx";
import { inspectRequest } from "../state/request.ts";
import { embedded, inputs, page, printing } from "../state/store.ts";
import { time } from "../format/format.ts";
import { inspect, InspectPage, InspectRail, Waiting } from "./inspect.tsx";

interface Page {
  Main: ComponentType;
  Rail: ComponentType | null;
}

const loaded = signal<Record<string, Page>>({ inspect: { Main: InspectPage, Rail: InspectRail } });

const loaders: Record<string, () => Promise<Page>> = {
  explore: () => import("./explore.tsx").then((m) => ({ Main: m.ExplorePage, Rail: m.ExploreRail })),
  fit: () => import("./fit.tsx").then((m) => ({ Main: m.FitPage, Rail: m.FitRail })),
  compare: () => import("./compare.tsx").then((m) => ({ Main: m.ComparePage, Rail: null })),
  solvers: () => import("./solvers.tsx").then((m) => ({ Main: m.SolversPage, Rail: m.SolversRail })),
  glossary: () => import("./glossary.tsx").then((m) => ({ Main: m.GlossaryPage, Rail: null })),
  plan: () => import("./plan.tsx").then((m) => ({ Main: m.PlanPage, Rail: m.PlanRail })),
  validate: () => import("./validate.tsx").then((m) => ({ Main: m.ValidatePage, Rail: null })),
};

async function bring(name: string, load: () => Promise<Page>): Promise<void> {
  began();
  const found = await load();
  loaded.value = { ...loaded.peek(), [name]: found };
  ended();
}

export function ready(): void {
  effect(() => {
    const name = page.value;
    const load = loaders[name];
    if (load && !(name in loaded.peek())) void bring(name, load);
    document.title = `${pages.find(([path]) => path === name)?.[1] ?? "Ridgeline"} · Ridgeline`;
  });
  effect(() => {
    if (page.value === "inspect") pageCommand.value = { command: "inspect", request: inspectRequest(inputs.value) };
  });
  effect(() => {
    failure.value = inspect.failure.value;
  });
  let settled = 0;
  effect(() => {
    const result = inspect.reply.value?.result;
    window.clearTimeout(settled);
    if (result) settled = window.setTimeout(() => (spoken.value = `Latency ${time(result.latency_s)}, ${result.fits_memory ? "fits" : "does not fit"}`), 500);
  });
  void loadLists();
  watchEngine(() => inspect.again());
  listen({ pages: pages.map(([path]) => path), pin: () => window.dispatchEvent(new Event("ridgeline-pin")), toggleTheme });
  window.addEventListener("beforeprint", () => drawForPrint(true));
  window.addEventListener("afterprint", () => drawForPrint(false));
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file && /\.csv$/i.test(file.name)) {
      if (page.peek() === "validate") window.dispatchEvent(new CustomEvent("ridgeline-table", { detail: file }));
      else say("A table of measurements is scored on the Validate page: drop it there.");
    } else if (file) {
      takeFile(file);
    }
  });
}

// What is printed is drawn before the browser takes it: at once, not when it next has time.
function drawForPrint(isPrinting: boolean): void {
  const usual = options.debounceRendering;
  options.debounceRendering = (draw) => draw();
  printing.value = isPrinting;
  if (usual) options.debounceRendering = usual;
  else delete options.debounceRendering;
}

export function App() {
  const now = loaded.value[page.value];
  if (!now) return <Shell rail={null}>{page.value in loaders ? <Waiting text="" /> : <Waiting text={`There is no page "${page.value}".`} />}</Shell>;
  if (embedded.value !== null) return <div class="embed"><now.Main /></div>;
  return (
    <Shell rail={now.Rail ? <now.Rail /> : null}>
      <now.Main />
    </Shell>
  );
}
