// Compare: saved configurations side by side. One answer of the engine's `compare` holds every row, its best and its changes.
import { computed, effect, signal } from "@preact/signals";
import { live } from "../engine/live.ts";
import type { Compare, CompareRow } from "../engine/types.ts";
import { byKey, none, plain, signedPercent } from "../format/format.ts";
import { compareNames, stageNames } from "../format/names.ts";
import { slopeBox, slopes } from "../layout/slope.ts";
import { moved } from "../layout/roofline.ts";
import { verdict } from "../scale/best.ts";
import { counted } from "../scale/scale.ts";
import { commandLine, inspectRequest } from "../state/request.ts";
import { remove, rename, restore, saved, save, type Saved } from "../state/saved.ts";
import { goTo, inputs, page, setInputs, setView, view } from "../state/store.ts";
import { copyCli, pageCommand } from "../parts/actions.ts";
import { Select } from "../parts/controls.tsx";
import { Panel, type TableData } from "../parts/panel.tsx";
import { download } from "../layout/export.ts";

const baseline = computed(() => {
  const wanted = Number(view.value.base ?? 0);
  return Number.isInteger(wanted) && wanted in saved.value ? wanted : 0;
});

const request = computed(() => (page.value === "compare" && saved.value.length > 1 ? { files: saved.value.map((item) => ({ command: "inspect", ...inspectRequest(item.inputs) })), baseline: baseline.value } : null));
const comparison = live<Compare>("compare", request);

effect(() => {
  if (request.value) pageCommand.value = { command: "compare", request: request.value };
});

const lastKey = (key: string): string => key.split(".").at(-1) ?? key;

function stageName(key: string): string {
  const name = key.split(".").at(-2) ?? "";
  return `${name} ${stageNames[name] ?? ""}`;
}

const labelOf = (key: string): string => compareNames[key] ?? (key.includes(".stages.") ? stageName(key) : (compareNames[lastKey(key)] ?? key));

const summaryKeys = Object.keys(compareNames).filter((key) => !["attention_s", "ffn_s"].includes(key));

function rowsOf(result: Compare, wanted: readonly string[] | RegExp): CompareRow[] {
  if (wanted instanceof RegExp) return result.rows.filter((row) => wanted.test(row.key));
  return wanted.flatMap((key) => result.rows.filter((row) => row.key === key));
}

function Cell({ row, index }: { row: CompareRow; index: number }) {
  const value = row.values[index];
  const isBest = row.best_index !== null && value === row.values[row.best_index];
  const change = index === baseline.value ? null : row.change_fractions[index];
  const word = verdict(change, row.better);
  return (
    <td class={`num${isBest ? " best" : ""}`}>
      {byKey(lastKey(row.key), value, 4)}
      {isBest ? <span class="vh"> best</span> : null}
      {change ? <small class={`chg ${word}`}>{signedPercent(change)} {word}</small> : null}
    </td>
  );
}

function Head({ names }: { names: boolean }) {
  return (
    <thead>
      <tr>
        <th scope="col">Configuration</th>
        {saved.value.map((item, i) => (
          <th key={i} scope="col" class="num">
            {names ? <input class="name num" aria-label={`Name of configuration ${i}`} value={item.name} onChange={(event) => rename(i, event.currentTarget.value)} /> : item.name}
            {i === baseline.value ? <small class="chg">baseline</small> : null}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function open(item: Saved): void {
  setInputs(item.inputs, `open ${item.name}`, false, () => true);
  goTo("inspect");
}

const dropped = signal<{ item: Saved; index: number } | null>(null);

function drop(index: number): void {
  const item = saved.peek()[index];
  dropped.value = item ? { item, index } : null;
  remove(index);
}

function undrop(): void {
  const last = dropped.peek();
  if (last) restore(last.item, last.index);
  dropped.value = null;
}

function Differences({ result }: { result: Compare | null }) {
  const differing = result?.differences ?? [];
  return (
    <tbody>
      {differing.map((row) => (
        <tr key={row.key}>
          <th scope="row" class="mono">{row.key}</th>
          {row.values.map((value, i) => <td key={i} class="num">{value === null || value === undefined ? none : plain(value).slice(0, 40)}</td>)}
        </tr>
      ))}
      {result && differing.length === 0 ? <tr><th scope="row" class="sub">No input differs.</th></tr> : null}
      <tr>
        <td />
        {saved.value.map((item, i) => (
          <td key={i} class="num">
            <button class="lnk" aria-label={`Open ${item.name}`} onClick={() => open(item)}>Open</button>{" "}
            <button class="lnk" aria-label={`Delete ${item.name}`} onClick={() => drop(i)}>Delete</button>
          </td>
        ))}
      </tr>
    </tbody>
  );
}

function data(rows: readonly CompareRow[]): TableData {
  return { columns: ["row", ...saved.value.map((item) => item.name), "best"], rows: rows.map((row) => [row.key, ...row.values.map((value) => (typeof value === "number" ? value : plain(value))), row.best_index]) };
}

function Table({ title, note, rows }: { title: string; note: string; rows: readonly CompareRow[] }) {
  if (rows.length === 0) return null;
  return (
    <Panel id={title.toLowerCase().replaceAll(/[ ,]+/g, "-")} title={title} note={note} busy={comparison.busy.value} table={() => data(rows)} json={() => rows}>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="cmp">
          <caption class="vh">{title}</caption>
          <Head names={false} />
          <tbody>
            {rows.map((row) => (
              <tr key={row.key} data-row={row.key}>
                <th scope="row">{labelOf(row.key)}</th>
                {row.values.map((_, i) => <Cell key={i} row={row} index={i} />)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

// Two configurations: what goes up and what goes down from the baseline to the other.
function Slopes({ rows }: { rows: readonly CompareRow[] }) {
  const other = baseline.value === 0 ? 1 : 0;
  const moving = rows.filter((row) => row.better !== null && Boolean(row.change_fractions[other]));
  const drawn = slopes(moving.map((row) => ({ key: row.key, change: row.change_fractions[other]! })));
  const row = (key: string): CompareRow => moving.find((item) => item.key === key)!;
  const bottom = moved(slopeBox.top, slopeBox.height);
  return (
    <Panel id="slope" class="drawn" title="From the baseline to the other" note="up is more" table={() => ({ columns: ["row", "change_fraction"], rows: moving.map((item) => [item.key, item.change_fractions[other] ?? null]) })} json={() => moving}>
      <div class="pad">
        <svg class="ch" viewBox={`0 0 ${slopeBox.width} ${moved(bottom, 24)}`} role="img" aria-label={`Changes from ${saved.value[baseline.value]?.name} to ${saved.value[other]?.name}`}>
          <path class="ax" d={`M${slopeBox.left} ${slopeBox.top}V${bottom}M${slopeBox.right} ${slopeBox.top}V${bottom}`} />
          <text class="s" x={slopeBox.left} y="18" text-anchor="middle">{saved.value[baseline.value]?.name}</text>
          <text class="s" x={slopeBox.right} y="18" text-anchor="middle">{saved.value[other]?.name}</text>
          {drawn.map((line) => {
            const word = verdict(line.change, row(line.key).better);
            return (
              <g key={line.key}>
                <path class={`slope ${word}`} d={`M${slopeBox.left} ${line.fromY}L${slopeBox.right} ${line.toY}`} />
                <text x={moved(slopeBox.right, 8)} y={moved(line.labelY, 4)}>{labelOf(line.key)} {signedPercent(line.change)}</text>
              </g>
            );
          })}
        </svg>
      </div>
    </Panel>
  );
}

function Results({ result }: { result: Compare }) {
  const kinds = [...new Set(result.rows.flatMap((row) => /^layers\.(\d+)\.attention_s$/.exec(row.key)?.[1] ?? []))];
  const named = (title: string, kind: string): string => (kinds.length > 1 ? `${title}, layer kind ${kind}` : title);
  const summary = [...rowsOf(result, summaryKeys), ...rowsOf(result, /^layers\.0\.(attention|ffn)_s$/)];
  return (
    <>
      <div class={counted(saved.value) === 2 ? "cols table" : "cols"}>
        <Table title="Summary" note="best in each row marked" rows={summary} />
        {counted(saved.value) === 2 ? <Slopes rows={summary} /> : null}
      </div>
      <div class="cols two">
        {kinds.map((kind) => [
          <Table key={`a${kind}`} title={named("Attention stages", kind)} note="one layer" rows={rowsOf(result, new RegExp(`^layers\\.${kind}\\.(stages\\.S\\d+\\.total_s|attention_s)$`))} />,
          <Table key={`f${kind}`} title={named("Feed-forward stages", kind)} note="one layer" rows={rowsOf(result, new RegExp(`^layers\\.${kind}\\.(stages\\.F\\d+\\.total_s|ffn_s)$`))} />,
        ])}
      </div>
    </>
  );
}

function exportAll(): void {
  download("compare.ridgeline.json", JSON.stringify({ saved: saved.peek(), answer: comparison.reply.peek() }, null, 2));
}

function Empty({ text }: { text: string }) {
  return (
    <section class="panel" aria-label="Nothing to compare">
      <div class="pad form">
        <p>{text}</p>
        <p class="row"><button class="btn" onClick={() => save(inputs.peek())}>Add the current one</button></p>
      </div>
    </section>
  );
}

export function ComparePage() {
  const list = saved.value;
  const refused = comparison.failure.value;
  const result = request.value && comparison.reply.value?.result.names.length === list.length ? comparison.reply.value.result : null;
  const choices = list.map((item, i) => ({ value: i, text: item.name }));
  return (
    <>
      <div class="head">
        <div>
          <h1 data-ready>Is A better than B, and where?</h1>
          <p class="crumb">{list.map((item) => item.name).join(", ")}</p>
        </div>
        <div class="acts">
          {list.length > 1 ? <Select path="base" label="Baseline" value={baseline.value} choices={choices} set={(value) => setView("base", value === 0 ? null : String(value))} /> : null}
          {dropped.value ? <button class="btn" onClick={undrop}>Restore {dropped.value.item.name}</button> : null}
          <button class="btn" disabled={list.length < 2} onClick={copyCli}>Copy as CLI</button>
          <button class="btn" disabled={list.length === 0} onClick={exportAll}>Export all</button>
          <button class="btn pri" onClick={() => save(inputs.peek())}>Add the current one</button>
        </div>
      </div>
      {refused && request.value ? <p class="banner" role="alert">{refused.where}: {refused.message} {refused.hint}</p> : null}
      {list.length === 0 ? <Empty text="Nothing is saved yet. Save configurations on Inspect (key S), pins on Explore, or add the current one here." /> : (
        <>
          <Panel id="differences" title="Inputs that differ" note="names can be edited" noExport>
            <div class="scroll" tabIndex={0} role="region" aria-label="Inputs that differ">
              <table class="cmp"><caption class="vh">Inputs that differ</caption><Head names /><Differences result={result} /></table>
            </div>
          </Panel>
          {list.length === 1 ? <Empty text="One configuration is saved; a second one makes a comparison." /> : null}
          {result ? <Results result={result} /> : null}
          <Panel id="lines" title="Command lines" noExport>
            <ul class="pad">{list.map((item, i) => <li key={i} class="mono"><b>{item.name}</b> {commandLine("inspect", inspectRequest(item.inputs))}</li>)}</ul>
          </Panel>
        </>
      )}
    </>
  );
}
