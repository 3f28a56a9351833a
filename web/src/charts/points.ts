// Points of a sheet against two axes, one colour for each group.
import { short_number } from "../format.ts";
import type { Colours } from "../theme.ts";
import type { SheetAxis, SheetChart } from "../view.ts";
import { log_ticks } from "./scales.ts";

export const group_colour = (index: number, c: Colours): string => [c.blue, c.simulated, c.oracle, c.limit, c.cloud][index % 5]!;

/** The groups in the order in which they first occur. */
export const groups_of = (chart: SheetChart): string[] => [...new Set(chart.points.map((p) => p.group))];

export const is_log = (values: number[]): boolean => {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return low > 0 && high / low > 8;
};

/** How a line looks: its colour, and the dashes that tell it from others without colour. */
export function line_style(index: number, c: Colours): { color: string; type: "solid" | number[] } {
  const types: ("solid" | number[])[] = ["solid", [7, 4], [2, 3], [10, 3, 2, 3]];
  return { color: [c.ink, c.choice, c.muted, c.oracle][index % 4]!, type: types[index % 4]! };
}

function axis_of(axis: SheetAxis, values: number[], limits: number[], log: boolean, colours: Colours, vertical: boolean) {
  const all = [...values, ...limits];
  let [low, high] = [Infinity, -Infinity];
  for (const v of all) [low, high] = [Math.min(low, v), Math.max(high, v)];
  const logarithmic = (log || is_log(values)) && low > 0;
  if (logarithmic) [low, high] = [low / (high / low) ** 0.06, high * (high / low) ** 0.06];
  else {
    const pad = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
    [low, high] = [low >= 0 ? Math.max(0, low - pad) : low - pad, high + pad];
  }
  const ticks = logarithmic ? log_ticks(low, high) : undefined;
  const name = axis.label.charAt(0).toUpperCase() + axis.label.slice(1);
  return {
    type: logarithmic ? "log" : "value", min: low, max: high,
    name: axis.unit === "" ? name : `${name} (${axis.unit})`, nameLocation: vertical ? "end" : "middle", nameGap: vertical ? 14 : 30,
    nameTextStyle: { color: colours.muted, fontSize: 12, align: vertical ? "left" : "center", padding: vertical ? [0, 0, 0, -40] : 0 },
    axisLine: { show: !vertical, onZero: false, lineStyle: { color: colours.rule } }, axisTick: { show: false, customValues: ticks },
    axisLabel: { customValues: ticks, color: colours.muted, fontSize: 12, hideOverlap: true, formatter: (v: number) => (v === low || v === high ? "" : short_number(v)) },
    splitLine: { show: vertical, customValues: ticks, lineStyle: { color: colours.grid } },
  };
}

export function build_points(chart: SheetChart, colours: Colours, font: string): Record<string, unknown> {
  const lines = chart.lines ?? [];
  const on_lines = lines.flatMap((l) => l.points);
  const [xs, ys] = [[...chart.points.map((p) => p.x), ...on_lines.map((p) => p[0])], [...chart.points.map((p) => p.y), ...on_lines.map((p) => p[1])]];
  const log = chart.log ?? false;
  const size = chart.points.length > 60 ? 7 : 10;
  const limits = (axis: "x" | "y") => chart.limits.filter((l) => l.axis === axis).map((l) => l.value);
  const line = (l: { axis: "x" | "y"; value: number }) => ({ [l.axis === "x" ? "xAxis" : "yAxis"]: l.value });
  return {
    animation: false, textStyle: { fontFamily: font },
    grid: { left: 52, right: 24, top: 36, bottom: 48 },
    xAxis: axis_of(chart.x, xs, limits("x"), log, colours, false), yAxis: axis_of(chart.y, ys, limits("y"), log, colours, true),
    series: [
      ...(chart.limits.length > 0 ? [{
        type: "scatter", silent: true, symbolSize: 0, data: [[xs[0], ys[0]]],
        markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colours.limit, type: [6, 4], width: 1.4 }, data: chart.limits.map(line) },
        markArea: { silent: true, itemStyle: { color: colours.limit, opacity: 0.055 }, data: chart.limits.map((l) => [line(l), line({ ...l, value: Infinity })]) },
      }] : []),
      ...lines.map((l, i) => ({ type: "line", name: l.label, silent: true, showSymbol: false, z: 1, lineStyle: { ...line_style(i, colours), width: 1.8 }, data: l.points })),
      ...groups_of(chart).map((group, g) => ({
        type: "scatter", name: group, silent: true, symbolSize: size, itemStyle: { color: group_colour(g, colours), opacity: 0.85, borderColor: colours.surface, borderWidth: 1 },
        data: chart.points.filter((p) => p.group === group && !p.marked).map((p) => [p.x, p.y]),
      })),
      { type: "scatter", name: "answer", silent: true, z: 5, symbolSize: 20, itemStyle: { color: colours.choice, borderColor: colours.surface, borderWidth: 2, opacity: 1 }, data: chart.points.filter((p) => p.marked).map((p) => [p.x, p.y]) },
    ],
  };
}
