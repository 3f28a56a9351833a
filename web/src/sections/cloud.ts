// The cloud of configurations with its front, the profiled ones, the choice and the default.
import { build_cloud, marks, numbered, provenances, trial_numbers, type Cloud, type Moved } from "../charts/cloud.ts";
import { live_chart, type EChartsType } from "../charts/echarts.ts";
import { attach_hover } from "../charts/hover.ts";
import type { Box } from "../charts/labels.ts";
import { draw_overlay, type Bubble, type Name } from "../charts/overlay.ts";
import type { Provenance } from "../contract.ts";
import { h, section, select, svg } from "../dom.ts";
import { plural } from "../format.ts";
import { costs, opening, settings, type Measure } from "../measures.ts";
import { on_show, show } from "../select.ts";
import { colours, font } from "../theme.ts";
import { configuration_card } from "./card.ts";
import { whatif } from "./whatif.ts";
import type { TuneReport } from "../view.ts";

const shapes: Record<string, string> = {
  dot: "M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z",
  disc: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z",
  diamond: "M8 1l6 7-6 7-6-7z",
  triangle: "M8 3l5.5 10h-11z",
  square: "M3.5 3.5h9v9h-9z",
  line: "M0 11h6V5h10",
  dash: "M8 0v4M8 6v4M8 12v4",
};

function legend_entry(shape: string, css: string, text: string): HTMLElement {
  return h("li", {}, svg("svg", { viewBox: "0 0 16 16", class: css, "aria-hidden": "true" }, svg("path", { d: shapes[shape]! })), text);
}

function legend(report: TuneReport, cloud: Cloud): HTMLElement[] {
  const numbers = trial_numbers(report);
  const entries: HTMLElement[] = [];
  for (const p of provenances) {
    const count = report.configurations.filter((c, i) => c.provenance === p && !numbers.has(i)).length;
    if (count > 0) entries.push(legend_entry("dot", p, `${p} (${count.toLocaleString("en").replaceAll(",", "\u202f")})`));
  }
  if (numbers.size > 0) entries.push(legend_entry("disc", "profiled", "profiled, in their order"));
  if (cloud.front.length > 0) entries.push(legend_entry("line", "front", "Pareto front"));
  const marked = marks(report, colours());
  if (marked.some((m) => m.kind === "preset")) entries.push(legend_entry("square", "preset", "presets of the board"));
  for (const m of marked.filter((one) => one.kind !== "preset")) {
    entries.push(legend_entry(m.symbol === "diamond" ? "diamond" : m.symbol === "circle" ? "disc" : "triangle", m.kind, m.text));
  }
  // The legend names a budget where it is drawn, and says so where these axes do not show one.
  const drawn = cloud.lines.filter((l) => l.asked);
  if (drawn.length > 0) entries.push(legend_entry("dash", "limit", `${drawn.length === 1 ? "budget" : "budgets"}; beyond is shaded`));
  const hidden = report.request.budgets.length - drawn.length;
  if (hidden > 0) entries.push(h("li", { class: "hidden-budgets" }, `${hidden === 1 ? "A budget is" : `${hidden} budgets are`} not on these axes`));
  return entries;
}

/** Where the values of an axis are on the screen: two conversions, the rest is arithmetic. */
function pixels_of(chart: EChartsType, at: Float64Array, axis: "xAxisIndex" | "yAxisIndex", logarithmic: boolean): Float64Array {
  let [low, high] = [Infinity, -Infinity];
  for (const v of at) if (v === v) [low, high] = [Math.min(low, v), Math.max(high, v)];
  if (!(high > low)) high = low * 1.5 + 1;
  const map = logarithmic ? Math.log : (v: number) => v;
  const pixel = (v: number) => chart.convertToPixel({ [axis]: 0 }, v) as unknown as number;
  const start = pixel(low);
  const step = (pixel(high) - start) / (map(high) - map(low));
  return at.map((v) => start + (map(v) - map(low)) * step);
}

/** "3, 7"; of more, the first two. */
const short = (numbers: string): string => (numbers.split(", ").length > 2 ? `${numbers.split(", ").slice(0, 2).join(", ")}\u2026` : numbers);

/** Configurations that the chart really holds: the cloud's and the profiled ones. */
function drawn(chart: EChartsType): number {
  const series = chart.getOption()["series"] as { name?: string; data?: unknown[] }[];
  return series.filter((s) => s.name === "profiled" || provenances.includes(s.name as Provenance)).reduce((sum, s) => sum + (s.data?.length ?? 0), 0);
}

function caption(report: TuneReport, x: Measure | "rank", y: Measure, shown: number): string {
  const hidden = report.configurations.length - shown;
  const name = (m: Measure | "rank") => (m === "rank" ? "rank" : m.label.toLowerCase().replace(/^(cpu|gpu)/, (s) => s.toUpperCase()));
  const missing = hidden > 0 ? ` ${plural(hidden, "configuration lacks", "configurations lack")} one of these figures and ${hidden === 1 ? "is" : "are"} not shown.` : "";
  return `${plural(shown, "configuration")}: ${name(y)} against ${name(x)}.${x !== "rank" && !x.cost ? " Configurations of one setting stand side by side." : ""}${missing}`;
}

export function cloud_section(report: TuneReport): HTMLElement {
  const cost_measures = costs(report);
  const measures = [...cost_measures, ...settings(report)];
  const numbers = trial_numbers(report);
  const find = (id: string): Measure | "rank" => (id === "rank" ? "rank" : (measures.find((m) => m.id === id) ?? cost_measures[0]!));
  let { x, y } = opening(report);
  let cloud: Cloud;

  let moved: Moved | null = null;

  const box = h("div", { class: "chart cloud", tabindex: 0, role: "application", "aria-roledescription": "chart" });
  const note = h("figcaption", { class: "caption" });
  const key = h("ul", { class: "legend", "aria-label": "Legend" });
  const options: [string, string][] = [...measures.map((m): [string, string] => [m.id, m.label]), ["rank", "Rank (least first)"]];
  const pickers = h("div", { class: "controls" },
    select("Vertical", cost_measures.map((m) => [m.id, m.label]), y, (id) => { y = id; redraw(); }),
    select("Horizontal", options, x, (id) => { x = id; redraw(); }));

  // Later in the list means on top; the ring and the card belong to the hover.
  const canvas = h("div", { class: "canvas" });
  const layer = h("div", { class: "overlay", "aria-hidden": "true" });
  box.append(canvas, layer);
  const chart = live_chart(canvas, draw);
  const pixels = () => ({
    x: pixels_of(chart, cloud.x.at, "xAxisIndex", cloud.x.option["type"] === "log"),
    y: pixels_of(chart, cloud.y.at, "yAxisIndex", cloud.y.option["type"] === "log"),
  });
  const visible = (i: number) => cloud.x.at[i]! + cloud.y.at[i]! === cloud.x.at[i]! + cloud.y.at[i]!;
  const hover = attach_hover(box, {
    pixels,
    card: (index) => configuration_card(report, index, cost_measures, numbers),
    stops: () => [...new Set([...named(), ...numbers.keys(), ...cloud.front])].filter(visible),
    preferred: new Set([...numbers.keys(), ...named()]),
    go: (index) => show("row", index),
  });
  on_show("chart", (index) => {
    if (!visible(index)) ({ x, y } = opening(report));
    redraw();
    box.scrollIntoView({ block: "center" });
    box.focus({ preventScroll: true });
    if (visible(index)) hover.show(index);
  });
  function named(): number[] {
    return marks(report, colours()).map((m) => m.index).reverse();
  }
  function draw() {
    cloud = build_cloud(report, find(x), find(y) as Measure, colours(), font(), canvas.clientWidth < 560, moved);
    chart.setOption(cloud.option, true);
    box.dataset["points"] = String(drawn(chart));
    box.dataset["budgets"] = String(cloud.lines.filter((l) => l.asked).length);
    const text = caption(report, find(x), find(y) as Measure, cloud.shown);
    note.textContent = text;
    box.setAttribute("aria-label", `${text} Arrow keys walk through the choice, the default, the profiled ones and the front; Enter goes to the row.`);
    key.replaceChildren(...legend(report, cloud));
    draw_texts();
  }
  function draw_texts() {
    const { x: px, y: py } = pixels();
    const chosen = report.choice?.configuration;
    const [left, right, top, bottom] = [52, canvas.clientWidth - (canvas.clientWidth < 560 ? 14 : 28), 36, canvas.clientHeight - 50];
    const spots = [...numbers.entries()].filter(([i]) => visible(i));
    // The default keeps its own symbol, an optimum its colour.
    const kind_of = (i: number) => (i === chosen ? "choice" : report.oracle?.raw === i || report.oracle?.robust === i ? "optimum" : "profiled");
    const numbered_ones = numbered(report) ? spots.filter(([i]) => i === chosen || i !== report.default?.configuration) : [];
    const bubbles: Bubble[] = numbered_ones.map(([i, text]) => ({ x: px[i]!, y: py[i]!, text: short(text), kind: kind_of(i) }));
    bubbles.sort((a, b) => Number(b.kind === "choice") - Number(a.kind === "choice"));
    const names: Name[] = marks(report, colours()).reverse().filter((m) => visible(m.index)).map((m) => ({ x: px[m.index]!, y: py[m.index]!, radius: m.size / 2, text: m.text, kind: m.kind }));
    const at = moved?.found ?? null;
    if (at !== null && visible(at)) names.unshift({ x: px[at]!, y: py[at]!, radius: 11, text: "then", kind: "moved" });
    const lines: Box[] = [];
    for (const line of cloud.lines) {
      const axis = line.axis === "x" ? "xAxisIndex" : "yAxisIndex";
      const pixel = chart.convertToPixel({ [axis]: 0 }, line.at) as unknown as number;
      const kind = line.asked ? "limit" : "moved";
      lines.push(line.axis === "x" ? { left: pixel - 1, top, width: 2, height: bottom - top } : { left, top: pixel - 1, width: right - left, height: 2 });
      if (line.axis === "x") names.push({ x: pixel, y: top + 9, radius: 1, text: line.text, kind, sides: ["right", "left", "below right", "below left"] });
      else names.push({ x: right - 4, y: pixel, radius: 1, text: line.text, kind, sides: ["above left", "below left", "left"] });
    }
    draw_overlay(layer, { left, top: top - 4, width: right - left, height: bottom - top + 4 }, bubbles, names, lines);
  }
  function redraw() {
    hover.hide();
    draw();
  }
  const asks = whatif(report, (now) => {
    const first = cloud === undefined;
    moved = now;
    if (!first) redraw();
  });
  return section("cloud-section", "All configurations", "", h("figure", {}, pickers, asks, box, key, note));
}
