// The command box: pages, models, fields, stages and actions by name.
import { useState } from "preact/hooks";
import { stageNames } from "../format/names.ts";
import { neighbour } from "../scale/scale.ts";
import { goTo, redo, setInputs, setView, undo } from "../state/store.ts";
import { copyCli, copyCurl, copyLink, dialog, saveLabel, saveNow } from "./actions.ts";
import { models } from "./models.tsx";
import { Dialog } from "./shell.tsx";

interface Command {
  text: string;
  kind: string;
  act(): void;
}

// A dialog that closes gives the focus back to where it was: the field takes it after that.
function focusField(id: string): void {
  requestAnimationFrame(() => {
    if (document.querySelector("dialog[open]")) focusField(id);
    else document.getElementById(id)?.focus();
  });
}

function all(pages: readonly (readonly [string, string])[], toggleTheme: () => void): Command[] {
  const actions: readonly (readonly [string, () => void])[] = [
    ["Copy as CLI", copyCli], ["Copy as cURL", copyCurl], ["Copy link", copyLink], [saveLabel.value, saveNow], ["Undo", undo], ["Redo", redo], ["Light or dark", toggleTheme],
    ["Keys", () => (dialog.value = "keys")], ["Print", () => window.print()],
  ];
  const fields = [...document.querySelectorAll<HTMLElement>(".rail [data-path]")];
  return [
    ...pages.map(([path, title]) => ({ text: title, kind: "page", act: () => goTo(path) })),
    ...actions.map(([text, act]) => ({ text, kind: "action", act })),
    ...Object.entries(stageNames).map(([name, title]) => ({ text: `${name} ${title}`, kind: "stage", act: () => setView("sel", name) })),
    ...fields.map((field) => ({ text: field.dataset.path ?? "", kind: "field", act: () => focusField(`f-${(field.dataset.path ?? "").replaceAll(".", "-")}`) })),
    ...models.value.map((model) => ({ text: model.name, kind: "model", act: () => setInputs({ model: model.name }, `model ${model.name}`) })),
  ];
}

export function Commands({ pages, toggleTheme }: { pages: readonly (readonly [string, string])[]; toggleTheme: () => void }) {
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const [commands] = useState(() => all(pages, toggleTheme));
  const matching = (text: string): Command[] => {
    const words = text.toLowerCase().split(/\s+/);
    return commands.filter((command) => words.every((word) => `${command.text} ${command.kind}`.toLowerCase().includes(word))).slice(0, 12);
  };
  const found = matching(query);
  const close = (): void => {
    dialog.value = null;
  };
  const run = (command: Command | undefined): void => {
    close();
    command?.act();
  };
  return (
    <Dialog title="Search or run a command" close={() => { if (dialog.peek() === "commands") close(); }}>
      <input
        class="search" role="combobox" aria-expanded aria-controls="found" aria-label="Command" placeholder="Page, model, stage, field or action" autoFocus autocomplete="off"
        {...(found[index] ? { "aria-activedescendant": `found-${index}` } : {})}
        value={query}
        onInput={(event) => { setQuery(event.currentTarget.value); setIndex(0); }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            setIndex(neighbour(index, event.key === "ArrowDown" ? 1 : -1, found.length));
          }
          if (event.key === "Enter") run(matching(event.currentTarget.value)[event.currentTarget.value === query ? index : 0]); // what is typed, drawn or not yet
        }}
      />
      <ul id="found" class="list flat" role="listbox" aria-label="Commands">
        {found.map((command, i) => (
          <li key={`${command.kind} ${command.text}`} id={`found-${i}`} role="option" aria-selected={i === index} onClick={() => run(command)}>
            {command.text} <span>{command.kind}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
