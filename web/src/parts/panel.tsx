// A panel: title, what it shows, its table twin, its exports; an exception inside stays inside.
import { Component, type ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { version } from "../engine/engine.ts";
import { counted } from "../scale/scale.ts";
import { copy, say } from "./actions.ts";
import { embedded } from "../state/store.ts";
import { asCsv, asMarkdown, download, pictureOf, vectorOf, type TableData } from "../layout/export.ts";

export type { TableData };

interface PanelProps {
  id: string;
  title: string;
  note?: ComponentChildren;
  tools?: ComponentChildren;
  table?: () => TableData;
  json?: () => unknown;
  busy?: boolean;
  class?: string;
  noExport?: boolean;
  children: ComponentChildren;
}

// An exception below stays here: the rest of the page lives.
export class Trap extends Component<{ title: string; isWhole?: boolean; children: ComponentChildren }, { error: Error | null; of: ComponentChildren }> {
  override state = { error: null as Error | null, of: null as ComponentChildren };

  // A new answer is tried again.
  static override getDerivedStateFromProps(props: { children: ComponentChildren }, state: { error: Error | null; of: ComponentChildren }) {
    return state.of === props.children ? null : { error: null, of: props.children };
  }

  static override getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    const report = `${this.props.title}: ${error.message}\n${location.href}\nRidgeline ${version.peek()}`;
    const told = (
      <div class="pad">
        <p role="alert">This panel failed: {error.message}</p>
        <p class="row">
          <button class="btn sm" onClick={() => void navigator.clipboard.writeText(report)}>Copy report</button>
          <button class="btn sm" onClick={() => this.setState({ error: null })}>Try again</button>
        </p>
      </div>
    );
    return this.props.isWhole ? <section class="panel" aria-label={this.props.title}>{told}</section> : told;
  }
}

// What is below stays as it is while the values that it shows stay the same.
export class Still extends Component<{ on: readonly unknown[]; children: ComponentChildren }> {
  override shouldComponentUpdate(next: { on: readonly unknown[] }) {
    return next.on.some((value, i) => value !== this.props.on[i]);
  }

  override render() {
    return this.props.children;
  }
}

export function Twin({ data, caption }: { data: TableData; caption: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${caption}, table`}>
      <table class="twin">
        <caption class="vh">{caption}</caption>
        <thead>
          <tr>
            {data.columns.map((name) => (
              <th key={name} scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (j === 0 ? <th key={j} scope="row">{cell}</th> : <td key={j} class={typeof cell === "number" ? "num" : ""}>{cell ?? "–"}</td>))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Panel(props: PanelProps) {
  if (embedded.value !== null && embedded.value !== props.id) return null;
  return <Whole {...props} />;
}

function Whole(props: PanelProps) {
  const body = useRef<HTMLDivElement>(null);
  const [asTable, setAsTable] = useState(false);
  const name = props.id;
  const drawing = (): SVGSVGElement | null => body.current?.querySelector("svg.ch") ?? null;
  const run = (kind: string): void => {
    const svg = drawing();
    if (kind === "PNG" && svg) void pictureOf(svg, props.title).then((blob) => download(`${name}.png`, blob));
    if (kind === "SVG" && svg) download(`${name}.svg`, vectorOf(svg, props.title));
    if (kind === "CSV" && props.table) download(`${name}.csv`, asCsv(props.table()));
    if (kind === "Markdown" && props.table) return void copy(asMarkdown(props.table()), `${props.title}, as Markdown,`);
    if (kind === "JSON" && props.json) download(`${name}.json`, JSON.stringify(props.json(), null, 2));
    say(`${props.title}: ${kind} saved`);
  };
  const kinds = [...(props.class?.includes("drawn") ? ["PNG", "SVG"] : []), ...(props.table ? ["CSV", "Markdown"] : []), ...(props.json ? ["JSON"] : [])];
  return (
    <section class={`panel ${props.class ?? ""}${props.busy ? " busy" : ""}`} aria-label={props.title} data-panel={name}>
      <header>
        <h2>{props.title}</h2>
        {props.note ? <p>{props.note}</p> : null}
        <span class="tools">
          {props.tools}
          {props.table && props.class?.includes("drawn") ? (
            <button class="lnk" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "Drawing" : "Table"}</button>
          ) : null}
          {counted(kinds) > 0 && !props.noExport ? (
            <details class="menu">
              <summary class="lnk" aria-label={`Export ${props.title}`}>Export</summary>
              <div class="pop">
                {kinds.map((kind) => (
                  <button key={kind} onClick={(event) => { run(kind); event.currentTarget.closest("details")?.removeAttribute("open"); }}>{kind}</button>
                ))}
              </div>
            </details>
          ) : null}
        </span>
      </header>
      <div ref={body}>
        <Trap title={props.title}>{asTable && props.table ? <Twin data={props.table()} caption={props.title} /> : props.children}</Trap>
      </div>
    </section>
  );
}
