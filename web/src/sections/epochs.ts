// Where the time of an epoch goes: stacked bars, and the same in numbers.
import { bars_of, bars_text, build_bars, chart_height, part_words, parts, tells_load, type Bar } from "../charts/epochs.ts";
import { live_chart } from "../charts/echarts.ts";
import type { ExperimentMeans } from "../contract.ts";
import { h, section } from "../dom.ts";
import { fit_table } from "../fit.ts";
import { number, with_unit } from "../format.ts";
import { colours, font } from "../theme.ts";
import type { ExperimentView } from "../view.ts";

export function bar_key(bars: Bar[]): HTMLElement {
  const paler = bars.some((b) => b.which === "epoch 0") ? [h("i", { class: "faded" }), h("span", {}, "paler: epoch 0")] : [];
  const load = tells_load(bars) ? [h("i", { class: "diamond" }), h("span", {}, "GPU busy")] : [];
  return h("p", { class: "bar-key epoch-key" }, ...parts.flatMap((part) => [h("i", { class: part }), h("span", {}, part_words[part])]), ...load, ...paler);
}

/** The chart of the bars, with its text for who cannot see it. */
export function bars_chart(bars: Bar[], what: string): HTMLElement {
  const canvas = h("div", { class: "chart epochs", role: "img", "data-bars": bars.length, "aria-label": bars_text(bars) });
  canvas.style.height = `${chart_height(bars, false)}px`;
  const chart = live_chart(canvas, () => {
    const narrow = canvas.clientWidth < 520;
    canvas.style.height = `${chart_height(bars, narrow)}px`;
    chart.resize();
    chart.setOption(build_bars(bars, colours(), font(), narrow, what), true);
  });
  return canvas;
}

export function epochs_section(report: ExperimentView): HTMLElement | null {
  const bars = bars_of(report.groups);
  if (bars.every((b) => b.means.compute_s === 0)) return null;
  return section("epochs-section", "Where the time of an epoch goes", "Means over repeats; the first epoch is kept apart, since it meets cold caches. Fetch stall is the visible wait for data: what the loader does meanwhile is hidden.", bar_key(bars), bars_chart(bars, "Time of an epoch"));
}

const columns: [head: string, cell: (b: Bar<ExperimentMeans>) => string | null][] = [
  ["End to end", (b) => with_unit(b.means.e2e_s, "s")],
  ["Stall", (b) => with_unit(b.means.stall_s, "s")],
  ["Compute", (b) => with_unit(b.means.compute_s, "s")],
  // A simulation does not tell them apart.
  ["Fetching", (b) => (b.means.fetch_s === 0 ? null : with_unit(b.means.fetch_s, "s"))],
  ["Pre-processing", (b) => (b.means.preprocess_s === 0 ? null : with_unit(b.means.preprocess_s, "s"))],
  ["Minibatch", (b) => with_unit(b.means.minibatch_ms, "ms")],
  ["CPU", (b) => `${number(b.means.cpu_pct)}\u202f%`],
  ["GPU busy", (b) => (b.means.gpu_load_pct === null ? null : `${number(b.means.gpu_load_pct)}\u202f%`)],
  ["In cache", (b) => (b.means.cached === null ? null : `${number(100 * b.means.cached)}\u202f%`)],
  ["Read from disk", (b) => (b.means.read_bytes === null ? null : `${number(b.means.read_bytes / 1e6)}\u202fMB`)],
  ["From own cache", (b) => (b.means.cache_bytes ? `${number(b.means.cache_bytes / 1e6)}\u202fMB` : null)],
  ["Energy", (b) => (b.means.energy_j === null ? null : with_unit(b.means.energy_j, "J"))],
  ["Other programs", (b) => (b.means.others_cpu_pct === null ? null : `${number(b.means.others_cpu_pct)}\u202f%`)],
  ["Base load", (b) => (b.means.base_w == null || b.means.power_w === null ? null : `${number((100 * b.means.base_w) / b.means.power_w)}\u202f%`)],
  ["Power", (b) => (b.means.power_w === null ? null : with_unit(b.means.power_w, "W"))],
];

export function epochs_table_section(report: ExperimentView): HTMLElement {
  const bars = bars_of(report.groups);
  const shown = columns.filter(([, cell]) => bars.some((b) => cell(b) !== null));
  const heads = ["Setting", "Epoch", ...shown.map(([head]) => head)];
  const row = (b: Bar<ExperimentMeans>) => h("tr", {}, h("th", { scope: "row" }, b.label, b.doubts != null && h("small", { class: "doubts" }, b.doubts)), h("td", { "data-label": "Epoch" }, b.which.replace("epochs ", "").replace("epoch ", "")), ...shown.map(([head, cell]) => h("td", { "data-label": head }, cell(b) ?? "–")));
  const table = h("table", { class: "data experiment-data" },
    h("thead", {}, h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, ...bars.map(row)));
  const box = h("div", { class: "fitting", role: "region", "aria-label": "figures of all settings" }, table);
  fit_table(box, table);
  return section("epochs-table", "In numbers", "Fetching and pre-processing are the loader's work on one thread, hidden or not. CPU: of one core.", box);
}
