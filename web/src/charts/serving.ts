// What of a run is drawn: its windows put together until there are not too many, and lanes of lines above one time axis.
import type { LiveSpans, LiveTimeline } from "../contract.ts";
import { short_number } from "../format.ts";
import type { Serving } from "../sheets/sheet.ts";
import type { Colours } from "../theme.ts";
import { time_ticks, type Stretch } from "../timespan.ts";

export type Point = [seconds: number, value: number | null];

export interface Line {
  name: string;
  data: Point[];
  colour: string;
  kind: "line" | "thin" | "dashed" | "area" | "bars" | "dots";
}

/** Positions of windows from `first` on, before `end`, that are drawn as one. */
export interface Bin {
  first: number;
  end: number;
  from: number;
  to: number;
}

/** The windows that a stretch meets, in groups of equal size, no more than `most` of them; a group keeps its windows wherever the stretch begins. */
export function bins_of(timeline: LiveTimeline, seconds: number, { from, to }: Stretch, most: number): Bin[] {
  const width = timeline.window_s;
  let group = 1;
  while ((to - from) / (width * group) > most) group *= 2;
  const first = Math.floor(from / width / group) * group;
  const bins: Bin[] = [];
  for (let i = first; i < timeline.windows && i * width < Math.min(to, seconds); i += group) {
    const end = Math.min(i + group, timeline.windows);
    bins.push({ first: i, end, from: i * width, to: Math.min(end * width, seconds) });
  }
  // What is left at the end of the run is too short for a rate of its own.
  const [before, last] = bins.slice(-2);
  if (before && last && last.to - last.from < (group * width) / 2) bins.splice(-2, 2, { ...before, end: last.end, to: last.to });
  return bins;
}

export const sum = (column: (number | null)[], { first, end }: Bin): number => {
  let all = 0;
  for (let i = first; i < end; i++) all += column[i] ?? 0;
  return all;
};

const most_of = (column: (number | null)[], { first, end }: Bin): number | null => {
  let most: number | null = null;
  for (let i = first; i < end; i++) if (column[i] != null && (most === null || column[i]! > most)) most = column[i]!;
  return most;
};

/** Mean of what every window of a bin has, by how long it is; null where one has none. */
export function mean_of(column: (number | null)[], bin: Bin, width: number): number | null {
  let all = 0;
  for (let i = bin.first; i < bin.end; i++) {
    if (column[i] === null) return null;
    all += column[i]! * (Math.min((i + 1) * width, bin.to) - i * width);
  }
  return all / (bin.to - bin.from);
}

const per_second = (column: (number | null)[], bin: Bin) => (bin.to > bin.from ? sum(column, bin) / (bin.to - bin.from) : null);

/** A value for each bin, as steps from edge to edge. */
export const as_steps = (bins: Bin[], value: (bin: Bin) => number | null): Point[] => bins.flatMap((b): Point[] => {
  const v = value(b);
  return [[b.from, v], [b.to, v]];
});

/** Mean batch over the windows of a bin; null where no batch ended. */
export function mean_batch(batches: number[], means: (number | null)[], bin: Bin): number | null {
  let samples = 0;
  for (let i = bin.first; i < bin.end; i++) samples += (means[i] ?? 0) * batches[i]!;
  const count = sum(batches, bin);
  return count > 0 ? samples / count : null;
}

/** Positions of the spans that a stretch meets. They lie in the order in which they ended, and never overlap. */
export function spans_in(spans: LiveSpans, { from, to }: Stretch): [first: number, end: number] {
  const at_least = (value: (i: number) => number, wanted: number) => {
    let [low, high] = [0, spans.track.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value(middle) >= wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const first = at_least((i) => spans.begin_us[i]! + spans.length_us[i]!, from * 1e6);
  return [first, Math.max(first, at_least((i) => spans.begin_us[i]!, to * 1e6))];
}

const silence = 5; // windows in which nobody asked

/** A figure of the answers, window by window. Where none ended the line goes on to the next one, but for a stretch in which nobody asked. */
export function of_answers(column: (number | null)[], arrived: number[], bins: Bin[]): Point[] {
  const points: Point[] = [];
  let silent = 0;
  for (const b of bins) {
    const v = most_of(column, b);
    silent = v === null && sum(arrived, b) === 0 ? silent + 1 : 0;
    if (v !== null || silent === silence) points.push([(b.from + b.to) / 2, v]);
  }
  return points;
}

export interface Lane {
  key: string;
  title: string;
  unit: string;
  lines: (c: Colours, bins: Bin[], shown: Stretch) => Line[];
  /** Least upper end of the axis. */
  reach: number;
  share?: boolean;
}

export const service_colour = (c: Colours, i: number): string => [c.blue, c.oracle][i % 2]!;
export const training_colour = (c: Colours, i: number): string => [c.choice, c.simulated][i % 2]!;
export function track_colour(c: Colours, serving: Serving, track: number): string {
  const { services, trainings } = serving;
  if (track < services.length) return service_colour(c, track);
  if (track < services.length + trainings.length) return training_colour(c, track - services.length);
  return track === services.length + trainings.length ? c.cloud : c.ink;
}

const most_dots = 1500;

function latency_lane(serving: Serving, s: number): Lane {
  const { name, budget_ms } = serving.services[s]!;
  const columns = serving.timeline.services[s]!;
  const longest = columns.max_ms.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  const above = longest > 0 && budget_ms > 4 * longest; // out of sight, so that the latencies are seen
  return {
    key: "latency", title: `Latency of ${name}`, unit: "ms", reach: above ? longest * 1.3 : budget_ms * 1.08,
    lines: (c, _bins, shown) => {
      const [first, end] = spans_in(serving.spans, shown);
      const dots: Point[] = [];
      if (end - first <= most_dots) for (let i = first; i < end; i++) if (serving.spans.track[i] === s) dots.push([(serving.spans.begin_us[i]! + serving.spans.length_us[i]!) / 1e6, serving.spans.longest_us[i]! / 1e3]);
      const windows = bins_of(serving.timeline, serving.seconds, shown, Infinity); // quantiles cannot be put together
      return [
        { name: "longest", kind: "thin", colour: c.cloud, data: of_answers(columns.max_ms, columns.arrived, windows) },
        { name: "99th percentile", kind: "line", colour: c.choice, data: of_answers(columns.p99_ms, columns.arrived, windows) },
        { name: "median", kind: "line", colour: service_colour(c, s), data: of_answers(columns.p50_ms, columns.arrived, windows) },
        { name: `budget ${short_number(budget_ms, 6)}\u202fms${above ? ", far above" : ""}`, kind: "dashed", colour: c.limit, data: above ? [] : [[shown.from, budget_ms], [shown.to, budget_ms]] },
        ...(dots.length > 0 ? [{ name: "longest of a batch", kind: "dots" as const, colour: c.ink, data: dots }] : []),
      ];
    },
  };
}

function requests_lane(serving: Serving): Lane {
  const all = serving.timeline.services;
  const failed = (what: "late" | "refused" | "failed") => all.some((s) => s[what].some((n) => n > 0));
  return {
    key: "requests", title: "Requests", unit: "per second", reach: 0,
    lines: (c, bins) => [
      ...all.map((s, i): Line => ({ name: all.length > 1 ? `to ${s.name}` : "arrived", kind: "line", colour: service_colour(c, i), data: as_steps(bins, (b) => per_second(s.arrived, b)) })),
      ...(failed("late") ? [{ name: "late", kind: "bars" as const, colour: c.limit, data: as_steps(bins, (b) => all.reduce((n, s) => n + per_second(s.late, b)!, 0)) }] : []),
      ...(failed("refused") ? [{ name: "refused", kind: "bars" as const, colour: c.simulated, data: as_steps(bins, (b) => all.reduce((n, s) => n + per_second(s.refused, b)!, 0)) }] : []),
      ...(failed("failed") ? [{ name: "failed", kind: "bars" as const, colour: c.ink, data: as_steps(bins, (b) => all.reduce((n, s) => n + per_second(s.failed, b)!, 0)) }] : []),
    ],
  };
}

function batches_lane(serving: Serving): Lane {
  const all = serving.timeline.services;
  const of = (name: string) => (all.length > 1 ? ` of ${name}` : "");
  return {
    key: "batches", title: "Batches and queue", unit: "requests", reach: 2,
    lines: (c, bins) => all.flatMap((s, i): Line[] => [
      { name: `longest queue${of(s.name)}`, kind: "thin", colour: c.cloud, data: as_steps(bins, (b) => most_of(s.largest_queue, b)) },
      { name: `mean batch${of(s.name)}`, kind: "line", colour: service_colour(c, i), data: as_steps(bins, (b) => mean_batch(s.batches, s.mean_batch, b)) },
    ]),
  };
}

function training_lane(serving: Serving): Lane {
  return {
    key: "training", title: "Training", unit: "minibatches per second", reach: 0,
    lines: (c, bins, shown) => serving.timeline.training.flatMap((t, i): Line[] => {
      const planned = serving.trainings[i]!.planned_per_s;
      return [
        { name: t.name, kind: "line", colour: training_colour(c, i), data: as_steps(bins, (b) => per_second(t.minibatches, b)) },
        ...(planned === null ? [] : [{ name: `planned, mean of the run`, kind: "dashed" as const, colour: training_colour(c, i), data: [[shown.from, planned], [shown.to, planned]] as Point[] }]),
      ];
    }),
  };
}

/** What the time goes to, one upon the other from the bottom; the rest is idle. */
function share_lane(serving: Serving): Lane {
  const t = serving.timeline;
  const parts = (c: Colours): [string, string, number[]][] => [
    ...t.services.map((s, i): [string, string, number[]] => [t.services.length > 1 ? `serving ${s.name}` : "serving", service_colour(c, i), s.busy]),
    ...t.training.map((one, i): [string, string, number[]] => [t.training.length > 1 ? `training ${one.name}` : "training", training_colour(c, i), one.busy]),
    ["checkpoints", c.cloud, t.saving], ["switching", c.ink, t.switching],
  ];
  return {
    key: "shares", title: "Where the time goes", unit: "%", reach: 100, share: true,
    lines: (c, bins) => {
      const below = bins.map(() => 0);
      return parts(c).filter(([, , column]) => column.some((v) => v > 0)).map(([name, colour, column]): Line => {
        bins.forEach((b, i) => (below[i]! += 100 * mean_of(column, b, t.window_s)!));
        const top = new Map(bins.map((b, i) => [b, below[i]!]));
        return { name, kind: "area", colour, data: as_steps(bins, (b) => top.get(b)!) };
      });
    },
  };
}

function power_lane(serving: Serving): Lane {
  return {
    key: "power", title: "Power", unit: "W", reach: 0,
    lines: (c, bins) => [{ name: "mean", kind: "line", colour: c.blue, data: as_steps(bins, (b) => mean_of(serving.timeline.power_w, b, serving.timeline.window_s)) }],
  };
}

export const has_power = (serving: Serving): boolean => serving.timeline.power_w.some((w) => w !== null);

export function lanes_of(serving: Serving): Lane[] {
  return [
    ...serving.services.map((_, s) => latency_lane(serving, s)), requests_lane(serving), batches_lane(serving),
    ...(serving.trainings.length > 0 ? [training_lane(serving)] : []), share_lane(serving),
    ...(has_power(serving) ? [power_lane(serving)] : []),
  ];
}

export const margin = { left: 50, right: 14 };

export function build_lane(lane: Lane, lines: Line[], shown: Stretch, run: number, c: Colours, font: string, width: number): Record<string, unknown> {
  const ticks = time_ticks(shown, run, Math.max(2, Math.floor((width - 64) / (width < 500 ? 64 : 84))));
  const values = lines.flatMap((l) => l.data.map(([, v]) => v ?? 0));
  const top = lane.share ? 100 : Math.max(lane.reach, ...values.map((v) => v * 1.08));
  const custom = { customValues: ticks.values };
  return {
    animation: false, textStyle: { fontFamily: font },
    grid: { ...margin, top: 8, bottom: 22 },
    xAxis: {
      type: "value", min: shown.from, max: shown.to, axisTick: { show: false, ...custom }, axisLine: { lineStyle: { color: c.rule } },
      splitLine: { show: true, lineStyle: { color: c.grid }, ...custom }, axisLabel: { color: c.muted, fontSize: 11, hideOverlap: true, formatter: ticks.label, ...custom },
    },
    yAxis: {
      type: "value", min: 0, max: top > 0 ? top : 1, splitNumber: 3, interval: lane.share ? 25 : undefined, splitLine: { lineStyle: { color: c.grid } },
      axisLabel: { color: c.muted, fontSize: 11, showMaxLabel: lane.share === true, formatter: (v: number) => short_number(v) },
    },
    series: lines.map((l, i) => (l.kind === "dots"
      ? { type: "scatter", silent: true, data: l.data, symbolSize: 5, itemStyle: { color: l.colour } }
      : {
        type: "line", silent: true, connectNulls: false, showSymbol: l.data.length < 3 && l.kind !== "dashed", symbolSize: 4, data: l.data, z: l.kind === "area" ? lines.length - i : 10,
        lineStyle: { color: l.colour, width: { line: 1.6, thin: 1, dashed: 1.2, area: 0, bars: 1, dots: 0 }[l.kind], type: l.kind === "dashed" ? [5, 4] : "solid" },
        itemStyle: { color: l.colour }, areaStyle: l.kind === "area" || l.kind === "bars" ? { color: l.colour, opacity: l.kind === "area" ? 1 : 0.5 } : undefined,
      })),
  };
}
