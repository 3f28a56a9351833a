// The options of the cloud: which series stand where, from back to front.
import type { Provenance, TuneReport } from "../contract.ts";
import { exact } from "../format.ts";
import { limit_in, type Measure } from "../measures.ts";
import { pareto } from "../pareto.ts";
import type { Colours } from "../theme.ts";
import { make_scale, type Scale } from "./scales.ts";

type Point = [x: number, y: number, index: number];

export interface Cloud {
  x: Scale;
  y: Scale;
  front: number[];
  /** How many configurations can be shown on these axes. */
  shown: number;
  option: Record<string, unknown>;
}

export const provenances: Provenance[] = ["predicted", "table", "simulated", "measured"];
const numbers_up_to = 40;

/** The given front where the axes are its own; on other costs the same rule is applied here. */
export function front_on(report: TuneReport, x: Measure | "rank", y: Measure, xs: Scale, ys: Scale): number[] {
  if (x === "rank" || !x.cost || !y.cost || x.id === y.id) return [];
  const given = report.front;
  if (given && given.over.includes(x.id as "time") && given.over.includes(y.id as "time")) {
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

function budget_marks(report: TuneReport, x: Measure | "rank", y: Measure, xs: Scale, ys: Scale) {
  const lines: Record<string, unknown>[] = [];
  const areas: unknown[] = [];
  const add = (measure: Measure | "rank", scale: Scale, key: "xAxis" | "yAxis") => {
    if (measure === "rank" || !measure.budget) return;
    for (const b of report.request.budgets) {
      if (b.quantity !== measure.budget.quantity || b.per !== measure.budget.per) continue;
      const at = scale.place(limit_in(b, measure.unit));
      const inside = key === "xAxis" ? { position: "end", distance: -14, align: "left", padding: [0, 0, 0, 6] } : { position: "insideStartTop" };
      lines.push({ [key]: at, label: { formatter: `budget ${exact(b.limit)} ${b.unit}`, ...inside } });
      areas.push([{ [key]: at }, { [key]: Infinity }]);
    }
  };
  add(x, xs, "xAxis");
  add(y, ys, "yAxis");
  return { lines, areas };
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

interface Mark {
  index: number;
  text: string;
  symbol: string;
  size: number;
  fill: string;
  stroke: string;
  position: string;
}

/** The configurations that have a name. The default first, so that the choice lies on top. */
export function marks(report: TuneReport, colours: Colours): Mark[] {
  const found: Mark[] = [];
  const { oracle, choice, infeasible } = report;
  const add = (index: number | null | undefined, text: string, symbol: string, size: number, fill: string, stroke: string, position: string) => {
    if (index !== null && index !== undefined) found.push({ index, text, symbol, size, fill, stroke, position });
  };
  if (report.default?.configuration !== choice?.configuration) {
    add(report.default?.configuration, "default", "diamond", 17, colours.ink, colours.surface, "right");
  }
  if (oracle?.raw !== choice?.configuration) add(oracle?.raw, "raw optimum", "emptyTriangle", 12, colours.oracle, colours.oracle, "left");
  if (oracle?.robust !== oracle?.raw && oracle?.robust !== choice?.configuration) {
    add(oracle?.robust, "robust optimum", "emptyTriangle", 12, colours.oracle, colours.oracle, "bottom");
  }
  if (!choice) add(infeasible?.closest, "closest", "diamond", 17, colours.choice, colours.surface, "right");
  add(choice?.configuration, report.default?.configuration === choice?.configuration ? "choice = default" : "choice", "circle", 24, colours.choice, colours.surface, "right");
  return found;
}

export function build_cloud(report: TuneReport, x: Measure | "rank", y: Measure, colours: Colours, font: string, narrow: boolean): Cloud {
  const xs = make_scale(report, x, y, colours, false);
  const ys = make_scale(report, y, y, colours, true);
  const point = (index: number): Point => [xs.at[index]!, ys.at[index]!, index];
  const visible = (index: number) => xs.at[index]! === xs.at[index]! && ys.at[index]! === ys.at[index]!;
  const all = report.configurations.map((_, i) => i).filter(visible);
  const many = all.length > 2000;
  const numbers = trial_numbers(report);
  const front = front_on(report, x, y, xs, ys).filter(visible);
  const { lines, areas } = budget_marks(report, x, y, xs, ys);
  const marked = marks(report, colours).filter((m) => visible(m.index));
  const chosen = report.choice?.configuration;
  const numbered = numbers.size <= numbers_up_to;

  const bend = xs.option["type"] === "log" ? Math.log : Number;
  let [least, most] = [Infinity, -Infinity];
  for (const i of all) [least, most] = [Math.min(least, bend(xs.at[i]!)), Math.max(most, bend(xs.at[i]!))];
  // A label at the right edge would be cut off.
  const far_right = (index: number) => bend(xs.at[index]!) > least + 0.72 * (most - least);
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
    {
      type: "line", name: "front", silent: true, z: 2, step: "end", showSymbol: front.length <= 60, symbol: "circle", symbolSize: 5,
      lineStyle: { color: colours.blue, width: 1.8 }, itemStyle: { color: colours.blue },
      data: front.map(point),
      markLine: { silent: true, symbol: "none", lineStyle: { color: colours.limit, type: [6, 4], width: 1.4 }, label: { color: colours.limit, fontSize: 12, fontFamily: font, textBorderColor: colours.surface, textBorderWidth: 3 }, data: lines },
      markArea: { silent: true, itemStyle: { color: colours.limit, opacity: 0.055 }, data: areas },
    },
    error_bars(report, xs, ys, colours),
    {
      type: "scatter", name: "profiled", silent: true, z: 4, symbolSize: numbered ? 19 : 8,
      itemStyle: { color: colours.blue, opacity: 1, borderColor: colours.surface, borderWidth: 1.5 },
      label: { show: numbered, formatter: (p: { data: Point }) => (p.data[2] === chosen ? "" : numbers.get(p.data[2])!), color: colours.surface, fontSize: 11, fontWeight: 600, fontFamily: font },
      data: [...numbers.keys()].filter(visible).map(point),
    },
    ...marked.map((m) => ({
      type: "scatter", name: m.text, silent: true, z: 5, symbol: m.symbol, symbolSize: m.size,
      itemStyle: { color: m.fill, opacity: 1, borderColor: m.stroke, borderWidth: 2 },
      label: { show: !narrow || m.text === "choice" || m.text === "default" || m.text === "closest", position: m.position === "right" && far_right(m.index) ? "left" : m.position, distance: 6, formatter: m.text, color: m.fill, fontSize: 12.5, fontWeight: 600, fontFamily: font, textBorderColor: colours.surface, textBorderWidth: 3 },
      data: [point(m.index)],
    })),
    {
      type: "scatter", name: "choice number", silent: true, z: 6, symbolSize: 24, itemStyle: { color: "transparent" },
      label: { show: numbered, position: "inside", formatter: chosen === undefined ? "" : (numbers.get(chosen) ?? ""), color: colours.surface, fontSize: 11, fontWeight: 700, fontFamily: font },
      data: chosen !== undefined && visible(chosen) && numbers.has(chosen) ? [point(chosen)] : [],
    },
  ];
  return {
    x: xs, y: ys, front, shown: all.length,
    option: {
      animation: false,
      textStyle: { fontFamily: font },
      grid: { left: 52, right: narrow ? 14 : 28, top: 36, bottom: 50 },
      xAxis: xs.option, yAxis: ys.option, series,
    },
  };
}
