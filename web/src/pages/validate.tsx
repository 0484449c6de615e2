// Validate: predictions against published measurements. Medians per class as bars, one class in full.
import { computed, effect, signal } from "@preact/signals";
import { live } from "../engine/live.ts";
import { count, lowerFirst, none, numbered, ofQuantity, percent, signedPercent, words } from "../format/format.ts";
import { agreement, inOrder, rowsIn, square, widest } from "../layout/agreement.ts";
import { moved } from "../layout/roofline.ts";
import { counted, width } from "../scale/scale.ts";
import { page, setView, view } from "../state/store.ts";
import { copyCli, pageCommand, say } from "../parts/actions.ts";
import { Panel } from "../parts/panel.tsx";
import { Figure, Waiting } from "./inspect.tsx";

interface ClassRow {
  class: string;
  quantity: string;
  rows: number;
  skipped: number;
  median_abs_error_fraction: number | null;
  mean_abs_error_fraction: number | null;
  p90_abs_error_fraction: number | null;
  bias_fraction: number | null;
  interval_coverage_fraction: number | null;
}

interface MeasuredRow {
  id: string;
  class: string;
  quantity: string;
  measured: number;
  predicted: number;
  error_fraction: number | null;
  basis: string;
}

interface Validation {
  classes: ClassRow[];
  rows: MeasuredRow[];
  skipped: { id: string; class: string; quantity: string; reason: string }[];
}

// A table of one's own, scored in place of those that come with the program.
const own = signal<{ name: string; text: string } | null>(null);
const request = computed(() => (page.value === "validate" ? (own.value ? { files: [own.value.text] } : {}) : null));
const mostBytes = 5_000_000;

window.addEventListener("ridgeline-table", (event) => takeTable((event as CustomEvent<File>).detail));

function takeTable(file: File): void {
  if (file.size > mostBytes) say(`${file.name} is over 5 MB`);
  else void file.text().then((text) => (own.value = { name: file.name, text: text.includes("\n") ? text : `${text}\n` }));
}
const validation = live<Validation>("validate", request);

effect(() => {
  if (page.value === "validate") pageCommand.value = { command: "validate", request: own.value ? { files: own.value.name } : {} };
});

const nameOf = (row: { class: string; quantity: string }): string => `${row.class} ${row.quantity}`;
const shownRows = 200;
const families = ["serve", "train", "memory", "microbench", "reliability", "carbon", "cost"];

function isWanted(row: ClassRow): boolean {
  const query = (view.value.q ?? "").toLowerCase();
  if (query) return nameOf(row).toLowerCase().includes(query);
  return view.value.open === "all" || (row.rows > 0 && (row.class.endsWith("/all") || row.class.split("/").length === 2));
}

function Bar({ value, p90 }: { value: number | null; p90: number | null }) {
  return (
    <span class="errbar" title={`median ${percent(value)}, nine of ten within ${percent(p90)}`}>
      <i class="p90" style={{ width: width(p90, 1) }} />
      <i class="med" style={{ width: width(value, 1) }} />
    </span>
  );
}

function Line({ row, isChosen }: { row: ClassRow; isChosen: boolean }) {
  return (
    <tr class={isChosen ? "on" : ""} data-class={nameOf(row)}>
      <th scope="row"><button class="rowb" aria-pressed={isChosen} onClick={() => setView("cls", isChosen ? null : nameOf(row))}>{row.class} <span class="mute">{lowerFirst(words(row.quantity))}</span></button></th>
      <td class="num">{count(row.rows)}</td>
      <td class="num">{row.skipped > 0 ? count(row.skipped) : none}</td>
      <td class="num lead" data-median>{percent(row.median_abs_error_fraction)}</td>
      <td class="hide-s"><Bar value={row.median_abs_error_fraction} p90={row.p90_abs_error_fraction} /></td>
      <td class="num">{percent(row.mean_abs_error_fraction)}</td>
      <td class="num">{percent(row.p90_abs_error_fraction)}</td>
      <td class="num">{signedPercent(row.bias_fraction)}</td>
      <td class="num">{percent(row.interval_coverage_fraction)}</td>
    </tr>
  );
}

const columns: readonly (keyof ClassRow)[] = ["class", "quantity", "rows", "skipped", "median_abs_error_fraction", "mean_abs_error_fraction", "p90_abs_error_fraction", "bias_fraction", "interval_coverage_fraction"];

function Classes({ result, chosen }: { result: Validation; chosen: ClassRow | undefined }) {
  const shown = inOrder(result.classes.filter(isWanted), families);
  const isAll = view.value.open === "all";
  return (
    <Panel
      id="classes" title="Error per class" note={`${count(counted(shown))} of ${count(counted(result.classes))}; bar: median, light up to nine of ten, full width 100 %`} busy={validation.busy.value} json={() => result.classes}
      table={() => ({ columns: [...columns], rows: result.classes.map((row) => columns.map((key) => row[key])) })}
      tools={<button class="lnk" aria-pressed={isAll} onClick={() => setView("open", isAll ? null : "all")}>{isAll ? "Fewer classes" : "All classes"}</button>}
    >
      <div class="scroll tallest" tabIndex={0} role="region" aria-label="Error per class, table">
        <table>
          <caption class="vh">Error per class</caption>
          <thead>
            <tr>
              <th scope="col">Class, quantity</th><th scope="col" class="num">Rows</th><th scope="col" class="num">Left out</th><th scope="col" class="num">Median</th><td class="hide-s" />
              <th scope="col" class="num">Mean</th><th scope="col" class="num">9 of 10</th><th scope="col" class="num">Bias</th><th scope="col" class="num">In interval</th>
            </tr>
          </thead>
          <tbody>{shown.map((row) => <Line key={nameOf(row)} row={row} isChosen={row === chosen} />)}</tbody>
        </table>
      </div>
    </Panel>
  );
}

function Agreement({ rows, chosen }: { rows: readonly MeasuredRow[]; chosen: ClassRow }) {
  const drawn = agreement(rows);
  if (!drawn) return null;
  const { x, y } = drawn.scale;
  return (
    <Panel id="agreement" class="drawn" title="Predicted against measured" note={nameOf(chosen)} json={() => rows} table={() => ({ columns: ["id", "measured", "predicted", "error_fraction"], rows: rows.map((row) => [row.id, row.measured, row.predicted, row.error_fraction]) })}>
      <div class="pad">
        <svg class="ch" viewBox={`0 0 ${square.width} ${square.height}`} role="img" aria-label={`Predicted against measured, ${counted(rows)} rows`}>
          {x.ticks.map((step) => <g key={step}><path class="gr" d={`M${x.at(step)} ${square.top}V${square.bottom}`} /><text x={x.at(step)} y={moved(square.bottom, 15)} text-anchor="middle">{ofQuantity(chosen.quantity, step)}</text></g>)}
          {y.ticks.map((step) => <g key={step}><path class="gr" d={`M${square.left} ${y.at(step)}H${square.right}`} /><text x={moved(square.left, -6)} y={moved(y.at(step), 4)} text-anchor="end">{ofQuantity(chosen.quantity, step)}</text></g>)}
          {drawn.bands.map((band) => <path key={band.within} class="band" d={band.path} />)}
          <path class="ax" d={drawn.diagonal} />
          <path class="dots" d={drawn.marks} />
          <text x={square.right} y={moved(square.bottom, 32)} text-anchor="end">measured, log scale</text>
        </svg>
        <p class="fine">Upright: predicted. Line: equal; dashed: 10 % and 25 % off.</p>
      </div>
    </Panel>
  );
}

function One({ result, chosen }: { result: Validation; chosen: ClassRow }) {
  const rows = rowsIn(result.rows, chosen.class, chosen.quantity);
  const left = rowsIn(result.skipped, chosen.class, chosen.quantity);
  const worst = widest(rows).slice(0, shownRows);
  return (
    <>
      <Agreement rows={rows} chosen={chosen} />
      <Panel id="rows" title="Rows" note={`${count(counted(rows))}; the largest errors first${rows.length > shownRows ? `, ${shownRows} shown` : ""}`} json={() => rows} table={() => ({ columns: ["id", "class", "measured", "predicted", "error_fraction", "basis"], rows: rows.map((row) => [row.id, row.class, row.measured, row.predicted, row.error_fraction, row.basis]) })}>
        <div class="scroll tall" tabIndex={0} role="region" aria-label="Rows, table">
          <table>
            <caption class="vh">Rows of {nameOf(chosen)}</caption>
            <thead><tr><th scope="col">Row</th><th scope="col" class="num">Measured</th><th scope="col" class="num">Predicted</th><th scope="col" class="num">Error</th><th scope="col">Basis</th></tr></thead>
            <tbody>
              {worst.map((row, i) => <tr key={i}><th scope="row" class="mono">{row.id}</th><td class="num">{ofQuantity(row.quantity, row.measured)}</td><td class="num">{ofQuantity(row.quantity, row.predicted)}</td><td class="num lead">{signedPercent(row.error_fraction)}</td><td>{row.basis}</td></tr>)}
            </tbody>
          </table>
        </div>
      </Panel>
      {left.length > 0 ? (
        <Panel id="skipped" title="Left out" note={`${count(counted(left))} rows, with the reason`} json={() => left}>
          <ul class="pad scroll tall" tabIndex={0}>{left.slice(0, shownRows).map((row, i) => <li key={i}><span class="mono">{row.id}</span>: {row.reason}</li>)}</ul>
        </Panel>
      ) : null}
    </>
  );
}

const headline: readonly (readonly [name: string, label: string])[] = [
  ["serve/all tpot", "Serving: time per token"], ["serve/all ttft", "Serving: first token"], ["train/all iter_time", "Training: step time"], ["memory/train-peak peak_memory", "Training: peak memory"], ["microbench/gemm/all latency", "Matrix products"],
];

export function ValidatePage() {
  const reply = validation.reply.value;
  const refused = validation.failure.value;
  if (!reply) return <Waiting text={refused ? `${refused.message} ${refused.hint}` : ""} />;
  const { result } = reply;
  const wanted = view.value.cls ?? "serve/all tpot";
  const chosen = result.classes.find((row) => nameOf(row) === wanted) ?? result.classes.find((row) => row.rows > 0) ?? result.classes[0];
  const figures = headline.flatMap(([name, label]) => result.classes.filter((row) => nameOf(row) === name).map((row) => ({ row, label })));
  return (
    <>
      <div class="head">
        <div>
          <h1>Can I believe it?</h1>
          <p class="crumb">{own.value ? `${own.value.name}: ${numbered(counted(result.rows), "rows")}` : `${count(counted(result.rows))} published measurements`} against what is predicted for them <span class="mute">| {count(counted(result.skipped))} left out, each with its reason</span></p>
        </div>
        <div class="acts">
          <input class="search narrow" type="search" aria-label="Filter the classes" placeholder="Filter classes" value={view.value.q ?? ""} onInput={(event) => setView("q", event.currentTarget.value || null)} />
          {own.value ? <button class="btn" onClick={() => (own.value = null)}>Back to the published ones</button> : null}
          <label class="btn upload">
            Score your own table
            <input type="file" accept=".csv,text/csv" class="vh" onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file) takeTable(file);
              event.currentTarget.value = "";
            }} />
          </label>
          <button class="btn" onClick={copyCli}>Copy as CLI</button>
        </div>
      </div>
      {refused ? <p class="banner" role="alert">{own.value?.name} {refused.message} {refused.hint} <i>Shown below: from before it.</i></p> : null}
      <dl class="kpis" aria-label="Median errors" data-ready>
        {figures.map(({ row, label }, i) => <Figure key={label} isFirst={i === 0} label={label} note={`median of ${count(row.rows)} rows`}>{percent(row.median_abs_error_fraction)}</Figure>)}
        <Figure label="Classes" note="each with its own error">{count(counted(result.classes))}</Figure>
      </dl>
      <div class="cols table wideleft">
        <Classes result={result} chosen={chosen} />
        <div class="stack one">{chosen ? <One result={result} chosen={chosen} /> : null}</div>
      </div>
    </>
  );
}

