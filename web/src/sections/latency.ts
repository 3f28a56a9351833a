// How latencies are spread, and how many requests took longer than any time.
import { live_chart } from "../charts/echarts.ts";
import { log_ticks } from "../charts/scales.ts";
import { service_colour } from "../charts/serving.ts";
import type { LatencyBars } from "../contract.ts";
import { h, section } from "../dom.ts";
import { number, plural, short_number } from "../format.ts";
import type { Serving, Sheet } from "../sheets/sheet.ts";
import { colours, font, type Colours } from "../theme.ts";

type Point = [number, number];

const most_bars = 60;
const bar_ratio = 1.005 ** 8;

/** Bars put together until there are not too many, and how many of them. */
export function wider({ upper_ms, count }: LatencyBars): LatencyBars & { together: number } {
  const together = Math.ceil(count.length / most_bars);
  const wide: LatencyBars = { upper_ms: [], count: [] };
  for (let i = 0; i < count.length; i += together) {
    wide.upper_ms.push(upper_ms[0]! * bar_ratio ** (i + together - 1));
    wide.count.push(count.slice(i, i + together).reduce((a, b) => a + b, 0));
  }
  return { ...wide, together };
}

/** Outline of the histogram: share of the requests in each bar. */
export function outline(bars: LatencyBars): Point[] {
  const { upper_ms, count } = wider(bars);
  const all = count.reduce((a, b) => a + b, 0);
  const ratio = upper_ms.length > 1 ? upper_ms[1]! / upper_ms[0]! : bar_ratio;
  const points: Point[] = [[upper_ms[0]! / ratio, 0]];
  upper_ms.forEach((upper, i) => points.push([i > 0 ? upper_ms[i - 1]! : upper / ratio, count[i]! / all], [upper, count[i]! / all]));
  return [...points, [upper_ms[upper_ms.length - 1]!, 0]];
}

/** Share of the requests that took longer than the upper end of each bar; ends before it is 0. */
export function longer_than({ upper_ms, count }: LatencyBars): Point[] {
  const all = count.reduce((a, b) => a + b, 0);
  let left = all;
  const points: Point[] = [];
  upper_ms.forEach((upper, i) => {
    if (i === 0) points.push([upper / bar_ratio, 1]);
    left -= count[i]!;
    if (left > 0) points.push([upper, left / all]);
  });
  return points;
}

const percent = (v: number) => `${short_number(100 * v, 2)}\u202f%`;

function chart(serving: Serving, title: string, text: string, points: (bars: LatencyBars) => Point[], log: boolean): HTMLElement {
  const known = serving.services.flatMap((s, i) => (s.latency.count.length > 0 ? [{ ...s, i }] : []));
  const canvas = h("div", { class: "chart latency-chart", role: "img", "aria-label": `${title}. ${text}` });
  const curves = known.map((s) => ({ ...s, points: points(s.latency) }));
  const all = curves.flatMap((s) => s.points);
  const budgets = [...new Set(known.map((s) => s.budget_ms))];
  const low = Math.min(...all.map(([x]) => x));
  const high = Math.max(...all.map(([x]) => x), ...budgets) * 1.15;
  const least = log ? Math.min(...all.map(([, y]) => y)) : 0;
  const options = (c: Colours) => {
    const ticks = log_ticks(low, high);
    const custom = { customValues: ticks.length > 1 ? ticks : [low, high] };
    const heights = { customValues: log_ticks(10 ** Math.floor(Math.log10(least || 1e-4)), 1).filter((v) => /^1|^0\.0*1$/.test(String(v))) };
    return {
      animation: false, textStyle: { fontFamily: font() }, grid: { left: 54, right: 20, top: 24, bottom: 40 },
      xAxis: { type: "log", min: low, max: high, name: "latency (ms, log scale)", nameLocation: "middle", nameGap: 24, nameTextStyle: { color: c.muted, fontSize: 12 }, axisTick: { show: false, ...custom }, splitLine: { show: false }, minorTick: { show: false }, axisLine: { lineStyle: { color: c.rule }, onZero: false }, axisLabel: { color: c.muted, fontSize: 11, hideOverlap: true, formatter: (v: number) => short_number(v), ...custom } },
      yAxis: {
        type: log ? "log" : "value", min: log ? heights.customValues[0] : 0, max: log ? 1 : undefined, splitNumber: 4, splitLine: { lineStyle: { color: c.grid }, ...(log ? heights : {}) },
        axisLabel: { color: c.muted, fontSize: 11, formatter: percent, ...(log ? heights : {}) }, axisTick: { show: false, ...(log ? heights : {}) },
      },
      series: curves.map((s, k) => ({
        type: "line", silent: true, showSymbol: false, data: s.points, step: log ? "start" : undefined, lineStyle: { color: service_colour(c, s.i), width: 1.8 }, itemStyle: { color: service_colour(c, s.i) }, areaStyle: log ? undefined : { color: service_colour(c, s.i), opacity: 0.25 },
        markLine: k > 0 ? undefined : { silent: true, symbol: "none", label: { show: true, formatter: "budget", position: "end", distance: 4, color: c.limit, fontSize: 11 }, lineStyle: { color: c.limit, type: [5, 4], width: 1.2 }, data: budgets.map((b) => ({ xAxis: b })) },
      })),
    };
  };
  requestAnimationFrame(() => {
    const drawn = live_chart(canvas, () => drawn.setOption(options(colours()), true));
    drawn.setOption(options(colours()), true);
  });
  return h("figure", { class: "panel" }, h("h3", {}, title), canvas, h("figcaption", { class: "caption" }, text));
}

export function latency_section(report: Sheet): HTMLElement | null {
  const { serving } = report;
  const answered = serving?.services.map((s) => s.latency.count.reduce((a, b) => a + b, 0)) ?? [];
  if (!serving || answered.every((n) => n === 0)) return null;
  const key = serving.services.length > 1 && h("p", { class: "lane-legend" }, ...serving.services.map((s, i) => {
    const line = h("i", {});
    line.style.borderTop = `2px solid ${service_colour(colours(), i)}`;
    return h("span", { class: "lane-key" }, line, s.name);
  }));
  return section("latency-section", "How long answers took", `${serving.simulated ? "Simulated. " : ""}${plural(answered.reduce((a, b) => a + b, 0), "answer")}, from arrival to answer, the queue included.`, key,
    h("div", { class: "panels" },
      chart(serving, "Histogram", `Share of the answers in each bar; a bar is ${number(100 * (bar_ratio ** Math.max(...serving.services.map((s) => wider(s.latency).together)) - 1), 2)}\u202f% wide.`, outline, false),
      chart(serving, "Longer than", "Share of the answers that took longer: where the curve meets the budget is the share of late ones.", longer_than, true)));
}
