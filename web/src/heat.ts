// Figures over two axes as a matrix, and the lines of equal value through it; no page elements here, so that it can be tested.
import type { Configuration, Quantity, SheetGrid } from "./contract.ts";
import { value_of } from "./format.ts";
import { compared_per, costs, keeps_own_limits, latency_of, per_sample, within_budgets } from "./measures.ts";
import type { TuneReport } from "./view.ts";

export type Figure = "time" | "power" | "energy";

/** What stands on an axis that the map does not show: one value, or whichever is least. */
export type Held = number | "least";

export interface Cells {
  xs: number[];
  ys: number[];
  /** By row (y) and column (x); NaN: not known. */
  values: number[][];
  /** Which configuration each is; -1: none. */
  from: number[][];
  /** Does it break a budget? */
  beyond: boolean[][];
}

/** A grid whose times and energies compare. */
export interface Grid extends SheetGrid {
  /** What they are of. */
  per: string;
  /** What its time is called where that is no time of what they are of. */
  time: string | undefined;
}

function scaled(grid: SheetGrid, scale: (c: Configuration, q: Quantity | null) => Quantity | null): Configuration[] {
  return grid.configurations.map((c) => ({ ...c, time_ms: scale(c, c.time_ms), energy_j: scale(c, c.energy_j) }));
}

/** Of a sample where the batch size varies: minibatches of unlike size do not compare. */
export function sheet_grid(grid: SheetGrid): Grid {
  const batch = grid.axes.findIndex((a) => a.name === "batch_size");
  if (batch < 0) return { ...grid, per: "minibatch", time: undefined };
  return { ...grid, per: "sample", time: undefined, configurations: scaled(grid, (c, q) => (q === null ? null : value_of(q) / c.config[batch]!)) };
}

/** By the rule by which the answer compares. */
export function tune_grid(report: TuneReport): Grid {
  const { title, axes, configurations } = report;
  return { title, axes, configurations: scaled({ title, axes, configurations }, (c, q) => per_sample(report, c, q)), per: compared_per(report), time: latency_of(report) };
}

/** Might the answer be this configuration, by its index? It keeps within the budgets, and the limits on its own figures. */
export function allowed_in(report: TuneReport): (index: number) => boolean {
  const [within, own] = [within_budgets(report, costs(report)), keeps_own_limits(report)];
  return (index) => within(report.configurations[index]!) && own(index);
}

export function figure_of(figure: Figure, c: Configuration): number {
  const q = figure === "time" ? c.time_ms : figure === "power" ? c.power_w : c.energy_j;
  return q === null ? NaN : value_of(q);
}

export function values_of(grid: SheetGrid, axis: number): number[] {
  return [...new Set(grid.configurations.map((c) => c.config[axis]!))].sort((a, b) => a - b);
}

/** Of configurations that a cell may stand for one within the budgets is shown, the least of those. */
export function cells_of(grid: SheetGrid, figure: Figure, x: number, y: number, held: Held[], allowed: (index: number) => boolean = () => true): Cells {
  const [xs, ys] = [values_of(grid, x), values_of(grid, y)];
  const [column, row] = [new Map(xs.map((v, i) => [v, i])), new Map(ys.map((v, i) => [v, i]))];
  const values = ys.map(() => xs.map(() => NaN));
  const from = ys.map(() => xs.map(() => -1));
  const beyond = ys.map(() => xs.map(() => true));
  grid.configurations.forEach((c, index) => {
    if (!c.config.every((v, d) => d === x || d === y || held[d] === "least" || held[d] === v)) return;
    const [i, j] = [column.get(c.config[x]!)!, row.get(c.config[y]!)!];
    const value = figure_of(figure, c);
    if (!Number.isFinite(value)) return;
    const outside = !allowed(index);
    const better = beyond[j]![i] === outside ? !(value >= values[j]![i]!) : !outside;
    if (better || from[j]![i] === -1) [values[j]![i], from[j]![i], beyond[j]![i]] = [value, index, outside];
  });
  return { xs, ys, values, from, beyond };
}

export function range_of(values: number[][]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const row of values) for (const v of row) if (v === v) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return [low, high];
}

/** Round values between the ends, about as many as asked for, evenly spaced in their logarithms. */
export function levels_of(low: number, high: number, count = 5): number[] {
  if (!(low > 0) || !(high > low * 1.02)) return [];
  const round = (v: number) => Number(v.toPrecision(2));
  const levels = Array.from({ length: count }, (_, i) => round(low * (high / low) ** ((i + 1) / (count + 1))));
  return [...new Set(levels)].filter((v) => v > low && v < high);
}

export type Segment = [x0: number, y0: number, x1: number, y1: number];

/** Where the surface through the middles of the cells has this value, by marching squares; positions count cells from 0. */
export function iso_line(values: number[][], level: number): Segment[] {
  const segments: Segment[] = [];
  const between = (a: number, b: number) => (Math.log(level) - Math.log(a)) / (Math.log(b) - Math.log(a));
  for (let j = 0; j + 1 < values.length; j++) {
    for (let i = 0; i + 1 < values[j]!.length; i++) {
      const [a, b, c, d] = [values[j]![i]!, values[j]![i + 1]!, values[j + 1]![i + 1]!, values[j + 1]![i]!];
      if (!(a > 0 && b > 0 && c > 0 && d > 0)) continue;
      const cuts: [number, number][] = [];
      if (a < level !== b < level) cuts.push([i + between(a, b), j]);
      if (b < level !== c < level) cuts.push([i + 1, j + between(b, c)]);
      if (d < level !== c < level) cuts.push([i + between(d, c), j + 1]);
      if (a < level !== d < level) cuts.push([i, j + between(a, d)]);
      for (let k = 0; k + 1 < cuts.length; k += 2) segments.push([...cuts[k]!, ...cuts[k + 1]!]);
    }
  }
  return segments;
}

/** What is left of a segment outside of boxes around the middles of the cells, of half this width and height in cells. */
export function around_middles([x0, y0, x1, y1]: Segment, half_width: number, half_height: number): Segment[] {
  const middles = [0, 1].flatMap((i) => [0, 1].map((j): [number, number] => [Math.floor(Math.min(x0, x1)) + i, Math.floor(Math.min(y0, y1)) + j]));
  const hidden: [from: number, to: number][] = [];
  for (const [i, j] of middles) {
    let [from, to] = [0, 1];
    for (const [start, end, middle, half] of [[x0, x1, i, half_width], [y0, y1, j, half_height]] as const) {
      if (start === end) {
        if (Math.abs(start - middle) > half) to = -1;
        continue;
      }
      const cuts = [(middle - half - start) / (end - start), (middle + half - start) / (end - start)];
      [from, to] = [Math.max(from, Math.min(...cuts)), Math.min(to, Math.max(...cuts))];
    }
    if (from < to) hidden.push([from, to]);
  }
  const left: Segment[] = [];
  let at = 0;
  const keep = (to: number) => {
    if (to - at > 1e-6) left.push([x0 + (x1 - x0) * at, y0 + (y1 - y0) * at, x0 + (x1 - x0) * to, y0 + (y1 - y0) * to]);
  };
  for (const [from, to] of hidden.sort((a, b) => a[0] - b[0])) {
    keep(from);
    at = Math.max(at, to);
  }
  keep(1);
  return left;
}

/** A colour between two of "#rrggbb", 0 to 1. */
export function mix(from: string, to: string, share: number): string {
  const part = (text: string, at: number) => parseInt(text.slice(at, at + 2), 16);
  const channel = (at: number) => Math.round(part(from, at) + (part(to, at) - part(from, at)) * share);
  return `rgb(${channel(1)}, ${channel(3)}, ${channel(5)})`;
}
