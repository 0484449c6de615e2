// Compare: saved configurations side by side. Each column is the engine's own answer.
import { computed, effect, signal } from "@preact/signals";
import { call, type Reply } from "../engine/engine.ts";
import type { Inspect } from "../engine/types.ts";
import { byKey, none } from "../format/format.ts";
import { stageNames } from "../format/names.ts";
import { marks } from "../scale/best.ts";
import { commandLine, inspectRequest } from "../state/request.ts";
import { remove, rename, saved, save, type Saved } from "../state/saved.ts";
import { goTo, inputs, page, setInputs } from "../state/store.ts";
import { pageCommand, say } from "../parts/actions.ts";
import { Panel, type TableData } from "../parts/panel.tsx";
import { download } from "../layout/export.ts";

const answers = signal<Record<string, Reply<Inspect>>>({});
const keyOf = (item: Saved): string => JSON.stringify(inspectRequest(item.inputs));

effect(() => {
  if (page.value !== "compare") return;
  for (const item of saved.value) {
    const key = keyOf(item);
    if (key in answers.peek()) continue;
    void call<Inspect>("inspect", JSON.parse(key)).then((answer) => {
      if ("reply" in answer) answers.value = { ...answers.peek(), [key]: answer.reply };
      else say(`${item.name}: ${answer.failure.message} ${answer.failure.hint}`);
    });
  }
});

effect(() => {
  if (page.value === "compare" && saved.value[0]) pageCommand.value = { command: "inspect", request: inspectRequest(saved.value[0].inputs) };
});

const shown = computed(() => saved.value.map((item) => ({ item, reply: answers.value[keyOf(item)] })));

interface RowOf {
  key: string;
  label: string;
  unit: string;
  less: boolean | null; // null: neither is better
  read: (result: Inspect) => number | string | null;
}

const summary: readonly RowOf[] = [
  { key: "latency_s", label: "Latency", unit: "_s", less: true, read: (r) => r.latency_s },
  { key: "tokens_per_s", label: "Throughput", unit: "tokens_per_s", less: false, read: (r) => r.objectives?.tokens_per_s ?? null },
  { key: "tokens_per_s_per_pe", label: "Throughput per device", unit: "tokens_per_s_per_pe", less: false, read: (r) => r.objectives?.tokens_per_s_per_pe ?? null },
  { key: "memory", label: "Memory per device", unit: "_bytes", less: true, read: (r) => r.memory.total_bytes },
  { key: "fits", label: "Fits", unit: "", less: null, read: (r) => (r.fits_memory && r.placement_valid ? "yes" : "no") },
  { key: "bound", label: "Bound by", unit: "", less: null, read: (r) => r.bound ?? null },
  { key: "pes_used", label: "Devices", unit: "", less: true, read: (r) => r.objectives?.pes_used ?? null },
  { key: "cost_x_pes", label: "Cost score × devices", unit: "", less: true, read: (r) => r.objectives?.cost_x_pes ?? null },
  { key: "energy_j_per_token", label: "Energy per token", unit: "energy_j_per_token", less: true, read: (r) => r.objectives?.energy_j_per_token ?? null },
  { key: "redundant", label: "Spare copies, all devices", unit: "_bytes", less: true, read: (r) => r.replication.total.redundant_bytes },
];

const stageRows: readonly RowOf[] = ["S1", "S2", "S3", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "F1", "F2", "F3", "F4", "F5", "F6"].map((name) => ({
  key: name, label: `${name} ${stageNames[name]}`, unit: "_s", less: true, read: (r) => r.layers[0]?.stages.find((stage) => stage.name === name)?.total_s ?? null,
}));

function Body({ rows }: { rows: readonly RowOf[] }) {
  return (
    <tbody>
      {rows.map((row) => {
        const values = shown.value.map(({ reply }) => (reply ? row.read(reply.result) : null));
        const best = marks(values, row.less);
        return (
          <tr key={row.key} data-row={row.key}>
            <th scope="row">{row.label}</th>
            {values.map((value, i) => (
              <td key={i} class={`num${best[i] ? " best" : ""}`}>
                {value === null ? none : byKey(row.unit, value, 4)}
                {best[i] ? <span class="vh"> best</span> : null}
              </td>
            ))}
          </tr>
        );
      })}
    </tbody>
  );
}

function Head({ names }: { names: boolean }) {
  return (
    <thead>
      <tr>
        <th scope="col">Configuration</th>
        {shown.value.map(({ item }, i) => (
          <th key={i} scope="col" class="num">
            {names ? <input class="name num" aria-label={`Name of configuration ${i}`} value={item.name} onChange={(event) => rename(i, event.currentTarget.value)} /> : item.name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Differences() {
  const keys = [...new Set(saved.value.flatMap((item) => Object.keys(item.inputs)))];
  const differing = keys.filter((key) => new Set(saved.value.map((item) => String(item.inputs[key] ?? none))).size > 1);
  return (
    <tbody>
      {differing.map((key) => (
        <tr key={key}>
          <th scope="row" class="mono">{key}</th>
          {saved.value.map((item, i) => <td key={i} class="num">{item.inputs[key] === undefined ? "default" : String(item.inputs[key]).slice(0, 40)}</td>)}
        </tr>
      ))}
      {differing.length === 0 ? <tr><th scope="row" class="sub">No input differs.</th></tr> : null}
      <tr>
        <td />
        {saved.value.map((item, i) => (
          <td key={i} class="num">
            <button class="lnk" onClick={() => { setInputs(item.inputs, `open ${item.name}`, false, () => true); goTo("inspect"); }}>Open</button>{" "}
            <button class="lnk" aria-label={`Delete ${item.name}`} onClick={() => drop(i)}>Delete</button>
          </td>
        ))}
      </tr>
    </tbody>
  );
}

const dropped = signal<Saved | null>(null);

function drop(index: number): void {
  dropped.value = saved.peek()[index] ?? null;
  remove(index);
}

function data(rows: readonly RowOf[]): TableData {
  return { columns: ["row", ...saved.value.map((item) => item.name)], rows: rows.map((row) => [row.key, ...shown.value.map(({ reply }) => (reply ? row.read(reply.result) : null))]) };
}

function Table({ title, note, rows }: { title: string; note: string; rows: readonly RowOf[] }) {
  return (
    <Panel id={title.toLowerCase().replaceAll(" ", "-")} title={title} note={note} table={() => data(rows)} json={() => shown.value.map(({ reply }) => reply)}>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <caption class="vh">{title}</caption>
          <Head names={false} />
          <Body rows={rows} />
        </table>
      </div>
    </Panel>
  );
}

export function ComparePage() {
  const list = saved.value;
  return (
    <>
      <div class="head">
        <div>
          <h1 data-ready>Is A better than B, and where?</h1>
          <p class="crumb">{list.map((item) => item.name).join(", ")} <span class="mute">{list.length > 0 ? "| best in each row marked" : ""}</span></p>
        </div>
        <div class="acts">
          {dropped.value ? <button class="btn" onClick={() => { saved.value = [...saved.peek(), dropped.peek()!]; dropped.value = null; }}>Restore {dropped.value.name}</button> : null}
          <button class="btn" disabled={list.length === 0} onClick={() => download("compare.json", JSON.stringify(saved.peek(), null, 2))}>Export all</button>
          <button class="btn pri" onClick={() => save(inputs.peek())}>Add the current one</button>
        </div>
      </div>
      {list.length === 0 ? (
        <section class="panel" aria-label="Nothing saved"><div class="pad form"><p>Nothing is saved yet. Save configurations on Inspect (key S), pins on Explore, or add the current one here.</p><p class="row"><button class="btn" onClick={() => save(inputs.peek())}>Add the current one</button></p></div></section>
      ) : (
        <>
          <Panel id="differences" title="Inputs that differ" note="names can be edited" noExport>
            <div class="scroll" tabIndex={0} role="region" aria-label="Inputs that differ">
              <table><caption class="vh">Inputs that differ</caption><Head names /><Differences /></table>
            </div>
          </Panel>
          <Table title="Summary" note="" rows={summary} />
          <Table title="Attention stages" note="one layer" rows={stageRows.filter((row) => row.key.startsWith("S"))} />
          <Table title="Feed-forward stages" note="one layer" rows={stageRows.filter((row) => row.key.startsWith("F"))} />
          <Panel id="lines" title="Command lines" noExport>
            <ul class="pad">{list.map((item, i) => <li key={i} class="mono">{commandLine("inspect", inspectRequest(item.inputs))}</li>)}</ul>
          </Panel>
        </>
      )}
    </>
  );
}
