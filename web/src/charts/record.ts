// The curves of a record as what a chart has room for: least, mean and largest value in each column of pixels.
import type { RecordChannel, RecordCurve, RecordThinned } from "../contract.ts";
import type { Colours } from "../theme.ts";
import { time_ticks, type Stretch } from "../timespan.ts";
import { short_number } from "../format.ts";

export const record_margin = { left: 52, right: 14, top: 8, bottom: 22 };

/** One channel over time. */
export interface Trace {
  name: string;
  unit: string;
  /** [s] Since the record began, rising. */
  time: Float64Array;
  least: Float64Array;
  mean: Float64Array;
  most: Float64Array;
  /** [s] Between the values that were recorded. */
  interval: number;
  /** [s] Values that lie further apart have a gap between them. */
  gap: (at: number) => number;
}

/** [s] What one value stands for; where finer ones were thinned, more. */
function gap_of(channel: RecordChannel, width: number, thinned: RecordThinned): (at: number) => number {
  const slow = channel.interval_ms >= 500;
  const own = 2.5 * Math.max(width, channel.interval_ms / 1000);
  return (at) => {
    if (at < (slow ? thinned.slow_since_s : thinned.seconds_since_s)) return Math.max(own, 150);
    return !slow && at < thinned.samples_since_s ? Math.max(own, 2.5) : own;
  };
}

/** Of a counter its slope is shown: what it counts means nothing by itself. The last value may stand for less than its width, so its slope is not known. */
function as_slope(all: Trace, unit: string): Trace {
  const n = all.time.length > 2 ? all.time.length - 1 : all.time.length;
  const trace = { ...all, time: all.time.subarray(0, n), mean: all.mean.subarray(0, n) };
  const slope = new Float64Array(trace.time.length);
  for (let i = 1; i < slope.length; i++) slope[i] = Math.max(0, (trace.mean[i]! - trace.mean[i - 1]!) / (trace.time[i]! - trace.time[i - 1]!));
  if (slope.length > 1) slope[0] = slope[1]!;
  return { ...trace, unit, least: slope, mean: slope, most: slope };
}

export function trace_of(channel: RecordChannel, curve: RecordCurve, begin: number, width: number, thinned: RecordThinned): Trace {
  const time = new Float64Array(curve.after.length);
  let index = 0;
  curve.after.forEach((after, i) => { time[i] = begin + (index += after) * width; });
  const trace = { name: channel.name, unit: channel.unit, time, least: Float64Array.from(curve.min), mean: Float64Array.from(curve.mean), most: Float64Array.from(curve.max), interval: channel.interval_ms / 1000, gap: gap_of(channel, width, thinned) };
  return channel.kind === "counter" ? as_slope(trace, channel.unit === "s" ? "s/s" : `${channel.unit}/s`) : trace;
}

/** Position of the first value that is not before a time. */
export function first_from(time: Float64Array, at: number): number {
  let [low, high] = [0, time.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Column { at: number; least: number; mean: number; most: number; broken: boolean }

/** At most `count` columns of a stretch; `broken`: nothing was measured just before it. */
export function columns_of(trace: Trace, { from, to }: Stretch, count: number): Column[] {
  const columns: Column[] = [];
  const each = (to - from) / count;
  let i = Math.max(0, first_from(trace.time, from) - 1);
  const end = Math.min(trace.time.length, first_from(trace.time, to) + 1);
  while (i < end) {
    const at = trace.time[i]!;
    const until = from + (Math.floor((at - from) / each) + 1) * each;
    const broken = i > 0 && at - trace.time[i - 1]! > trace.gap(trace.time[i - 1]!);
    const column = { at, least: trace.least[i]!, mean: 0, most: trace.most[i]!, broken: broken || columns.length === 0 };
    let [sum, first] = [0, i];
    for (; i < end && (i === first || (trace.time[i]! < until && trace.time[i]! - trace.time[i - 1]! <= trace.gap(trace.time[i - 1]!))); i++) {
      column.least = Math.min(column.least, trace.least[i]!);
      column.most = Math.max(column.most, trace.most[i]!);
      sum += trace.mean[i]!;
    }
    column.mean = sum / (i - first);
    columns.push(column);
  }
  return columns;
}

/** Colours that differ in lightness as well, in the order of the channels. */
export const trace_colour = (c: Colours, i: number): string => [c.blue, c.choice, c.oracle, c.simulated, c.limit, c.muted, c.ink, c.cloud][i % 8]!;

function value_ticks(low: number, high: number): number[] {
  const raw = (high - low) / 4;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((s) => s * decade).find((s) => s >= raw)!;
  const ticks = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-6; v += step) ticks.push(Number(v.toPrecision(12)));
  return ticks;
}

/** Powers, loads and rates begin at 0; clocks and temperatures where they are. */
export function value_range(drawn: Column[][], from_zero: boolean): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const columns of drawn) for (const one of columns) [low, high] = [Math.min(low, one.least), Math.max(high, one.most)];
  if (high < low) return [0, 1];
  if (from_zero) low = Math.min(0, low);
  if (high - low < 1e-9) return [low - 0.5, high + 0.5];
  return [low, high + 0.04 * (high - low)];
}

/** Short enough for the margin: millions and more by their prefix. */
export function axis_label(value: number): string {
  const size = Math.abs(value);
  const [scale, prefix] = size >= 1e12 ? [1e12, "T"] : size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : [1, ""];
  return prefix ? `${short_number(value / scale, 3)} ${prefix}` : short_number(value, 4);
}

function draw_axes(to: CanvasRenderingContext2D, size: [number, number], stretch: Stretch, run: number, [low, high]: [number, number], c: Colours, font: string): void {
  const [width, height] = size;
  const bottom = height - record_margin.bottom;
  to.font = `11px ${font}`;
  to.fillStyle = c.muted;
  to.strokeStyle = c.grid;
  to.lineWidth = 1;
  to.textAlign = "right";
  to.textBaseline = "middle";
  for (const value of value_ticks(low, high)) {
    const y = bottom - ((value - low) / (high - low)) * (bottom - record_margin.top);
    to.beginPath();
    to.moveTo(record_margin.left, Math.round(y) + 0.5);
    to.lineTo(width - record_margin.right, Math.round(y) + 0.5);
    to.stroke();
    to.fillText(axis_label(value), record_margin.left - 6, y);
  }
  to.textAlign = "center";
  to.textBaseline = "top";
  const ticks = time_ticks(stretch, run, Math.max(2, Math.floor(width / 110)));
  for (const at of ticks.values) to.fillText(ticks.label(at), record_margin.left + ((at - stretch.from) / (stretch.to - stretch.from)) * (width - record_margin.left - record_margin.right), bottom + 5);
}

/** Draws the traces of one lane; how many columns that were. */
export function draw_lane(canvas: HTMLCanvasElement, traces: Trace[], stretch: Stretch, run: number, marks: number[], from_zero: boolean, c: Colours, font: string): number {
  const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const to = canvas.getContext("2d")!;
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  const inner = width - record_margin.left - record_margin.right;
  if (inner < 10) return 0;
  const drawn = traces.map((trace) => columns_of(trace, stretch, Math.floor(inner)));
  const [low, high] = value_range(drawn, from_zero);
  draw_axes(to, [width, height], stretch, run, [low, high], c, font);
  const bottom = height - record_margin.bottom;
  const x = (at: number) => record_margin.left + ((at - stretch.from) / (stretch.to - stretch.from)) * inner;
  const y = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - record_margin.top);
  to.save();
  to.beginPath();
  to.rect(record_margin.left, 0, inner, bottom + 1);
  to.clip();
  to.strokeStyle = c.muted;
  to.setLineDash([3, 3]);
  for (const at of marks) {
    to.beginPath();
    to.moveTo(x(at), record_margin.top);
    to.lineTo(x(at), bottom);
    to.stroke();
  }
  to.setLineDash([]);
  drawn.forEach((columns, i) => {
    to.fillStyle = to.strokeStyle = trace_colour(c, i);
    to.globalAlpha = 0.25;
    for (const one of columns) to.fillRect(x(one.at), y(one.most), Math.max(1, inner / 2000), Math.max(0.5, y(one.least) - y(one.most)));
    to.globalAlpha = 1;
    to.lineWidth = 1.5;
    to.beginPath();
    for (const one of columns) {
      if (one.broken) to.moveTo(x(one.at), y(one.mean));
      to.lineTo(x(one.at), y(one.mean));
    }
    to.stroke();
  });
  to.restore();
  return drawn.reduce((n, columns) => n + columns.length, 0);
}
