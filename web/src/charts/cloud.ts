// The options of the cloud: which series stand where, from back to front.
import type { Provenance } from "../contract.ts";
import { exact } from "../format.ts";
import { compared_per, costs, limit_on, type Measure } from "../measures.ts";
import { pareto } from "../pareto.ts";
import type { Colours } from "../theme.ts";
import { make_scale, type Scale } from "./scales.ts";
import type { TuneReport } from "../view.ts";

type Point = [x: number, y: number, index: number];

/** A budget on one of the axes. */
export interface Line {
  axis: "x" | "y";
  /** In the units of the axis. */
  at: number;
  /** `budget 30 W`. */
  text: string;
  /** What was asked; else what the slider is at. */
  asked: boolean;
}

export interface Cloud {
  lines: Line[];
  x: Scale;
  y: Scale;
  front: number[];
  /** How many configurations can be shown on these axes. */
  shown: number;
  option: Record<string, unknown>;
}

export const provenances: Provenance[] = ["predicted", "table", "simulated", "measured"];
const numbers_up_to = 40;

/** Few enough trials to number them on the chart. */
export const numbered = (report: TuneReport): boolean => trial_numbers(report).size <= numbers_up_to;

/** The given front where the axes are its own; on other costs the same rule is applied here. */
export function front_on(report: TuneReport, x: Measure | "rank", y: Measure, xs: Scale, ys: Scale): number[] {
  if (x === "rank" || !x.cost || !y.cost || x.id === y.id) return [];
  const given = report.front;
  const on_front: Partial<Record<string, string>> = compared_per(report) === "sample" ? { sample_time: "time", sample_energy: "energy", power: "power" } : { time: "time", energy: "energy", power: "power" };
  const over: string[] = given?.over ?? [];
  if (given && over.includes(on_front[x.id] ?? "") && over.includes(on_front[y.id] ?? "")) {
    return [...given.configurations].sort((a, b) => xs.at[a]! - xs.at[b]!);
  }
  return pareto(xs.at, ys.at);
}

function colour_of(provenance: Provenance, colours: Colours): string {
  return provenance === "simulated" ? colours.simulated : provenance === "predicted" ? colours.cloud : colours.muted;
}

/** Trials by configuration: "3" or "3, 7" when one was profiled twice. */
export function trial_numbers(report: TuneReport): Map<number, string> {
  const numbers = new Map<number, string>();
  report.profiled.forEach(({ configuration }, i) => {
    const before = numbers.get(configuration);
    numbers.set(configuration, before ? `${before}, ${i + 1}` : String(i + 1));
  });
  return numbers;
}

/** What bounds this measure: the budgets, and what the slider has put in the place of one. */
function limits_of(report: TuneReport, measure: Measure | "rank", moved: Moved | null): { value: number; text: string; asked: boolean }[] {
  if (measure === "rank") return [];
  const found = report.request.budgets.map((b) => ({ value: limit_on(report, b, measure, costs(report)), text: b.slowdown_pct !== undefined ? `slowdown ${exact(b.slowdown_pct)}\u202f%` : `budget ${exact(b.limit)}\u202f${b.unit}${b.per ? ` per ${b.per}` : ""}`, asked: true }));
  if (moved && moved.measure.id === measure.id) found.push({ value: moved.limit, text: moved.text, asked: false });
  return found.filter((f) => Number.isFinite(f.value));
}

function lines_of(report: TuneReport, x: Measure | "rank", y: Measure, xs: Scale, ys: Scale, moved: Moved | null): Line[] {
  const on = (axis: "x" | "y", measure: Measure | "rank", scale: Scale) =>
    limits_of(report, measure, moved).map(({ value, text, asked }): Line => ({ axis, at: scale.place(value), text, asked }));
  return [...on("x", x, xs), ...on("y", y, ys)];
}

function limit_series(lines: Line[], colours: Colours) {
  const key = (l: Line) => (l.axis === "x" ? "xAxis" : "yAxis");
  return {
    // A series without points draws no lines.
    type: "scatter", name: "limits", silent: true, z: 2, symbolSize: 0, data: [[0, 0]],
    markLine: {
      silent: true, symbol: "none", label: { show: false },
      data: lines.map((l) => ({ [key(l)]: l.at, lineStyle: { color: l.asked ? colours.limit : colours.ink, type: l.asked ? [6, 4] : [2, 3], width: 1.4 } })),
    },
    markArea: { silent: true, itemStyle: { color: colours.limit, opacity: 0.055 }, data: lines.filter((l) => l.asked).map((l) => [{ [key(l)]: l.at }, { [key(l)]: Infinity }]) },
  };
}

function error_bars(report: TuneReport, xs: Scale, ys: Scale, colours: Colours) {
  const data = [...trial_numbers(report).keys()].map((i) => [xs.at[i], ys.at[i], ...(xs.spread(i) ?? [NaN, NaN]), ...(ys.spread(i) ?? [NaN, NaN])]);
  return {
    type: "custom",
    silent: true,
    z: 3,
    data,
    encode: { x: 0, y: 1 },
    renderItem: (_: unknown, api: { value(d: number): number; coord(p: number[]): number[] }) => {
      const [x, y, x0, x1, y0, y1] = [0, 1, 2, 3, 4, 5].map((d) => api.value(d)) as [number, number, number, number, number, number];
      const style = { stroke: colours.blue, lineWidth: 1.2, opacity: 0.75 };
      const bar = (a: number[], b: number[]) => {
        const [p, q] = [api.coord(a), api.coord(b)];
        return { type: "line", shape: { x1: p[0], y1: p[1], x2: q[0], y2: q[1] }, style };
      };
      const children = [];
      if (x0 === x0) children.push(bar([x0, y], [x1, y]));
      if (y0 === y0) children.push(bar([x, y0], [x, y1]));
      return { type: "group", children };
    },
  };
}

/** Where the slider stands, and what it found. */
export interface Moved {
  measure: Measure;
  limit: number;
  /** `at 25 W`. */
  text: string;
  found: number | null;
}

export interface Mark {
  index: number;
  text: string;
  /** How its name is coloured. */
  kind: string;
  symbol: string;
  size: number;
  fill: string;
  stroke: string;
}

/** The configurations that have a name. The default first, so that the choice lies on top. */
export function marks(report: TuneReport, colours: Colours): Mark[] {
  const found: Mark[] = [];
  const { oracle, choice, infeasible } = report;
  const add = (index: number | null | undefined, text: string, kind: string, symbol: string, size: number, fill: string, stroke: string) => {
    if (index !== null && index !== undefined) found.push({ index, text, kind, symbol, size, fill, stroke });
  };
  const named = [choice?.configuration, report.default?.configuration];
  for (const preset of report.presets ?? []) {
    if (!named.includes(preset.configuration)) add(preset.configuration, preset.name, "preset", "rect", 11, colours.ink, colours.surface);
  }
  if (report.default?.configuration !== choice?.configuration) {
    add(report.default?.configuration, "default", "default", "diamond", 17, colours.ink, colours.surface);
  }
  const same = oracle?.robust === oracle?.raw;
  if (oracle?.raw !== choice?.configuration) add(oracle?.raw, same ? "optimum" : "raw optimum", "optimum", "emptyTriangle", 12, colours.oracle, colours.oracle);
  if (!same && oracle?.robust !== choice?.configuration) add(oracle?.robust, "robust optimum", "optimum", "emptyTriangle", 12, colours.oracle, colours.oracle);
  if (!choice) add(infeasible?.closest, "closest", "choice", "diamond", 17, colours.choice, colours.surface);
  add(choice?.configuration, report.default?.configuration === choice?.configuration ? "choice = default" : "choice", "choice", "circle", 24, colours.choice, colours.surface);
  return found;
}

export function build_cloud(report: TuneReport, x: Measure | "rank", y: Measure, colours: Colours, font: string, narrow: boolean, moved: Moved | null = null): Cloud {
  const bounds = (m: Measure | "rank") => limits_of(report, m, moved).map((l) => l.value);
  const xs = make_scale(report, x, y, colours, false, bounds(x));
  const ys = make_scale(report, y, y, colours, true, bounds(y));
  const point = (index: number): Point => [xs.at[index]!, ys.at[index]!, index];
  const visible = (index: number) => xs.at[index]! === xs.at[index]! && ys.at[index]! === ys.at[index]!;
  const all = report.configurations.map((_, i) => i).filter(visible);
  const many = all.length > 2000;
  const numbers = trial_numbers(report);
  const front = front_on(report, x, y, xs, ys).filter(visible);
  const lines = lines_of(report, x, y, xs, ys, moved);
  const marked = marks(report, colours).filter((m) => visible(m.index));

  const cloud = provenances.map((provenance) => ({
    type: "scatter",
    name: provenance,
    large: many,
    largeThreshold: 2000,
    silent: true,
    z: 1,
    symbolSize: all.length > 5000 ? 4 : many ? 5 : all.length > 300 ? 6 : 8,
    itemStyle: { color: colour_of(provenance, colours), opacity: many ? 0.38 : 0.6 },
    data: all.filter((i) => report.configurations[i]!.provenance === provenance && !numbers.has(i)).map(point),
  }));
  const series = [
    ...cloud,
    ...(lines.length > 0 ? [limit_series(lines, colours)] : []),
    {
      type: "line", name: "front", silent: true, z: 2, step: "end", showSymbol: front.length <= 60, symbol: "circle", symbolSize: 5,
      lineStyle: { color: colours.blue, width: 1.8 }, itemStyle: { color: colours.blue },
      data: front.map(point),
    },
    error_bars(report, xs, ys, colours),
    {
      type: "scatter", name: "profiled", silent: true, z: 4, symbolSize: numbered(report) ? 11 : 8,
      itemStyle: { color: colours.blue, opacity: 1, borderColor: colours.surface, borderWidth: 1.5 },
      data: [...numbers.keys()].filter(visible).map(point),
    },
    ...marked.map((m) => ({
      type: "scatter", name: m.text, silent: true, z: 5, symbol: m.symbol, symbolSize: m.size,
      itemStyle: { color: m.fill, opacity: 1, borderColor: m.stroke, borderWidth: 2 },
      data: [point(m.index)],
    })),
    {
      type: "scatter", name: "moved", silent: true, z: 6, symbol: "emptyCircle", symbolSize: 20,
      itemStyle: { color: colours.ink, borderColor: colours.ink, borderWidth: 2 },
      data: moved && moved.found !== null && visible(moved.found) ? [point(moved.found)] : [],
    },
  ];
  return {
    x: xs, y: ys, front, shown: all.length, lines,
    option: {
      animation: false,
      textStyle: { fontFamily: font },
      grid: { left: 52, right: narrow ? 14 : 28, top: 36, bottom: 50 },
      xAxis: xs.option, yAxis: ys.option, series,
    },
  };
}
