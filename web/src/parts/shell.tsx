// The frame around every page: top bar, rail or its drawer, notices, dialogs.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { lastElapsed, online, version } from "../engine/engine.ts";
import { time } from "../format/format.ts";
import { letterKeys, saved, shownTheme, theme } from "../state/saved.ts";
import { goTo, inputs, notice, page, printing, redo, steps, undo } from "../state/store.ts";
import { copyCli, copyCurl, copyLink, dialog, opened, spoken } from "./actions.ts";
import { Commands } from "./commands.tsx";
import { Icon, Logo } from "./icons.tsx";
import { keyTable } from "./keys.ts";

export const pages: readonly (readonly [path: string, title: string])[] = [
  ["inspect", "Inspect"], ["explore", "Explore"], ["plan", "Plan"], ["fit", "Fit"], ["compare", "Compare"], ["solvers", "Solvers"], ["validate", "Validate"], ["glossary", "Glossary"],
];

export function toggleTheme(): void {
  theme.value = shownTheme() === "dark" ? "light" : "dark";
}

function Button({ icon, label, act, off }: { icon: Parameters<typeof Icon>[0]["name"]; label: string; act: () => void; off?: boolean }) {
  return (
    <button class="btn icon" aria-label={label} title={label} onClick={act} disabled={off ?? false}>
      <Icon name={icon} />
    </button>
  );
}

function TopBar() {
  return (
    <header class="top">
      <a class="brand" href="/inspect" onClick={(event) => { event.preventDefault(); goTo("inspect"); }}>
        <Logo /> Ridgeline
      </a>
      <nav class="nav" aria-label="Pages">
        {pages.map(([path, title]) => (
          <a key={path} href={`/${path}`} {...(page.value === path ? { "aria-current": "page" as const } : {})} onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            goTo(path);
          }}>
            {title}
            {path === "compare" && saved.value.length > 0 ? <span class="count">{saved.value.length}<span class="vh"> saved</span></span> : null}
          </a>
        ))}
      </nav>
      <span class="spring" />
      <button class="omni" aria-label="Search or command Ctrl K" onClick={() => (dialog.value = "commands")}>
        <Icon name="search" /> <span>Search or command</span> <kbd>Ctrl K</kbd>
      </button>
      <span class="icons">
        <Button icon="undo" label={`Undo ${steps.value.past.at(-1)?.label ?? ""} (Ctrl Z)`} act={undo} off={steps.value.past.length === 0} />
        <Button icon="redo" label={`Redo ${steps.value.future.at(-1)?.label ?? ""} (Ctrl Shift Z)`} act={redo} off={steps.value.future.length === 0} />
        <Button icon="link" label="Copy link (L)" act={copyLink} />
        <Button icon="theme" label="Light or dark (T)" act={toggleTheme} />
        <Button icon="help" label="Keys (?)" act={() => (dialog.value = "keys")} />
      </span>
    </header>
  );
}

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close} onClick={(event) => { if (event.target === ref.current) ref.current?.close(); }}>
      <header>
        <h2>{title}</h2>
        <button class="btn icon" aria-label="Close" onClick={() => ref.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

function Keys() {
  return (
    <Dialog title="Keys" close={() => (dialog.value = null)}>
      <table>
        <caption class="vh">Keys</caption>
        <tbody>
          {keyTable.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row"><kbd>{keys}</kbd></th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label class="check">
        <input type="checkbox" checked={letterKeys.value} onChange={(event) => (letterKeys.value = event.currentTarget.checked)} /> single-letter keys
      </label>
    </Dialog>
  );
}

function Explanation() {
  const what = opened.value;
  if (!what) return null;
  return (
    <Dialog title={what.title} close={() => (opened.value = null)}>
      <p class="figure">{what.figure}</p>
      <dl class="lines">
        {what.lines.map(([label, text, isFormula]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd class={isFormula ? "mono" : ""}>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function RailBar({ open }: { open: () => void }) {
  return (
    <div class="railbar">
      <button class="btn sm" onClick={open}>
        <Icon name="menu" /> Inputs
      </button>
      <span class="chips">
        {Object.entries(inputs.value).map(([key, value]) => (
          <span key={key} class="chip">
            {key.replace(/^(plan|machine)\./, "")} {String(value).startsWith("~") ? "uploaded" : String(value)}
          </span>
        ))}
      </span>
    </div>
  );
}

function Foot() {
  return (
    <footer class="foot">
      <span data-engine>
        Engine: {version.value ? `ridgeline ${version.value}, this server` : "–"}
        {lastElapsed.value === null ? "" : `, answered in ${time(lastElapsed.value)}`}
      </span>
      <button class="lnk" onClick={copyCli}>Copy as CLI</button>
      <button class="lnk" onClick={copyCurl}>Copy as cURL</button>
      <button class="lnk" onClick={copyLink}>Copy link</button>
      {printing.value ? <span class="mono">{location.href}</span> : null}
    </footer>
  );
}

export function Shell({ rail, children }: { rail: ComponentChildren; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>
        Skip to results
      </a>
      <TopBar />
      {online.value ? null : (
        <p class="offline" role="alert">
          The engine does not answer. Inputs stay usable; the page tries again by itself.
        </p>
      )}
      <div class={rail ? "shell" : "shell alone"}>
        {rail ? <RailBar open={() => setOpen(true)} /> : null}
        {rail ? (
          <aside class={`rail${isOpen ? " open" : ""}`} aria-label="Inputs" onKeyDown={(event) => { if (event.key === "Escape") setOpen(false); }}>
            <button class="btn sm shut" onClick={() => setOpen(false)}>
              Close inputs
            </button>
            {rail}
          </aside>
        ) : null}
        <main id="main" class="main" tabIndex={-1}>
          {children}
          <Foot />
        </main>
      </div>
      <p class={`toast${notice.value ? "" : " none"}`} role="status">{notice.value}</p>
      <p class="vh" aria-live="polite">{spoken.value}</p>
      {dialog.value === "commands" ? <Commands pages={pages} toggleTheme={toggleTheme} /> : null}
      {dialog.value === "keys" ? <Keys /> : null}
      <Explanation />
    </>
  );
}
