// The sections of a sheet: words, figures, charts, bars and tables.
import { build_points, group_colour, groups_of, line_style } from "../charts/points.ts";
import { live_chart } from "../charts/echarts.ts";
import { attach_hover } from "../charts/hover.ts";
import { draw_overlay, type Name } from "../charts/overlay.ts";
import { chip, h, section, svg } from "../dom.ts";
import { fit_table } from "../fit.ts";
import { exact, instant, interval, number, plural, short_number, upper_number, value_of, with_unit } from "../format.ts";
import type { Sheet } from "../sheets/sheet.ts";
import type { Cell, SheetChart, SheetFigure, SheetTable } from "../view.ts";
import { colours, font } from "../theme.ts";
import { sheet_grid } from "../heat.ts";
import { heat_section } from "./heat.ts";
import { delta, settings_strip } from "./beside.ts";
import { bar_key, bars_chart } from "./epochs.ts";

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function amount_of({ limit, unit }: SheetFigure, value: number): string {
  return limit === undefined ? with_unit(value, unit) : with_unit(value, unit, (scaled) => upper_number(scaled, (limit * scaled) / value));
}

function figure(f: SheetFigure): HTMLElement {
  const whole = typeof f.value === "number" && Number.isInteger(f.value);
  const [amount, unit = ""] = f.value === null ? ["–"] : whole ? [exact(f.value as number), f.unit] : f.unit === "" ? [number(value_of(f.value), 4)] : amount_of(f, value_of(f.value)).split(/\u202f(?=[^\d])/);
  return h("div", { class: "figure" },
    h("p", { class: "figure-label" }, capital(f.label)),
    h("p", { class: "figure-value" }, amount!, h("small", {}, unit)),
    h("p", { class: "spread" }, f.provenance && chip(f.provenance), f.value !== null && h("span", {}, interval(f.value, f.unit))),
    f.usual && typeof f.value === "number" && delta({ ...f.usual, mine: f.value, unit: f.unit }),
    f.note !== undefined && h("p", { class: "delta" }, f.note));
}

export function sheet_answer(report: Sheet): HTMLElement {
  return h("section", { class: "answer", "aria-label": "Answer" },
    h("p", { class: "eyebrow" }, report.subject),
    h("h1", {}, report.headline),
    ...report.lines.map((line) => h("p", { class: "consequence" }, line)),
    report.settings?.length && settings_strip(report.settings),
    report.figures.length > 0 && h("div", { class: "figures" }, ...report.figures.map(figure)));
}

function card(chart: SheetChart, index: number): HTMLElement {
  const p = chart.points[index]!;
  const value = (v: number, unit: string) => h("dd", {}, h("b", {}, unit === "" ? short_number(v, 4) : `${short_number(v, 4)}\u202f${unit}`));
  return h("div", { class: "card" },
    h("p", { class: "card-head" }, h("span", {}, p.label), chip(p.group, p.marked ? "choice" : "")),
    h("dl", { class: "quantities" }, h("dt", {}, capital(chart.y.label)), value(p.y, chart.y.unit), h("dt", {}, capital(chart.x.label)), value(p.x, chart.x.unit)));
}

function chart_section(chart: SheetChart): HTMLElement {
  const canvas = h("div", { class: "canvas" });
  const layer = h("div", { class: "overlay", "aria-hidden": "true" });
  const text = `${plural(chart.points.length, "point")}: ${chart.y.label} against ${chart.x.label}.`;
  const box = h("div", { class: "chart points", tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": `${text} Arrow keys walk through them.`, "data-points": chart.points.length }, canvas, layer);
  const legend = h("ul", { class: "legend", "aria-label": "Legend" });
  const instance = live_chart(canvas, draw);
  const pixel = (axis: "xAxisIndex" | "yAxisIndex", v: number) => instance.convertToPixel({ [axis]: 0 }, v) as unknown as number;
  const pixels = () => ({ x: Float64Array.from(chart.points, (p) => pixel("xAxisIndex", p.x)), y: Float64Array.from(chart.points, (p) => pixel("yAxisIndex", p.y)) });
  attach_hover(box, { pixels, card: (i) => card(chart, i), stops: () => chart.points.map((_, i) => i), preferred: new Set(chart.points.flatMap((p, i) => (p.marked ? [i] : []))) });
  function draw() {
    instance.setOption(build_points(chart, colours(), font()), true);
    const [left, right, top, bottom] = [52, canvas.clientWidth - 24, 36, canvas.clientHeight - 48];
    const names: Name[] = chart.points.filter((p) => p.marked).map((p) => ({ x: pixel("xAxisIndex", p.x), y: pixel("yAxisIndex", p.y), radius: 10, text: p.name ?? "answer", kind: "choice" }));
    names.push(...chart.points.flatMap((p): Name[] => (p.marked || p.name === undefined ? [] : [{ x: pixel("xAxisIndex", p.x), y: pixel("yAxisIndex", p.y), radius: 5, text: p.name, kind: "preset" }])));
    for (const l of chart.limits) {
      const words = `${l.label} ${short_number(l.value, 4)}\u202f${l.axis === "x" ? chart.x.unit : chart.y.unit}`;
      names.push(l.axis === "x" ? { x: pixel("xAxisIndex", l.value), y: top + 9, radius: 1, text: words, kind: "limit", sides: ["right", "left", "below right", "below left"] } : { x: right - 4, y: pixel("yAxisIndex", l.value), radius: 1, text: words, kind: "limit", sides: ["above left", "below left"] });
    }
    const lines = chart.limits.map((l) => (l.axis === "x" ? { left: pixel("xAxisIndex", l.value) - 1, top, width: 2, height: bottom - top } : { left, top: pixel("yAxisIndex", l.value) - 1, width: right - left, height: 2 }));
    draw_overlay(layer, { left, top: top - 4, width: right - left, height: bottom - top + 4 }, [], names, lines);
    const styles = (chart.lines ?? []).map((l, i) => ({ label: l.label, ...line_style(i, colours()) }));
    legend.replaceChildren(...styles.map((l) => h("li", {},
      svg("svg", { viewBox: "0 0 28 10", class: "roof-line", "aria-hidden": "true" }, svg("path", { d: "M0 5h28", fill: "none", stroke: l.color, "stroke-width": 2, "stroke-dasharray": l.type === "solid" ? "" : (l.type as number[]).join(" ") })), l.label)), ...groups_of(chart).map((group, g) => {
      const dot = h("i", { class: "dot" });
      dot.style.background = group_colour(g, colours());
      return h("li", {}, dot, group);
    }));
  }
  return section("points-section", chart.title, "", h("figure", {}, box, legend, h("figcaption", { class: "caption" }, text)));
}

function cell(value: Cell, whole: boolean): (Node | string)[] {
  if (value === null) return ["–"];
  if (typeof value === "string") return [value];
  return [whole ? exact(value_of(value)) : number(value_of(value), 4), h("small", {}, interval(value, ""))];
}

/** Also one in words: rounded in a way of its own. */
const is_figure = (cell: Cell): boolean => typeof cell !== "string" || /^−?\d[\d.\u202f]*$/.test(cell);

/** Without columns that say nothing in any row. */
function spoken(table: SheetTable): SheetTable {
  const kept = table.columns.flatMap((_, k) => (table.rows.some((r) => r.cells[k] !== "") ? [k] : []));
  return { ...table, columns: kept.map((k) => table.columns[k]!), rows: table.rows.map((r) => ({ ...r, cells: kept.map((k) => r.cells[k]!) })) };
}

function table_section(whole_table: SheetTable): HTMLElement {
  const table = spoken(whole_table);
  const with_provenance = table.rows.some((r) => r.provenance);
  // A column of figures stands to the right; whole numbers keep all their digits.
  const numeric = table.columns.map((_, k) => table.rows.every((r) => is_figure(r.cells[k]!)));
  const whole = table.columns.map((_, k) => table.rows.every((r) => r.cells[k] === null || (typeof r.cells[k] === "number" && Number.isInteger(r.cells[k] as number))));
  const long = table.columns.map((_, k) => table.rows.some((r) => String(r.cells[k] ?? "").length > 26));
  const label = (k: number) => [capital(table.columns[k]!.label), table.columns[k]!.unit].filter(Boolean).join(", ");
  const head = (k: number) => h("th", { scope: "col", class: numeric[k] ? "" : "text" }, capital(table.columns[k]!.label), table.columns[k]!.unit !== "" && h("small", {}, ` ${table.columns[k]!.unit}`));
  const heads = table.columns.map((_, k) => head(k));
  if (with_provenance) heads.push(h("th", { scope: "col", class: "text" }, "Known"));
  const rows = table.rows.map((r) => h("tr", { class: r.marked ? "is-choice" : "" },
    ...r.cells.map((c, k) => h("td", { class: numeric[k] ? "" : long[k] ? "text wrap" : "text", "data-label": label(k) }, ...cell(c, whole[k]!))),
    with_provenance && h("td", { class: "text", "data-label": "Known" }, r.provenance && chip(r.provenance))));
  const element = h("table", { class: "data sheet-data" }, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows));
  const box = h("div", { class: "fitting", role: "region", "aria-label": table.title }, element);
  fit_table(box, element);
  return section("sheet-table", table.title, table.text, box);
}

export const sheet_charts = (report: Sheet): HTMLElement[] => report.charts.filter((c) => c.points.length > 0).map(chart_section);
/** A heat map for each workload; one that is asked for where there are several. */
export const sheet_grids = (report: Sheet): HTMLElement | null => heat_section((report.grids ?? []).map(sheet_grid));
export const sheet_beside = (report: Sheet): HTMLElement[] => sheet_tables({ tables: report.beside ?? [] });
export const sheet_tables = (report: { tables?: SheetTable[] }): HTMLElement[] => (report.tables ?? []).filter((t) => t.rows.length > 0).map(table_section);

export function sheet_bars(report: Sheet): HTMLElement | null {
  if (!report.bars?.length) return null;
  const bars = report.bars.map(({ label, which, ...means }) => ({ label, which, means }));
  return section("epochs-section", "Where the time goes", "Fetch stall is the visible wait for data: what the loader does meanwhile is hidden.", bar_key(bars), bars_chart(bars, "Time"));
}

export function sheet_facts(report: Sheet, command: string): HTMLElement {
  return section("provenance", "Where the numbers come from", "",
    h("div", { class: "fact-columns" }, ...report.facts.map((facts) => h("div", { class: "facts" }, h("h3", {}, facts.title),
      h("dl", {}, ...facts.list.map((f) => h("div", {}, h("dt", {}, f.name), h("dd", {}, /^(started|finished)$/.test(f.name) ? instant(f.value) : f.value))))))),
    h("div", { class: "command" }, h("h3", {}, "Command"), h("pre", { tabindex: 0 }, h("code", {}, command))));
}
