// The Pareto front as a table: sorted, pinned, its columns chosen; the tray of pins below it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Explore, Point } from "../engine/types.ts";
import { byKey, bytes, count, none, plain } from "../format/format.ts";
import { knobCell, knobHead } from "../format/knobs.ts";
import { compareValues } from "../scale/best.ts";
import { columnChoice, save } from "../state/saved.ts";
import { inputs } from "../state/store.ts";
import { copyCli, say } from "../parts/actions.ts";
import { Mark } from "../parts/icons.tsx";
import { Panel, type TableData } from "../parts/panel.tsx";
import { inBrush, planText, readBrush } from "../parts/scatter.tsx";
import { asInputs, choose, chosen, devices, isChiplet, keyOf, knobs, letterOf, nameOf, openInInspect, parsePoint, pins, togglePin, xKey, yKey } from "./search.ts";

interface Column {
  key: string;
  head: string;
  value(point: Point): unknown;
  cell?(point: Point): ComponentChildren;
  isRare?: boolean; // not shown until it is chosen
  isKnob?: boolean;
}

const ofPlan = (key: string, head: string, isRare = false): Column => ({ key: `plan.${key}`, head, isRare, value: (point) => point.plan[key] });
const ofPoint = (key: string, head: string, isRare = false): Column => ({ key, head, isRare, value: (point) => point[key], cell: (point) => byKey(key, point[key]) });

function columnsOf(): Column[] {
  const axes = [yKey.value, xKey.value];
  const others: Column[] = [
    { key: "bound", head: "Bound", value: (point) => point.bound ?? "", cell: (point) => (point.bound ? <><Mark bound={point.bound} /> {point.bound}</> : none) },
    ofPlan("tp", "TP"), ofPlan("cp", "CP"), ofPlan("pp", "PP"), ofPlan("dp", "DP"), ofPlan("ep", "EP", true),
    ofPlan("kv_shard_mode", "KV heads", true), ofPlan("cp_ring_variant", "Ring", true), ofPlan("ffn_shard_scope", "FFN over", true),
    ...(isChiplet.value ? [ofPlan("tp_placement", "TP on", true), ofPlan("cp_placement", "CP on", true)] : []),
    ...knobs.value.map((knob): Column => ({ key: `machine.${knob}`, head: knobHead(knob), isKnob: true, value: (point) => point.hardware[knob], cell: (point) => knobCell(knob, point.hardware[knob]) })),
    { key: "pes_used", head: isChiplet.value ? "PEs" : "Devices", value: (point) => point.pes_used, cell: (point) => count(point.pes_used as number) },
    { key: "memory_bytes", head: "Memory", value: (point) => point.memory_bytes, cell: (point) => bytes(point.memory_bytes) },
    ofPoint("memory_headroom_bytes", "Free memory", true), ofPoint("latency_s", "Latency", true), ofPoint("cost_score", "Cost score", true), ofPoint("cost_x_pes", `Cost × ${devices.value}`, true),
    ofPoint("tokens_per_s", "Tokens/s", true), ofPoint("energy_j_per_token", "Energy per token", true),
  ];
  return others.filter((column) => !axes.includes(column.key));
}

const isShown = (column: Column): boolean => columnChoice.value[column.key] ?? !column.isRare;

export function frontTable(result: Explore): TableData {
  const columns = columnsOf();
  return {
    columns: [yKey.value, xKey.value, ...columns.map((column) => column.key)],
    rows: result.pareto.map((point) => [yKey.value, xKey.value].map((key) => point[key] as number).concat(columns.map((column) => column.value(point) as number))),
  };
}

// What the machine as set has for a knob; levels are a list of named ones.
function asSet(machine: Record<string, unknown>, knob: string): unknown {
  let value: unknown = machine;
  for (const key of knob.split(".")) value = Array.isArray(value) ? value.find((item: { name?: string }) => item.name === key) : (value as Record<string, unknown> | undefined)?.[key];
  return value;
}

function Cell({ column, point, base }: { column: Column; point: Point; base: Record<string, unknown> }) {
  const value = column.value(point);
  const known = column.isKnob ? asSet(base, column.key.replace("machine.", "")) : undefined;
  const differs = typeof known !== "number" ? "" : value === known ? " dim" : " diff";
  return <td class={`${column.key === "bound" ? "" : "num"}${differs}`}>{column.cell ? column.cell(point) : plain(value)}</td>;
}

function FrontRow({ point, columns, base }: { point: Point; columns: readonly Column[]; base: Record<string, unknown> }) {
  const key = keyOf(point);
  const isChosen = chosen.value !== null && keyOf(chosen.value) === key;
  const letter = letterOf(key);
  return (
    <tr class={isChosen ? "on" : ""} data-front-row={key}>
      <th scope="row" class="pinc">
        <button class="pinb" aria-pressed={letter !== ""} aria-label={`Pin ${planText(point)}`} onClick={() => togglePin(point)}><i class={`pin${letter ? " y" : ""}`} /><span class="letter">{letter}</span></button>
      </th>
      <td class="num lead"><button class="rowb num" onClick={() => choose(point)} onDblClick={() => openInInspect(point)}>{byKey(yKey.value, point[yKey.value])}</button></td>
      <td class="num">{byKey(xKey.value, point[xKey.value])}</td>
      {columns.map((column) => <Cell key={column.key} column={column} point={point} base={base} />)}
    </tr>
  );
}

function ColumnMenu({ columns }: { columns: readonly Column[] }) {
  return (
    <details class="menu columns">
      <summary class="lnk">Columns</summary>
      <div class="pop">
        {columns.map((column) => (
          <label key={column.key} class="check">
            <input type="checkbox" checked={isShown(column)} onChange={(event) => (columnChoice.value = { ...columnChoice.peek(), [column.key]: event.currentTarget.checked })} /> {column.head}
          </label>
        ))}
      </div>
    </details>
  );
}

export function Front({ result, base, busy }: { result: Explore; base: Record<string, unknown>; busy: boolean }) {
  const [by, setBy] = useState<string | null>(null);
  const all = columnsOf();
  const columns = all.filter(isShown);
  const brush = readBrush();
  const rowsShown = result.pareto.filter((point) => inBrush(point, brush, xKey.value, yKey.value));
  const order = [{ key: yKey.value, value: (point: Point) => point[yKey.value] }, { key: xKey.value, value: (point: Point) => point[xKey.value] }, ...columns].find((column) => column.key === by);
  const rows = order ? [...rowsShown].sort((a, b) => compareValues(order.value(a), order.value(b))) : rowsShown;
  const pinnedFirst = [...rows.filter((point) => letterOf(keyOf(point))), ...rows.filter((point) => !letterOf(keyOf(point)))];
  const head = (key: string, label: string, isText = false) => (
    <th key={key} scope="col" class={`sort${isText ? "" : " num"}`} aria-sort={by === key ? "ascending" : "none"}><button onClick={() => setBy(by === key ? null : key)}>{label}{by === key ? " ↑" : ""}</button></th>
  );
  return (
    <Panel id="front" title="Pareto front" note={`${count(rowsShown.length)} of ${count(result.pareto.length)}; bold knobs differ from the machine as set`} busy={busy} table={() => frontTable(result)} json={() => result.pareto} tools={<ColumnMenu columns={all} />}>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="Pareto front, table">
        <table>
          <caption class="vh">Points of the Pareto front</caption>
          <thead>
            <tr>
              <th scope="col">Pin</th>
              {[yKey.value, xKey.value].map((key) => head(key, nameOf(key)))}
              {columns.map((column) => head(column.key, column.head, column.key === "bound"))}
            </tr>
          </thead>
          <tbody>{pinnedFirst.map((point, i) => <FrontRow key={i} point={point} columns={columns} base={base} />)}</tbody>
        </table>
      </div>
      <Tray />
    </Panel>
  );
}

function Tray() {
  const saveAll = (): void => {
    for (const pin of pins.peek()) {
      const point = parsePoint(pin);
      if (point) save({ ...inputs.peek(), ...asInputs(point) });
    }
    say("Pins saved; Compare shows them side by side");
  };
  return (
    <div class="tray">
      <b>{pins.value.length === 0 ? "P pins the selected point" : `${count(pins.value.length)} pinned`}</b>
      {pins.value.map((pin) => <span key={pin} class="chip">{letterOf(pin)}</span>)}
      <button class="btn sm" disabled={pins.value.length === 0} onClick={saveAll}>Save pins to compare</button>
      <button class="btn sm" disabled={!chosen.value} onClick={() => chosen.value && openInInspect(chosen.value)}>Open in Inspect</button>
      <span class="spring" />
      <button class="btn sm" onClick={copyCli}>Copy as CLI</button>
    </div>
  );
}
