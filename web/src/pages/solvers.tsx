// Solvers: a form from the schema, the answer as a table, the card with the values put in. No form is hand-written.
import { computed, effect, signal } from "@preact/signals";
import { call, type Failure } from "../engine/engine.ts";
import { live } from "../engine/live.ts";
import type { Property } from "../engine/types.ts";
import { byKey, byUnit, none, plain, signedPercent, words } from "../format/format.ts";
import { compareOrder } from "../scale/best.ts";
import { prefixed, type Json } from "../state/request.ts";
import { inputs, page, setInputs, setView, view } from "../state/store.ts";
import { copyCli, pageCommand } from "../parts/actions.ts";
import { Group, Row, Segments, Select, Text } from "../parts/controls.tsx";
import { failure } from "../parts/failure.ts";
import { Panel } from "../parts/panel.tsx";
import { Waiting } from "./inspect.tsx";
import { worked } from "./worked.ts";

interface Lever {
  input: string;
  value: unknown;
  raised: unknown;
  changes: Record<string, number> | null;
  reason?: string;
}

const names = signal<string[]>([]);
const schema = signal<{ solver: string; properties: Record<string, Property> } | null>(null);
const schemaFailure = signal<Failure | null>(null);
export const solver = computed(() => view.value.solver ?? "serving");

const starts: Json = { model: "llama-3.1-8b", hardware: "h100-sxm" };

// The fields of this solver alone, laid over its worked example, else over a model and a device where it asks for them.
export const request = computed<Json | null>(() => {
  const known = schema.value;
  if (page.value !== "solvers" || known?.solver !== solver.value) return null;
  const own = prefixed(inputs.value, "solve.");
  const first = worked[solver.value] ?? Object.fromEntries(Object.entries(starts).filter(([key]) => key in known.properties));
  return Object.fromEntries(Object.entries({ ...first, ...own }).filter(([key]) => key in known.properties));
});

const full = computed(() => (request.value ? { solver: solver.value, ...request.value } : null));
const answer = live<Record<string, unknown>>("solve", full);
const withLevers = computed(() => (full.value ? { ...full.value, levers: true } : null));
const moved = live<{ levers?: Lever[] }>("solve", withLevers);
const card = live<{ card: string; inputs?: { key: string; symbol: string; meaning: string; value: unknown }[] }>("explain", full);

async function load(name: string): Promise<void> {
  const got = await call<{ input: { properties: Record<string, Property & { enum?: string[] }> } }>("schema", { command: "solve", variant: name });
  if ("failure" in got) schemaFailure.value = got.failure;
  else schema.value = { solver: name, properties: got.reply.result.input.properties };
}

async function loadNames(): Promise<void> {
  const got = await call<{ input: { properties: Record<string, Property> } }>("schema", { command: "solve" });
  if ("reply" in got) names.value = (got.reply.result.input.properties.solver?.enum ?? []).map(String);
}

effect(() => {
  if (page.value !== "solvers") return;
  if (names.peek().length === 0) void loadNames();
  if (schema.peek()?.solver !== solver.value) void load(solver.value);
});

effect(() => {
  if (request.value) pageCommand.value = { command: `solve ${solver.value}`, request: request.value };
});

effect(() => {
  if (page.value === "solvers") failure.value = answer.failure.value;
});

function Input({ name, property, value }: { name: string; property: Property; value: unknown }) {
  const path = `solve.${name}`;
  const label = words(name);
  const types = [property.type ?? []].flat();
  const choices = (property.enum ?? []).map((item) => ({ value: item, text: String(item) }));
  const control =
    types.includes("boolean") ? <Segments path={path} label={label} value={value ?? property.default ?? false} choices={[{ value: false, text: "no" }, { value: true, text: "yes" }]} />
    : choices.length > 0 && choices.length <= 4 ? <Segments path={path} label={label} value={value ?? property.default} choices={choices} />
    : choices.length > 0 ? <Select path={path} label={label} value={value ?? property.default ?? ""} choices={[{ value: "", text: "default" }, ...choices]} set={(next) => setInputs({ [path]: next === "" ? null : next }, `${path} → ${next}`)} />
    : <Text wide path={path} label={label} value={value ?? property.default ?? ""} {...(property.unit && !/[a-z]/i.test(String(value ?? property.default ?? "")) ? { unit: property.unit } : {})} />;
  return (
    <div class="field" title={`${property.description ?? ""}${property.minimum === undefined ? "" : `; from ${plain(property.minimum)}`}${property.maximum === undefined ? "" : ` to ${plain(property.maximum)}`}`}>
      <Row path={path} label={label}>{control}</Row>
      {property.description ? <p class="fine help">{property.description}</p> : null}
    </div>
  );
}

// One field per quantity: the one that takes text with a unit.
function fields(properties: Record<string, Property>): [name: string, property: Property][] {
  const all = Object.entries(properties).filter(([name, property]) => !["solver", "levers"].includes(name) && !property.properties && !Object.keys(properties).some((other) => other !== name && name.startsWith(`${other}_`) && [properties[other]!.examples].flat().length > 0 && properties[other]!.examples !== undefined));
  return all.sort((a, b) => compareOrder(a[1].order, b[1].order));
}

// A value of an answer: lists of objects as a table, objects as lines, the rest as text.
function Value({ name, value }: { name: string; value: unknown }) {
  if (typeof value !== "object" || value === null) return <>{byKey(name, value, 4)}</>;
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.some((item) => typeof item !== "object" || item === null)) return <>{list.map((item) => byKey(name, item, 4)).join(", ")}</>;
  const rows = list as Json[];
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={words(name)}>
      <table class="inner">
        <caption class="vh">{words(name)}</caption>
        <thead><tr>{keys.map((key) => <th key={key} scope="col">{words(key)}</th>)}</tr></thead>
        <tbody>{rows.slice(0, 64).map((row, i) => <tr key={i}>{keys.map((key) => <td key={key}>{typeof row[key] === "object" ? plain(row[key]).slice(0, 120) : byKey(`_${key}`, row[key], 4)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

export function SolversRail() {
  return (
    <Group title="Solvers">
      <ul class="slist">
        {names.value.map((name) => (
          <li key={name}>
            <button {...(name === solver.value ? { "aria-current": "true" as const } : {})} onClick={() => setView("solver", name)}>{name}</button>
          </li>
        ))}
      </ul>
    </Group>
  );
}

const late = new Set(["samples", "seed", "threads"]);

const leverName = (path: string): string => {
  const steps = path.split(".");
  const of = steps.slice(0, -1).join(" ");
  return of ? `${words(steps.at(-1)!)}, ${of}` : words(path);
};
const side = (path: string, value: unknown): string => (typeof value === "object" ? "" : byKey(`_${path}`, value, 4));
const mostShown = 3;

// What a tenth more of each input makes of the answer, as the engine counts it.
function Levers({ levers }: { levers: readonly Lever[] }) {
  const moving = levers.filter((lever) => lever.changes === null || Object.keys(lever.changes).length > 0);
  return (
    <Panel id="levers" title="What moves it" note="a tenth more of one input; whole numbers one up at least" busy={moved.busy.value} json={() => levers} table={() => ({ columns: ["input", "value", "raised", "output", "change_fraction"], rows: moving.flatMap((lever) => Object.entries(lever.changes ?? {}).map(([key, change]) => [lever.input, plain(lever.value), plain(lever.raised), key, change])) })}>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="What moves it, table">
        <table>
          <caption class="vh">Inputs that move the answer, the strongest first</caption>
          <thead><tr><th scope="col">Input</th><th scope="col" class="num">From</th><th scope="col" class="num">To</th><th scope="col">Changes most</th></tr></thead>
          <tbody>
            {moving.map((lever) => (
              <tr key={lever.input} data-lever={lever.input}>
                <th scope="row">{leverName(lever.input)}</th><td class="num">{side(lever.input, lever.value)}</td><td class="num">{side(lever.input, lever.raised)}</td>
                <td class="wrap">{lever.changes === null ? <span class="mute">{lever.reason}</span> : Object.entries(lever.changes).slice(0, mostShown).map(([key, change]) => `${words(key)} ${signedPercent(change)}`).join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

// The first paragraph of a card, on one line.
const question = (card: string): string => (card.trim().split("\n\n")[0] ?? "").replaceAll(/\s+/g, " ");

export function SolversPage() {
  const known = schema.value;
  if (!known) return <Waiting text={schemaFailure.value?.message ?? ""} />;
  const reply = answer.reply.value;
  const isOwn = reply !== null && reply.inputs.solver === solver.value;
  const refused = answer.failure.value;
  const groups = new Map<string, [string, Property][]>();
  for (const entry of fields(known.properties)) {
    const group = late.has(entry[0]) ? "Of the run" : entry[1].group && entry[1].group !== "command" ? entry[1].group : "Inputs";
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  return (
    <>
      <div class="head">
        <div>
          <h1>{solver.value}</h1>
          <p class="crumb">{question(card.reply.value?.result.card ?? "")}</p>
        </div>
        <div class="acts">
          <button class="btn" onClick={() => setInputs({}, `reset ${solver.value}`, false, (key) => key.startsWith("solve."))}>Reset</button>
          <button class="btn" onClick={copyCli}>Copy as CLI</button>
        </div>
      </div>
      {refused ? <p class="banner" role="alert">{refused.message} {refused.hint}</p> : null}
      <div class="cols forms">
        <Panel id="form" title="Inputs" note="empty: the default" noExport>
          <div class="pad form" data-form={known.solver}>
            {[...groups].map(([group, entries]) => (
              <fieldset key={group}>
                <legend>{group}</legend>
                {entries.map(([name, property]) => <Input key={name} name={name} property={property} value={request.value?.[name]} />)}
              </fieldset>
            ))}
          </div>
        </Panel>
        <div class="stack">
          <Panel id="answer" title="Answer" busy={answer.busy.value} json={() => reply} table={() => ({ columns: ["key", "value"], rows: Object.entries(reply?.result ?? {}).map(([key, value]) => [key, typeof value === "number" ? value : plain(value)]) })}>
            {isOwn ? (
              <table class="out" data-ready>
                <caption class="vh">Answer of {solver.value}</caption>
                <tbody>
                  {Object.entries(reply.result).map(([key, value]) => (
                    <tr key={key} data-key={key}><th scope="row">{words(key)}</th><td class="num"><Value name={key} value={value} /></td></tr>
                  ))}
                </tbody>
              </table>
            ) : <p class="pad sub">{refused ? "No answer for these inputs." : none}</p>}
          </Panel>
          {isOwn && moved.reply.value?.inputs.solver === solver.value ? <Levers levers={moved.reply.value.result.levers ?? []} /> : null}
          <Panel id="card" title="Card" note="equations, with the values put in" busy={card.busy.value} json={() => card.reply.value}>
            <pre class="pad card" tabIndex={0}>{card.reply.value?.result.card ?? ""}</pre>
            <dl class="pad glo one">
              {(card.reply.value?.result.inputs ?? []).filter((row) => row.symbol && row.value !== null && typeof row.value !== "object").map((row) => (
                <div key={row.key}><dt class="mono">{row.symbol}</dt><dd>{row.meaning}</dd><dd class="num">{byUnit(row.value, "")}</dd></div>
              ))}
            </dl>
          </Panel>
        </div>
      </div>
    </>
  );
}
