// Violins: how the end-to-end times of minibatches are spread, one per setting (or per repeat of the only one).
import type { ExperimentEpochPoint, ExperimentGroup } from "../contract.ts";
import { number, scale } from "../format.ts";
import type { Colours } from "../theme.ts";

export interface Violin {
  label: string;
  /** Sorted; between the 2nd and the 98th percentile. */
  values: number[];
  median: number;
  q1: number;
  q3: number;
}

const at = (sorted: number[], q: number) => sorted[Math.round(q * (sorted.length - 1))]!;

function violin(label: string, epochs: ExperimentEpochPoint[]): Violin[] {
  const later = epochs.some((e) => e.epoch > 0) ? epochs.filter((e) => e.epoch > 0) : epochs;
  const all = later.flatMap((e) => e.minibatch_ms.slice(1, -1)).sort((a, b) => a - b);
  if (all.length < 10) return [];
  return [{ label, values: all, median: at(all, 0.5), q1: at(all, 0.25), q3: at(all, 0.75) }];
}

export function violins_of(groups: ExperimentGroup[]): Violin[] {
  const repeats = new Set(groups.flatMap((g) => g.epochs.map((e) => e.repeat)));
  if (groups.length > 1 || repeats.size < 2) return groups.flatMap((g) => violin(g.label, g.epochs));
  return [...repeats].flatMap((r) => violin(`run ${r + 1}`, groups[0]!.epochs.filter((e) => e.repeat === r)));
}

/** Kernel density at `steps` places from the least to the greatest value, the highest being 1. Bandwidth: Silverman's rule. */
export function density(values: number[], steps = 48): [value: number, height: number][] {
  const low = values[0]!;
  const high = values[values.length - 1]!;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const sd = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length);
  const iqr = (at(values, 0.75) - at(values, 0.25)) / 1.34;
  const width = 0.9 * (Math.min(sd, iqr || sd) || (high - low) / 10 || 1) * values.length ** -0.2;
  const points = Array.from({ length: steps }, (_, i) => low + ((high - low) * i) / (steps - 1)).map((x): [number, number] => [x, values.reduce((sum, v) => sum + Math.exp(-0.5 * ((x - v) / width) ** 2), 0)]);
  const most = Math.max(...points.map((p) => p[1]));
  return points.map(([x, y]) => [x, y / most]);
}

interface Api {
  value(d: number): number;
  coord(p: number[]): number[];
  size(p: number[]): number[];
}

/** Without the long words that all begin with: "a" of "power_mode a", "run 1" as it is. */
export function short_labels(labels: string[]): string[] {
  const words = labels.map((label) => label.split(" "));
  let shared = 0;
  while (labels.length > 1 && words.every((w) => w.length > shared + 1 && w[shared] === words[0]![shared]) && words[0]![shared]!.length > 3) shared++;
  return words.map((w) => w.slice(shared).join(" "));
}

const letter = 6.6; // px, about, of a label

export function build_violins(violins: Violin[], colours: Colours, font: string, canvas_width: number): Record<string, unknown> {
  const most = Math.max(...violins.map((v) => v.values[v.values.length - 1]!));
  const least = Math.min(...violins.map((v) => v.values[0]!));
  const [unit, factor] = scale(most, "ms");
  const pad = (most - least) * 0.08 || most * 0.05;
  const [bottom, top] = [Math.max(0, least - pad) / factor, (most + pad) / factor];
  const shapes = violins.map((v) => density(v.values));
  const render = (_: unknown, api: Api) => {
    const i = api.value(0);
    const v = violins[i]!;
    const half = 0.42 * api.size([1, 0])[0]!;
    const place = (value: number, side: number) => {
      const [x, y] = api.coord([i, value / factor]);
      return [x! + side * half, y!];
    };
    const shape = shapes[i]!;
    const points = [...shape.map(([value, height]) => place(value, height)), ...[...shape].reverse().map(([value, height]) => place(value, -height))];
    const box = [place(v.q3, -0.09), place(v.q1, 0.09)] as [number[], number[]];
    const middle = place(v.median, 0);
    return {
      type: "group",
      children: [
        { type: "polygon", shape: { points }, style: { fill: colours.blue, opacity: 0.28, stroke: colours.blue, lineWidth: 1.2 } },
        { type: "rect", shape: { x: box[0][0], y: box[0][1], width: box[1][0]! - box[0][0]!, height: box[1][1]! - box[0][1]! }, style: { fill: colours.blue } },
        { type: "circle", shape: { cx: middle[0], cy: middle[1], r: 3.2 }, style: { fill: colours.surface, stroke: colours.blue, lineWidth: 1.4 } },
      ],
    };
  };
  const labels = short_labels(violins.map((v) => v.label));
  const longest = letter * Math.max(...labels.map((label) => label.length));
  const slanted = longest > (canvas_width - 72) / labels.length;
  const label_form = slanted ? { rotate: 40, width: 150, overflow: "truncate" } : { width: 110, overflow: "break" };
  return {
    animation: false, textStyle: { fontFamily: font },
    grid: { left: 56, right: 16, top: 30, bottom: slanted ? 30 + 0.65 * Math.min(150, longest) : 44 },
    xAxis: { type: "category", data: labels, axisTick: { show: false }, axisLine: { lineStyle: { color: colours.rule } }, axisLabel: { color: colours.ink, fontSize: 12, interval: 0, hideOverlap: false, ...label_form } },
    yAxis: {
      type: "value", name: `Minibatch (${unit})`, min: bottom, max: top, nameTextStyle: { color: colours.muted, fontSize: 12, align: "left", padding: [0, 0, 0, -44] },
      axisLabel: { color: colours.muted, fontSize: 11, formatter: (v: number) => (v === bottom || v === top ? "" : number(v, 3)) }, splitLine: { lineStyle: { color: colours.grid } }, splitNumber: 4,
    },
    series: [{ type: "custom", silent: true, renderItem: render, encode: { x: 0, y: 1 }, data: violins.map((v, i) => [i, v.median / factor]) }],
  };
}
