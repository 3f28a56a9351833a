// The axes of the cloud: a value axis, a logarithmic one, or evenly spaced settings.
import { exact, scale, short_number, value_of } from "../format.ts";
import { range_of, number_of, type Measure } from "../measures.ts";
import type { Colours } from "../theme.ts";
import type { TuneReport } from "../view.ts";

export interface Scale {
  /** Where each configuration stands; NaN: nowhere. */
  at: Float64Array;
  spread(index: number): [number, number] | null;
  /** A value of the measure in the units of `at`. */
  place(value: number): number;
  /** The ends of the axis in the units of `at`, where they are set. */
  ends?: [number, number];
  /** ECharts axis option. */
  option: Record<string, unknown>;
}

function frame(name: string, colours: Colours, vertical: boolean) {
  return {
    name,
    nameLocation: vertical ? "end" : "middle",
    nameGap: vertical ? 14 : 32,
    nameTextStyle: { color: colours.muted, fontSize: 12, align: vertical ? "left" : "center", padding: vertical ? [0, 0, 0, -40] : 0 },
    axisLine: { show: !vertical, onZero: false, lineStyle: { color: colours.rule } },
    axisTick: { show: false },
    axisLabel: { color: colours.muted, fontSize: 12, hideOverlap: true },
    splitLine: { show: vertical, lineStyle: { color: colours.grid } },
  };
}

/** 1, 2, 5, 10, 20, …, thinned to powers of ten over many decades. */
export function log_ticks(low: number, high: number): number[] {
  const steps = Math.log10(high / low) > 3.5 ? [1] : [1, 2, 5];
  const ticks: number[] = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(high); decade++) {
    for (const step of steps) {
      const tick = Number((step * 10 ** decade).toPrecision(6));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

/** Ticks, grid lines and labels at these values only. */
function ticks_at(values: number[]) {
  return { axisTick: { show: false, customValues: values }, splitLine: { customValues: values }, axisLabel: { customValues: values } };
}

/** Bounds of a logarithmic axis: the data's, a little widened. */
function log_bounds(low: number, high: number): [number, number] {
  const room = (high / low) ** 0.04;
  return [low / room, high * room];
}

function cost_scale(report: TuneReport, measure: Measure, colours: Colours, vertical: boolean, limits: number[]): Scale {
  const raw = Float64Array.from(report.configurations, (c) => number_of(measure, c));
  let low = Infinity;
  let high = -Infinity;
  for (const v of raw) if (v === v) [low, high] = [Math.min(low, v), Math.max(high, v)];
  // A limit that lies not too far away is part of the picture.
  for (const v of limits) if (v > 0 && v > low / 2 && v < high * 1.6) [low, high] = [Math.min(low, v * 0.96), Math.max(high, v * 1.04)];
  const [unit, factor] = Number.isFinite(low) ? scale(Math.sqrt(Math.max(low, 1e-12) * high), measure.unit) : [measure.unit, 1];
  const logarithmic = low > 0 && high / low > (measure.unit === "W" ? 20 : 5);
  const place = (value: number) => value / factor;
  const base = frame(`${measure.label} (${unit}${logarithmic ? ", log scale" : ""})`, colours, vertical);
  const padded = (high - low) * 0.05 || high * 0.1;
  const [least, most] = logarithmic ? log_bounds(low / factor, high / factor) : limits.length > 0 ? [Math.max(0, low - padded) / factor, (high + padded) / factor] : [undefined, undefined];
  const ticks = logarithmic ? ticks_at(log_ticks(least!, most!)) : undefined;
  return {
    at: raw.map(place),
    place,
    spread: (i) => range_of(measure, report.configurations[i]!)?.map(place) as [number, number] | null ?? null,
    option: {
      ...base,
      type: logarithmic ? "log" : "value",
      scale: true,
      min: least,
      max: most,
      axisTick: { ...base.axisTick, ...ticks?.axisTick },
      splitLine: { ...base.splitLine, ...ticks?.splitLine },
      axisLabel: { ...base.axisLabel, ...ticks?.axisLabel, formatter: (v: number) => (!logarithmic && (v === least || v === most) ? "" : short_number(v, 4)) },
    },
  };
}

/** Settings stand evenly; configurations of one setting stand side by side, in a fixed order. */
function setting_scale(report: TuneReport, measure: Measure, colours: Colours, vertical: boolean): Scale {
  const raw = report.configurations.map((c) => value_of(measure.of(c)!));
  const values = [...new Set(raw)].sort((a, b) => a - b);
  const slot = new Map(values.map((v, i) => [v, i]));
  const members = new Map<number, number>();
  const turn = raw.map((v) => {
    const n = members.get(v) ?? 0;
    members.set(v, n + 1);
    return n;
  });
  const at = Float64Array.from(raw, (v, i) => {
    const count = members.get(v)!;
    return slot.get(v)! + (count > 1 ? (turn[i]! / (count - 1) - 0.5) * 0.62 : 0);
  });
  const ticks = ticks_at(values.map((_, i) => i));
  const base = frame(measure.unit ? `${measure.label} (${measure.unit})` : measure.label, colours, vertical);
  return {
    at,
    place: (value) => slot.get(value) ?? NaN,
    spread: () => null,
    option: {
      ...base,
      type: "value",
      min: -0.5,
      max: values.length - 0.5,
      axisTick: { ...base.axisTick, ...ticks.axisTick },
      splitLine: { show: false },
      axisLabel: { ...base.axisLabel, ...ticks.axisLabel, formatter: (v: number) => exact(values[v]!) },
    },
  };
}

function rank_scale(report: TuneReport, by: Measure, colours: Colours, vertical: boolean): Scale {
  const ys = report.configurations.map((c) => number_of(by, c));
  const order = ys.map((_, i) => i).filter((i) => Number.isFinite(ys[i]!)).sort((a, b) => ys[a]! - ys[b]!);
  const at = new Float64Array(ys.length).fill(NaN);
  order.forEach((index, rank) => (at[index] = rank + 1));
  return {
    at,
    place: () => NaN,
    spread: () => null,
    option: { ...frame("Configurations, least first", colours, vertical), type: "value", min: 0, max: order.length + 1 },
  };
}

/** `limits`: values of the measure that should be seen, too. */
export function make_scale(report: TuneReport, measure: Measure | "rank", other: Measure, colours: Colours, vertical: boolean, limits: number[] = []): Scale {
  if (measure === "rank") return rank_scale(report, other, colours, vertical);
  return measure.cost ? cost_scale(report, measure, colours, vertical, limits) : setting_scale(report, measure, colours, vertical);
}
