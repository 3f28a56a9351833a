// Predicted against observed: the closer to the diagonal the better.
import { high_of, low_of, number, scale, value_of } from "../format.ts";
import type { Colours } from "../theme.ts";
import { log_ticks } from "./scales.ts";
import type { Pair } from "../view.ts";

export interface Agreement {
  /** Observed and predicted in the unit shown, one per pair, in order. */
  x: Float64Array;
  y: Float64Array;
  option: Record<string, unknown>;
}

function bounds(pairs: Pair[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const p of pairs) {
    low = Math.min(low, value_of(p.observed), value_of(p.predicted));
    high = Math.max(high, value_of(p.observed), value_of(p.predicted), Math.min(high_of(p.predicted), 1.3 * value_of(p.predicted)));
  }
  return [low, high];
}

export function build_agreement(pairs: Pair[], base_unit: string, colours: Colours, font: string): Agreement {
  const [low, high] = bounds(pairs);
  const [unit, factor] = scale(high, base_unit);
  const logarithmic = low > 0 && high / low > 8;
  const room = logarithmic ? 1.1 : 1;
  const pad = (high - low) * 0.06 || high * 0.1;
  const least = (logarithmic ? low / room : Math.max(0, low - pad)) / factor;
  const most = (logarithmic ? high * room : high + pad) / factor;
  const ticks = logarithmic ? log_ticks(least, most) : undefined;
  const axis = (name: string, vertical: boolean) => ({
    type: logarithmic ? "log" : "value", name: `${name} (${unit})`, min: least, max: most,
    nameLocation: vertical ? "end" : "middle", nameGap: vertical ? 12 : 28,
    nameTextStyle: { color: colours.muted, fontSize: 12, align: vertical ? "left" : "center", padding: vertical ? [0, 0, 0, -36] : 0 },
    axisLine: { show: !vertical, onZero: false, lineStyle: { color: colours.rule } }, axisTick: { show: false, customValues: ticks },
    axisLabel: { customValues: ticks, color: colours.muted, fontSize: 11, hideOverlap: true, formatter: (v: number) => (v === least || v === most ? "" : number(v, 2)) },
    splitNumber: 4, splitLine: { customValues: ticks, lineStyle: { color: colours.grid } },
  });
  const at = (p: Pair, i: number) => [value_of(p.observed) / factor, value_of(p.predicted) / factor, i];
  const points = (fitted: boolean) => pairs.map((p, i) => (p.fitted === fitted ? at(p, i) : null)).filter((d) => d !== null);
  const many = pairs.length > 300;
  const size = many ? 5 : 9;
  return {
    x: Float64Array.from(pairs, (p) => value_of(p.observed) / factor),
    y: Float64Array.from(pairs, (p) => value_of(p.predicted) / factor),
    option: {
      animation: false, textStyle: { fontFamily: font },
      grid: { left: 48, right: 16, top: 32, bottom: 44 },
      xAxis: axis("Observed", false), yAxis: axis("Predicted", true),
      series: [
        { type: "line", silent: true, showSymbol: false, lineStyle: { color: colours.muted, width: 1, type: [4, 4] }, data: [[least, least], [most, most]] },
        many ? { type: "scatter", data: [] } : whiskers(pairs, factor, colours),
        { type: "scatter", name: "fitted", silent: true, symbolSize: size, itemStyle: { color: colours.surface, opacity: 1, borderColor: colours.muted, borderWidth: 1.5 }, data: points(true) },
        { type: "scatter", name: "held out", silent: true, symbolSize: size, itemStyle: { color: colours.blue, borderColor: colours.surface, borderWidth: 1, opacity: many ? 0.5 : 1 }, data: points(false) },
      ],
    },
  };
}

function whiskers(pairs: Pair[], factor: number, colours: Colours) {
  const data = pairs.filter((p) => typeof p.predicted !== "number").map((p) => [value_of(p.observed), low_of(p.predicted), high_of(p.predicted)].map((v) => v / factor));
  return {
    type: "custom", silent: true, z: 1, data, clip: true, encode: { x: 0, y: 1 },
    renderItem: (_: unknown, api: { value(d: number): number; coord(p: number[]): number[] }) => {
      const [a, b] = [api.coord([api.value(0), api.value(1)]), api.coord([api.value(0), api.value(2)])];
      return { type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: colours.blue, lineWidth: 1.2, opacity: 0.55 } };
    },
  };
}
