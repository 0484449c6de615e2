// Latency per stage: three terms, the binding one bold, the formulas of the open rows.
import type { Bound, Formula, Inspect, LayerKind, Stage, SymbolRow } from "../engine/types.ts";
import { byKey, byUnit, count, none, percent, time } from "../format/format.ts";
import { stageNames } from "../format/names.ts";
import { width } from "../scale/scale.ts";
import { hover, printing, setView, view } from "../state/store.ts";
import { Mark } from "./icons.tsx";
import { Panel } from "./panel.tsx";
import { kindName, pick, table } from "./pipeline.tsx";

const terms = ["compute", "memory", "network"] as const;

// A formula whose known symbols light up everywhere when pointed at.
export function Typeset({ text, symbols }: { text: string; symbols: readonly SymbolRow[] }) {
  const known = new Map(symbols.map((row) => [row.symbol, row]));
  return (
    <span class="mono">
      {text.split(/([\s()])/).map((token, i) => {
        const row = known.get(token);
        return row ? (
          <b key={i} class={`sym${hover.value === row.from ? " lit" : ""}`} title={`${row.meaning}: ${byUnit(row.value, row.unit)}`} onMouseEnter={() => (hover.value = row.from)} onMouseLeave={() => (hover.value = null)}>
            {token}
          </b>
        ) : (
          token
        );
      })}
    </span>
  );
}

function Term({ stage, term, formula, symbols }: { stage: Stage; term: Bound; formula: Formula | undefined; symbols: readonly SymbolRow[] }) {
  return (
    <li>
      <b>{term}</b>
      <span>
        {formula ? (
          <>
            <Typeset text={formula.symbols} symbols={symbols} />
            <span class="mono put">= {formula.values}</span>
          </>
        ) : (
          <span class="mono">none in this stage</span>
        )}
      </span>
      <span class={`num${stage.bound === term ? " lead" : ""}`}>{formula ? time(stage[`${term}_s`]) : none}</span>
    </li>
  );
}

export function Formulas({ stage, symbols }: { stage: Stage; symbols: readonly SymbolRow[] }) {
  return (
    <>
      <ol>
        {terms.map((term) => (
          <Term key={term} stage={stage} term={term} formula={stage.formulas[term]} symbols={symbols} />
        ))}
      </ol>
      {stage.definitions ? (
        <dl class="defs">
          {Object.entries(stage.definitions).map(([name, text]) => (
            <div key={name}>
              <dt class="mono">{name}</dt>
              <dd class="mono">{text}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      <p class="fine">
        {byKey("_flop", stage.matrix_flop)} matrix, {byKey("_flop", stage.vector_flop)} vector, {byKey("_bytes", stage.hbm_bytes)} of memory traffic
        {stage.intensity_flop_per_byte ? `, ${byKey("intensity_flop_per_byte", stage.intensity_flop_per_byte)}` : ""}
      </p>
    </>
  );
}

function Cell({ stage, term }: { stage: Stage; term: Bound }) {
  const value = stage[`${term}_s`];
  return <td class={`num${stage.bound === term ? " lead" : ""}`}>{value === 0 ? none : time(value)}</td>;
}

function Line({ stage, most, symbols, share }: { stage: Stage; most: number; symbols: readonly SymbolRow[]; share: number | null | undefined }) {
  const isOpen = view.value.sel === stage.name || view.value.open === "all" || printing.value;
  return (
    <>
      <tr
        class={`${view.value.sel === stage.name ? "on" : ""}${hover.value === stage.name ? " lit" : ""}`}
        data-stage-row={stage.name}
        onMouseEnter={() => (hover.value = stage.name)}
        onMouseLeave={() => (hover.value = null)}
      >
        <th scope="row">
          <button class="rowb" aria-expanded={isOpen} onClick={() => pick(stage.name)}>
            <span class="sid">{stage.name}</span>
            {stageNames[stage.name] ?? stage.title}
          </button>
        </th>
        <td>{stage.total_s > 0 ? <><Mark bound={stage.bound} /> {stage.bound}</> : <span class="mute">{none}</span>}</td>
        {terms.map((term) => <Cell key={term} stage={stage} term={term} />)}
        <td class="num lead" data-total>{stage.total_s === 0 ? "0" : time(stage.total_s)}</td>
        <td class="num">{percent(share)}</td>
        <td class="hide-s"><span class="share"><i class={`c-${stage.bound}`} style={{ width: width(share, most) }} /></span></td>
      </tr>
      {isOpen ? (
        <tr class="fx">
          <td colSpan={8}><Formulas stage={stage} symbols={symbols} /></td>
        </tr>
      ) : null}
    </>
  );
}

export function Stages({ result, layer, busy }: { result: Inspect; layer: LayerKind; busy: boolean }) {
  const symbols = result.symbols ?? [];
  const shares = layer.stages.map((stage) => stage.layer_fraction ?? stage.share_fraction ?? 0);
  const all = view.value.open === "all";
  return (
    <Panel
      id="stages" title="Latency per stage" busy={busy} table={() => table(layer)} json={() => layer.stages}
      note="one layer, one device; total = max(compute, memory) + network"
      tools={<button class="lnk" aria-pressed={all} onClick={() => setView("open", all ? null : "all")}>{all ? "Close formulas" : "All formulas"}</button>}
    >
      <div class="scroll" tabIndex={0} role="region" aria-label="Latency per stage, table">
        <table>
          <caption class="vh">Latency per stage of one layer</caption>
          <thead>
            <tr>
              <th scope="col">Stage</th><th scope="col">Bound</th><th scope="col" class="num">Compute</th><th scope="col" class="num">Memory</th>
              <th scope="col" class="num">Network</th><th scope="col" class="num">Total</th><th scope="col" class="num">Share</th><td class="hide-s" />
            </tr>
          </thead>
          <tbody>
            {layer.stages.map((stage, i) => <Line key={stage.name} stage={stage} share={shares[i]} most={Math.max(...shares)} symbols={symbols} />)}
            <Sums result={result} layer={layer} symbols={symbols} />
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Sums({ result, layer, symbols }: { result: Inspect; layer: LayerKind; symbols: readonly SymbolRow[] }) {
  const edges = result.edges.filter((edge) => edge.total_s > 0);
  return (
    <>
      <tr class="sum">
        <th scope="row">One layer</th><td colSpan={4} class="dim">{layer.attention_s === undefined ? "" : `attention ${time(layer.attention_s)}, feed-forward ${time(layer.ffn_s)}`}</td>
        <td class="num" data-layer-total>{time(layer.layer_s)}</td><td /><td class="hide-s" />
      </tr>
      {result.layers.map((kind, i) => (
        <tr key={i} class="sum2">
          <th scope="row">{count(kind.count)} layers{result.layers.length > 1 ? `, ${kindName(kind)}` : ""}</th><td colSpan={4} />
          <td class="num">{time(kind.total_s)}</td><td class="num">{percent(kind.share_fraction)}</td><td class="hide-s" />
        </tr>
      ))}
      {edges.map((edge) => <Line key={edge.name} stage={edge} share={edge.share_fraction} most={1} symbols={symbols} />)}
      <tr class="sum total">
        <th scope="row">Total</th><td colSpan={4} />
        <td class="num" data-pass-total>{time(result.latency_s)}</td><td /><td class="hide-s" />
      </tr>
    </>
  );
}
