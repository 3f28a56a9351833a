// The cloud of configurations with its front, the profiled ones, the choice and the default.
import { build_cloud, marks, provenances, trial_numbers, type Cloud } from "../charts/cloud.ts";
import { live_chart, type EChartsType } from "../charts/echarts.ts";
import { attach_hover } from "../charts/hover.ts";
import type { Provenance, TuneReport } from "../contract.ts";
import { h, section, select, svg } from "../dom.ts";
import { plural } from "../format.ts";
import { costs, opening, settings, type Measure } from "../measures.ts";
import { colours, font } from "../theme.ts";
import { configuration_card } from "./card.ts";

const shapes: Record<string, string> = {
  dot: "M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7z",
  disc: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z",
  diamond: "M8 1l6 7-6 7-6-7z",
  triangle: "M8 3l5.5 10h-11z",
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
  for (const m of marks(report, colours())) {
    const shape = m.symbol === "diamond" ? "diamond" : m.symbol === "circle" ? "disc" : "triangle";
    entries.push(legend_entry(shape, shape === "triangle" ? "optimum" : m.text === "default" ? "default" : "choice", m.text));
  }
  if (report.request.budgets.length > 0) entries.push(legend_entry("dash", "limit", "budget; beyond it is shaded"));
  return entries;
}

/** Where every point is on the screen: two conversions per axis, the rest is arithmetic. */
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

  const box = h("div", { class: "chart cloud", tabindex: 0, role: "application", "aria-roledescription": "chart" });
  const note = h("figcaption", { class: "caption" });
  const key = h("ul", { class: "legend", "aria-label": "Legend" });
  const options: [string, string][] = [...measures.map((m): [string, string] => [m.id, m.label]), ["rank", "Rank (least first)"]];
  const pickers = h("div", { class: "controls" },
    select("Vertical", cost_measures.map((m) => [m.id, m.label]), y, (id) => { y = id; redraw(); }),
    select("Horizontal", options, x, (id) => { x = id; redraw(); }));

  // Later in the list means on top; the ring and the card belong to the hover.
  const canvas = h("div", { class: "canvas" });
  box.append(canvas);
  const chart = live_chart(canvas, draw);
  const hover = attach_hover(box, {
    pixels: () => ({
      x: pixels_of(chart, cloud.x.at, "xAxisIndex", cloud.x.option["type"] === "log"),
      y: pixels_of(chart, cloud.y.at, "yAxisIndex", cloud.y.option["type"] === "log"),
    }),
    card: (index) => configuration_card(report, index, cost_measures, numbers),
    stops: () => [...new Set([...named(), ...numbers.keys(), ...cloud.front])].filter((i) => cloud.x.at[i]! + cloud.y.at[i]! === cloud.x.at[i]! + cloud.y.at[i]!),
    preferred: new Set([...numbers.keys(), ...named()]),
  });
  function named(): number[] {
    return marks(report, colours()).map((m) => m.index).reverse();
  }
  function draw() {
    cloud = build_cloud(report, find(x), find(y) as Measure, colours(), font(), canvas.clientWidth < 560);
    chart.setOption(cloud.option, true);
    box.dataset["points"] = String(drawn(chart));
    const text = caption(report, find(x), find(y) as Measure, cloud.shown);
    note.textContent = text;
    box.setAttribute("aria-label", `${text} Arrow keys walk through the choice, the default, the profiled ones and the front.`);
    key.replaceChildren(...legend(report, cloud));
  }
  function redraw() {
    hover.hide();
    draw();
  }
  return section("cloud-section", "All configurations", "", h("figure", {}, pickers, box, key, note));
}
