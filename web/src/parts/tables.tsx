// Replication and symbols: two tables of the engine's rows.
import type { Inspect, SymbolRow } from "../engine/types.ts";
import { bytes, byUnit, count, percent } from "../format/format.ts";
import { tensorNames } from "../format/names.ts";
import { hover } from "../state/store.ts";
import { Panel, type TableData } from "./panel.tsx";

export function Replication({ result, busy }: { result: Inspect; busy: boolean }) {
  const { rows, total } = result.replication;
  const data = (): TableData => ({
    columns: ["tensor", "per_pe_bytes", "replicated_across", "copies", "wasted_bytes", "overlaps"],
    rows: rows.map((r) => [r.tensor, r.per_pe_bytes, r.replicated_across, r.copies, r.wasted_bytes, String(r.overlaps)]),
  });
  return (
    <Panel id="replication" title="Replication" note="what is held more than once" busy={busy} table={data} json={() => result.replication}>
      <div class="scroll" tabIndex={0} role="region" aria-label="Replication, table">
        <table>
          <caption class="vh">Copies of tensors</caption>
          <thead>
            <tr>
              <th scope="col">Tensor</th>
              <th scope="col" class="num">Each</th>
              <th scope="col">Held by</th>
              <th scope="col" class="num">Copies</th>
              <th scope="col" class="num">Spare copies</th>
            </tr>
          </thead>
          <tbody>
            {rows.length === 0 ? (
              <tr>
                <td colSpan={5} class="sub">Nothing is held twice.</td>
              </tr>
            ) : null}
            {rows.map((row) => (
              <tr key={row.tensor} class={row.overlaps ? "apart" : ""}>
                <th scope="row">{tensorNames[row.tensor] ?? row.tensor}</th>
                <td class="num">{bytes(row.per_pe_bytes)}</td>
                <td>
                  every {row.replicated_across} rank{row.overlaps ? " (overlaps the rows above, not added)" : ""}
                </td>
                <td class="num">{count(row.copies)}</td>
                <td class="num lead">{bytes(row.wasted_bytes)}</td>
              </tr>
            ))}
            <tr class="sum">
              <th scope="row">All devices</th>
              <td class="num">{bytes(total.held_bytes)}</td>
              <td>held, {bytes(total.unique_bytes)} unique</td>
              <td class="num">{percent(total.redundant_fraction)}</td>
              <td class="num">{bytes(total.redundant_bytes)}</td>
            </tr>
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

export function Symbols({ rows, busy, filter }: { rows: readonly SymbolRow[]; busy: boolean; filter?: string }) {
  const wanted = (filter ?? "").toLowerCase();
  const shown = rows.filter((row) => `${row.symbol} ${row.meaning} ${row.from}`.toLowerCase().includes(wanted));
  return (
    <Panel id="symbols" title="Symbols" note="current values; point at one to light the field that sets it" busy={busy} json={() => rows} table={() => ({ columns: ["symbol", "meaning", "value", "unit", "from"], rows: rows.map((r) => [r.symbol, r.meaning, typeof r.value === "number" ? r.value : String(r.value), r.unit, r.from]) })}>
      <dl class="pad glo">
        {shown.map((row) => (
          <div key={row.symbol} class={hover.value === row.from ? "lit" : ""} onMouseEnter={() => (hover.value = row.from)} onMouseLeave={() => (hover.value = null)}>
            <dt class="mono">{row.symbol}</dt>
            <dd>{row.meaning}</dd>
            <dd class="num">{byUnit(row.value, row.unit)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
