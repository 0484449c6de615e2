// The address bar is the state: #v=1&model=...&plan.tp=8&sel=S5. Names are those of `--set path=value`.

export type Value = string | number | boolean;
export type Values = Readonly<Record<string, Value>>;

export interface Snapshot {
  page: string;
  inputs: Values; // what differs from the defaults
  view: Readonly<Record<string, string>>; // selection, pins, axes, sort ...
  unknown: Readonly<Record<string, string>>; // kept and reported
}

export const linkVersion = 1;

export const viewKeys = ["sel", "rank", "kind", "point", "pins", "brush", "color", "sort", "hx", "hy", "theme", "names", "open", "solver", "base", "saved", "level", "q", "ex", "scenario", "cls", "misfits"];

const plainInputs = ["model", "machine", "phase", "context", "batch", "precision", "kv_precision", "activation_precision"];
const inputPrefixes = ["plan.", "machine.", "explore.", "fit.", "solve."];

export function isInput(key: string): boolean {
  return plainInputs.includes(key) || inputPrefixes.some((prefix) => key.startsWith(prefix));
}

// A text of the link: a number where it reads back the same, true, false, else text.
export function readValue(text: string): Value {
  if (text === "true" || text === "false") return text === "true";
  return text !== "" && Number.isFinite(Number(text)) && String(Number(text)) === text ? Number(text) : text;
}

// What a user types: any decimal number is one, however it is written.
export function readTyped(text: string): Value {
  return /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : readValue(text);
}

function escape(text: string): string {
  return encodeURIComponent(text).replace(/%(2F|3A|2C|40|24|7E)/gi, (code) => decodeURIComponent(code)).replaceAll("%20", "+");
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

export function writeLink(state: Snapshot): string {
  const parts = [`v=${linkVersion}`];
  for (const values of [state.inputs, state.view, state.unknown]) {
    for (const [key, value] of Object.entries(values)) parts.push(`${escape(key)}=${escape(String(value))}`);
  }
  return `/${state.page}#${parts.join("&")}`;
}

const renamed: Record<string, string> = { hw: "machine", seq: "context", select: "sel" }; // keys of version 0

export function readLink(path: string, hash: string): Snapshot {
  const inputs: Record<string, Value> = {};
  const view: Record<string, string> = {};
  const unknown: Record<string, string> = {};
  const pairs = hash.replace(/^#/, "").split("&").filter((pair) => pair.includes("="));
  const version = pairs.find((pair) => pair.startsWith("v="))?.slice(2);
  for (const pair of pairs) {
    const cut = pair.indexOf("=");
    let key = unescape(pair.slice(0, cut));
    const text = unescape(pair.slice(cut + 1));
    if (key === "v") continue;
    if (version === "0") key = renamed[key] ?? key;
    if (key === "__proto__") continue;
    if (viewKeys.includes(key)) view[key] = text;
    else if (isInput(key)) inputs[key] = readValue(text);
    else unknown[key] = text;
  }
  const page = path.replace(/^\/+|\/+$/g, "") || "inspect";
  return { page, inputs, view, unknown };
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

// An uploaded config.json as text of the link: ~ and its deflated bytes in base64url.
export async function pack(value: unknown): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate"));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `~${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

export async function unpack(text: string): Promise<unknown> {
  const binary = atob(text.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(Uint8Array.from(binary, (char) => char.charCodeAt(0)), new DecompressionStream("deflate"));
  return JSON.parse(new TextDecoder().decode(bytes));
}
