// The model: a search list of the registry's presets, or the user's own config.json by upload, drop or paste.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { call } from "../engine/engine.ts";
import { compact, count } from "../format/format.ts";
import { neighbour } from "../scale/scale.ts";
import { pack, type Values } from "../state/link.ts";
import { saved, type Saved } from "../state/saved.ts";
import { inputs, remember, setInputs } from "../state/store.ts";
import { say } from "./actions.ts";

export interface ModelEntry {
  name: string;
  aliases: string[];
  architecture: string;
  total_params: number;
  active_params: number;
  layers: number;
  attention: string;
}

export const models = signal<ModelEntry[]>([]);
export const machines = signal<{ name: string; devices: number; device: string }[]>([]);
export const uploadFailure = signal("");

export async function loadLists(): Promise<void> {
  const [modelList, machineList] = await Promise.all([
    call<{ entries: ModelEntry[] }>("list", { kind: "model" }),
    call<{ entries: { name: string; devices: number; device: string }[] }>("list", { kind: "machine" }),
  ]);
  if ("reply" in modelList) models.value = modelList.reply.result.entries;
  if ("reply" in machineList) machines.value = machineList.reply.result.entries;
}

const limit = 5_000_000;

export async function takeConfig(text: string, name: string): Promise<void> {
  uploadFailure.value = "";
  if (text.length > limit) {
    uploadFailure.value = `${name} is over 5 MB; a config.json has a few kB.`;
    return;
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    uploadFailure.value = `${name} is no JSON: ${(error as Error).message}`;
    return;
  }
  const view = config as { inputs?: Values; saved?: Saved[] };
  if (name.endsWith(".ridgeline.json") && Array.isArray(view.saved)) {
    saved.value = [...saved.peek(), ...view.saved.filter((item) => typeof item?.name === "string" && typeof item.inputs === "object")];
    say(`${name}: saved configurations added`);
    return;
  }
  if (name.endsWith(".ridgeline.json") && view.inputs) {
    setInputs(view.inputs, `open ${name}`, true, () => true);
    return;
  }
  const answer = await call("inspect", { model: config });
  if ("failure" in answer) {
    uploadFailure.value = `${answer.failure.message} ${answer.failure.hint}`;
    return;
  }
  const packed = await pack(config);
  remember(packed, config);
  setInputs({ model: packed }, `model ${name}`, true);
  say(`${name} is the model now`);
}

export function takeFile(file: File): void {
  if (file.size > limit) uploadFailure.value = `${file.name} is over 5 MB; a config.json has a few kB.`;
  else void file.text().then((text) => takeConfig(text, file.name));
}

export function ModelSearch() {
  const [query, setQuery] = useState<string | null>(null);
  const [index, setIndex] = useState(0);
  const now = String(inputs.value.model ?? "llama-3.1-70b");
  const shown = now.startsWith("~") ? "your config.json" : now;
  const wanted = (query ?? "").toLowerCase();
  const found = models.value.filter((model) => [model.name, ...model.aliases].some((name) => name.toLowerCase().includes(wanted))).slice(0, 60);
  const choose = (name: string): void => {
    setQuery(null);
    setInputs({ model: name }, `model ${now} → ${name}`);
  };
  const entry = models.value.find((model) => model.name === now);
  return (
    <>
      <div class="combo">
        <input
          id="f-model" class="sel" role="combobox" aria-label="Model" aria-expanded={query !== null} aria-controls="models" aria-autocomplete="list" autocomplete="off" spellcheck={false}
          {...(query !== null && found[index] ? { "aria-activedescendant": `model-${index}` } : {})}
          value={query ?? shown}
          onFocus={(event) => { setQuery(""); setIndex(0); event.currentTarget.select(); }}
          onBlur={() => setQuery(null)}
          onInput={(event) => { setQuery(event.currentTarget.value); setIndex(0); }}
          placeholder={shown}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              setIndex(neighbour(index, event.key === "ArrowDown" ? 1 : -1, found.length));
            }
            if (event.key === "Enter" && found[index]) choose(found[index].name);
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
        {query !== null ? (
          <ul id="models" class="list" role="listbox" aria-label="Models">
            {found.map((model, i) => (
              <li key={model.name} id={`model-${i}`} role="option" aria-selected={i === index} onMouseDown={(event) => { event.preventDefault(); choose(model.name); }}>
                {model.name} <span>{compact(model.total_params)}</span>
              </li>
            ))}
            {found.length === 0 ? <li role="option" aria-selected={false} aria-disabled>No model of that name; upload its config.json.</li> : null}
          </ul>
        ) : null}
      </div>
      <p class="about">{entry ? `${count(entry.layers)} layers, ${entry.attention.toUpperCase()}, ${compact(entry.total_params)} parameters` : shown === now ? "" : "an uploaded model"}</p>
      {uploadFailure.value ? <p class="msg" role="alert">{uploadFailure.value}</p> : null}
    </>
  );
}

export function Upload() {
  return (
    <label class="lnk upload">
      Upload config.json
      <input type="file" accept=".json,application/json" class="vh" onChange={(event) => {
        const file = event.currentTarget.files?.[0];
        if (file) takeFile(file);
        event.currentTarget.value = "";
      }} />
    </label>
  );
}
