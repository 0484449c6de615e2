// Glossary: symbols with their current values, and the terms that are easy to mix up.
import { setView, view } from "../state/store.ts";
import { Symbols } from "../parts/tables.tsx";
import { Panel } from "../parts/panel.tsx";
import { inspect, Waiting } from "./inspect.tsx";

const terms: readonly (readonly [term: string, text: string])[] = [
  ["PE, cube, SIP", "A processing element with its own HBM; a cube of PEs on one crossbar; a package (SIP) of cubes on a mesh. SIPs are joined as a ring, mesh or torus."],
  ["TP, CP, PP, DP, EP", "Ways to split one model: every matrix (tensor), the tokens of a sequence (context), the layers (pipeline), the batch (data), the experts."],
  ["Ring attention", "With CP the keys and values, or the queries with their partial results, travel round the ranks; S5 to S8 run once per visit, with visits − 1 hops."],
  ["K and Ki", "kB is 1,000 bytes, KiB 1,024. All byte figures here are decimal; tokens written as 128k are 131,072."],
  ["Bandwidth", "Per direction of one endpoint, never the sum of both directions."],
  ["Peak", "Dense FLOP/s; sparsity doublings of data sheets are left out. One multiply-add is 2 FLOP."],
  ["Active and total parameters", "A model of experts stores all its parameters and uses the active ones for each token: memory goes with the first, work with the second."],
  ["Bound", "The largest of the three terms of a stage: compute and memory overlap, so the longer counts; network is added."],
  ["Cost score", "The sum of the six machine knobs over their defaults: 6.0 is the default machine."],
  ["Pareto front", "The points that no other point beats in every objective at once."],
  ["Prefill, decode", "Prefill passes the whole prompt at once and ends with the first token; decode makes one token a pass."],
  ["Basis", "Calibrated: from curves fitted to measurements; datasheet: published peaks; estimate: equations of a design nobody has measured."],
];

export function GlossaryPage() {
  const reply = inspect.reply.value;
  const query = view.value.q ?? "";
  const shown = terms.filter(([term, text]) => `${term} ${text}`.toLowerCase().includes(query.toLowerCase()));
  return (
    <>
      <div class="head">
        <div>
          <h1>Words and symbols</h1>
          <p class="crumb">with the values of the configuration on Inspect</p>
        </div>
        <input class="search narrow" type="search" aria-label="Filter the glossary" placeholder="Filter" value={query} onInput={(event) => setView("q", event.currentTarget.value || null)} />
      </div>
      <Panel id="terms" title="Terms" noExport>
        <dl class="pad terms" data-ready>
          {shown.map(([term, text]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {reply ? reply.result.symbols ? <Symbols rows={reply.result.symbols} busy={inspect.busy.value} filter={query} /> : null : <Waiting text="" />}
    </>
  );
}
