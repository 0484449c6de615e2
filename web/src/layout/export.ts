// Panels into files: SVG with its colours resolved, PNG at twice its size, CSV, text on the clipboard.
import { version } from "../engine/engine.ts";
export interface TableData {
  columns: string[];
  rows: (string | number | null)[][];
}

export function download(name: string, content: Blob | string): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/plain;charset=utf-8" }) : content;
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = `ridgeline-${name}`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function asCsv(data: TableData): string {
  const cell = (value: string | number | null): string => {
    const text = value === null ? "" : String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [data.columns, ...data.rows].map((row) => row.map(cell).join(",")).join("\n").concat("\n");
}

export function asMarkdown(data: TableData): string {
  const line = (cells: readonly (string | number | null)[]): string => `| ${cells.map((cell) => String(cell ?? "").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(data.columns), `|${data.columns.map(() => " --- ").join("|")}|`, ...data.rows.map(line)].join("\n").concat("\n");
}

const painted = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

// A copy whose looks are attributes, so that it stands alone.
export function vectorOf(svg: SVGSVGElement, title: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(from[i]!);
    for (const name of painted) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
    element.removeAttribute("style");
    element.removeAttribute("tabindex");
  });
  const box = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  const name = document.createElementNS("http://www.w3.org/2000/svg", "title");
  name.textContent = `${title}, Ridgeline ${version.peek()}, ${location.href}`;
  copy.prepend(name);
  return new XMLSerializer().serializeToString(copy);
}

export async function pictureOf(svg: SVGSVGElement, title: string): Promise<Blob> {
  const box = svg.viewBox.baseVal;
  const image = new Image();
  const url = URL.createObjectURL(new Blob([vectorOf(svg, title)], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = box.width * 2;
  canvas.height = (box.height + 34) * 2;
  const context = canvas.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  context.scale(2, 2);
  context.fillStyle = style.getPropertyValue("--panel");
  context.fillRect(0, 0, box.width, box.height + 34);
  context.fillStyle = style.getPropertyValue("--ink");
  context.font = "600 13px 'Inter Variable', sans-serif";
  context.fillText(title, 8, 16);
  context.font = "11px 'Inter Variable', sans-serif";
  context.fillText(`Ridgeline ${version.peek()} ${decodeURIComponent(location.hash.slice(1)).slice(0, 160)}`, 8, box.height + 30);
  context.drawImage(image, 0, 20, box.width, box.height);
  URL.revokeObjectURL(url);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"));
}
