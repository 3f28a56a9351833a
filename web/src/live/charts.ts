// The charts of the live page: what the server told in the last ten minutes.
import { live_chart, type EChartsType } from "../charts/echarts.ts";
import { build_points } from "../charts/points.ts";
import { log_ticks } from "../charts/scales.ts";
import { h, section } from "../dom.ts";
import { short_number } from "../format.ts";
import { colours, font, type Colours } from "../theme.ts";
import { time_ticks } from "../timespan.ts";
import type { LiveState } from "./contract.ts";
import type { History } from "./events.ts";
import { front_of, heights, type Line } from "./shapes.ts";

export interface Drawn {
  box: HTMLElement;
  draw: () => void;
}

function vertical(lines: Line[], c: Colours) {
  const { log, low, high } = heights(lines);
  const ticks = log ? { customValues: log_ticks(low, high) } : {};
  return {
    type: log ? "log" : "value", min: low, max: high, splitNumber: 4, axisTick: { show: false, ...ticks },
    axisLabel: { color: c.muted, fontSize: 11, showMaxLabel: log, formatter: (v: number) => short_number(v), ...ticks }, splitLine: { lineStyle: { color: c.grid }, ...ticks },
  };
}

const series = (l: Line) => ({
  type: "line", name: l.name, silent: true, showSymbol: l.data.length < 2, symbolSize: 4, connectNulls: false, data: l.data,
  lineStyle: { color: l.colour, width: l.dashed ? 1 : 1.8, type: l.dashed ? [5, 4] : "solid" }, itemStyle: { color: l.colour },
});

function key(l: Line, unit: string): HTMLElement {
  const last = l.data[l.data.length - 1]?.[1] ?? null;
  return h("span", { class: "live-key" }, h("i", { style: `background:${l.colour}` }), `${l.name} ${last === null ? "–" : `${short_number(last)}\u202f${unit}`}`);
}

function chart(history: History, name: string, unit: string, lines: (c: Colours) => Line[]): Drawn {
  const legend = h("p", { class: "lead legend" });
  const canvas = h("div", { class: "chart live-chart", role: "img", "aria-label": `${name}, in ${unit}` });
  const heading = h("h3", {});
  let drawn: EChartsType | null = null;
  const options = (c: Colours) => {
    const now = history.states[history.states.length - 1]?.seconds ?? 0;
    const shown = lines(c);
    const stretch = { from: Math.max(0, now - 600), to: Math.max(10, now) };
    const ticks = time_ticks(stretch, 600, canvas.clientWidth < 400 ? 4 : 6);
    const custom = { customValues: ticks.values };
    const up = vertical(shown, c);
    heading.replaceChildren(name, h("small", {}, ` ${unit}${up.type === "log" ? ", log scale" : ""}`));
    legend.replaceChildren(...shown.map((l) => key(l, unit)));
    return {
      animation: false, textStyle: { fontFamily: font() }, grid: { left: 52, right: 12, top: 12, bottom: 34 },
      xAxis: {
        type: "value", min: stretch.from, max: stretch.to, name: "min:s since the start", nameLocation: "middle", nameGap: 22,
        nameTextStyle: { color: c.muted, fontSize: 12 }, axisTick: { show: false, ...custom }, axisLabel: { color: c.muted, fontSize: 11, formatter: ticks.label, ...custom }, splitLine: { show: false }, axisLine: { lineStyle: { color: c.rule }, onZero: false },
      },
      yAxis: up, series: shown.map(series),
    };
  };
  return {
    box: h("figure", { class: "live-figure" }, heading, legend, canvas),
    draw: () => {
      drawn ??= live_chart(canvas, (target) => target.setOption(options(colours()), true));
      drawn.setOption(options(colours()), true);
    },
  };
}

const hue = (c: Colours, i: number): string => [c.blue, c.choice, c.oracle, c.simulated][i % 4]!;

export function charts_of(history: History, state: LiveState): Drawn[] {
  const of = (name: string, unit: string, lines: (c: Colours) => Line[]) => chart(history, name, unit, lines);
  const services = state.services.map((s, i) => ({ name: s.name, i }));
  const trainings = state.trainings.map((t, i) => ({ name: t.name, i }));
  const all = services.map(({ name, i }) => of(`Latency of ${name}, of the last minute`, "ms", (c) => [
    { name: "median", colour: c.blue, data: history.values((s) => s.services[i]!.recent_p50_ms) },
    { name: "99th percentile", colour: c.choice, data: history.values((s) => s.services[i]!.recent_p99_ms) },
    { name: "budget", colour: c.limit, dashed: true, data: history.values((s) => s.services[i]!.budget_ms) },
  ]));
  all.push(of("Answers", "requests/s", (c) => services.map(({ name, i }) => ({ name, colour: hue(c, i), data: history.rates((s) => s.services[i]!.answered) }))));
  all.push(of("Waiting now", "requests", (c) => services.map(({ name, i }) => ({ name, colour: hue(c, i), data: history.values((s) => s.services[i]!.waiting) }))));
  if (trainings.length > 0) all.push(of("Training", "minibatches/s", (c) => trainings.map(({ name, i }) => ({ name, colour: hue(c, i), data: history.rates((s) => s.trainings[i]!.minibatches) }))));
  if (state.trainings.some((t) => t.loss !== null)) all.push(of("Loss, mean of the last 50 minibatches", "", (c) => trainings.map(({ name, i }) => ({ name, colour: hue(c, i), data: history.values((s) => s.trainings[i]!.loss) }))));
  if (state.power_w !== null) all.push(of("Power", "W", (c) => [{ name: "board", colour: c.blue, data: history.values((s) => s.power_w) }]));
  return all;
}

export function front_section(state: LiveState): Drawn | null {
  const points = front_of(state);
  if (!points) return null;
  const canvas = h("div", { class: "chart live-chart", role: "img", "aria-label": points.title });
  const now = points.points.find((p) => p.marked);
  const words = now ? ` The present preference (large) comes to ${short_number(now.x)}\u202fms and ${short_number(now.y)} minibatches/s.` : "";
  let drawn: EChartsType | null = null;
  return {
    box: section("front", points.title, `What other preferences (--prefer) would give, by simulation of the plan; dashed: the budget.${words}`, canvas),
    draw: () => {
      if (drawn) return;
      drawn = live_chart(canvas, (target) => target.setOption(build_points(points, colours(), font()), true));
      drawn.setOption(build_points(points, colours(), font()), true);
    },
  };
}
