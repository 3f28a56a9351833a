// The page of a running `flyball serve`: latency against its budget, rates, queue and power, as they come.
import { live_chart, type EChartsType } from "../charts/echarts.ts";
import { h, section } from "../dom.ts";
import { number, short_number } from "../format.ts";
import { header } from "../header.ts";
import "../style.css";
import { time_ticks } from "../timespan.ts";
import { colours, font, start_theme, type Colours } from "../theme.ts";
import type { LiveState } from "./contract.ts";
import { connection_words, History, token_words } from "./events.ts";
import { listen } from "./stream.ts";

type Line = { name: string; data: [number, number | null][]; colour: string; dashed?: boolean };

const history = new History();

/** Seconds before the newest state. */
function chart(name: string, unit: string, lines: (c: Colours) => Line[]): { box: HTMLElement; draw: () => void } {
  const legend = h("p", { class: "lead legend" });
  const canvas = h("div", { class: "chart live-chart", role: "img", "aria-label": name });
  const box = h("figure", { class: "live-figure" }, h("h3", {}, name), legend, canvas);
  let drawn: EChartsType | null = null;
  const options = (c: Colours) => {
    const now = history.states[history.states.length - 1]?.seconds ?? 0;
    const shown = lines(c);
    const stretch = { from: Math.max(0, now - 600), to: Math.max(10, now) };
    const ticks = time_ticks(stretch, 600, canvas.clientWidth < 400 ? 4 : 6);
    const custom = { customValues: ticks.values };
    legend.replaceChildren(...shown.map((l) => {
      const last = l.data[l.data.length - 1]?.[1] ?? null;
      return h("span", { class: "live-key" }, h("i", { style: `background:${l.colour}` }), `${l.name} ${last === null ? "–" : short_number(last)} ${unit}`);
    }));
    return {
      animation: false, textStyle: { fontFamily: font() },
      grid: { left: 52, right: 12, top: 12, bottom: 34 },
      xAxis: {
        type: "value", min: stretch.from, max: stretch.to, name: "min:s since the start", nameLocation: "middle", nameGap: 22,
        nameTextStyle: { color: c.muted, fontSize: 12 }, axisTick: { show: false, ...custom }, axisLabel: { color: c.muted, fontSize: 11, formatter: ticks.label, ...custom }, splitLine: { show: false }, axisLine: { lineStyle: { color: c.rule } },
      },
      yAxis: { type: "value", min: 0, axisLabel: { color: c.muted, fontSize: 11, formatter: (v: number) => short_number(v) }, splitNumber: 4, splitLine: { lineStyle: { color: c.grid } } },
      series: shown.map((l) => ({ type: "line", name: l.name, silent: true, showSymbol: l.data.length < 2, symbolSize: 4, connectNulls: false, data: l.data, lineStyle: { color: l.colour, width: l.dashed ? 1 : 1.8, type: l.dashed ? [5, 4] : "solid" }, itemStyle: { color: l.colour } })),
    };
  };
  return {
    box,
    draw: () => {
      drawn ??= live_chart(canvas, (target) => target.setOption(options(colours()), true));
      drawn.setOption(options(colours()), true);
    },
  };
}

const palette = (c: Colours) => [c.blue, c.choice, c.oracle, c.simulated];
const hue = (c: Colours, i: number) => palette(c)[i % 4]!;

function charts(state: LiveState): { box: HTMLElement; draw: () => void }[] {
  const services = state.services.map((s, i) => ({ name: s.name, i }));
  const all = services.map(({ name, i }) => chart(`Latency of ${name} since the start`, "ms", (c) => [
    { name: "median", colour: c.blue, data: history.values((s) => s.services[i]!.p50_ms) },
    { name: "99th percentile", colour: c.choice, data: history.values((s) => s.services[i]!.p99_ms) },
    { name: "budget", colour: c.limit, dashed: true, data: history.values((s) => s.services[i]!.budget_ms) },
  ]));
  all.push(chart("Answers", "/s", (c) => services.map(({ name, i }) => ({ name, colour: hue(c, i), data: history.rates((s) => s.services[i]!.answered) }))));
  all.push(chart("Waiting requests", "", (c) => services.map(({ name, i }) => ({ name, colour: hue(c, i), data: history.values((s) => s.services[i]!.waiting) }))));
  if (state.trainings.length > 0) all.push(chart("Training", "minibatches/s", (c) => state.trainings.map((t, i) => ({ name: t.name, colour: hue(c, i), data: history.rates((s) => s.trainings[i]!.minibatches) }))));
  if (state.power_w !== null) all.push(chart("Power", "W", (c) => [{ name: "board", colour: c.blue, data: history.values((s) => s.power_w) }]));
  return all;
}

const share = (part: number, whole: number) => (whole > 0 ? `${number((100 * part) / whole, 2)} %` : "–");

function figures(state: LiveState): HTMLElement[] {
  const figure = (label: string, value: string, note: string) => h("div", { class: "figure" }, h("div", { class: "figure-label" }, label), h("div", { class: "figure-value" }, value), h("div", { class: "spread" }, note));
  return [
    ...state.services.map((s) => figure(`${s.name}, served since the start`, `${short_number(s.answered, 6)}`, `answered; late ${s.late} (${share(s.late, s.answered)}), refused ${s.refused}${s.failed > 0 ? `, failed ${s.failed}` : ""}`)),
    ...state.trainings.map((t) => figure(`${t.name}, trained since the start`, `${short_number(t.minibatches, 6)}`, "minibatches")),
    figure("power", state.power_w === null ? "–" : `${short_number(state.power_w)} W`, state.power_w === null ? "no sensor" : "of the board"),
    figure("plans made anew", String(state.replans), `${state.switches} changes of mode`),
  ];
}

/** A field for the server's token, which is hidden until it is asked for. */
function token_field(): { box: HTMLElement; ask: () => Promise<string> } {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", required: "" });
  const box = h("form", { class: "token", hidden: "" }, h("label", { for: "token" }, "Token"), field, h("button", { type: "submit" }, "Show"));
  const ask = () => new Promise<string>((given) => {
    box.hidden = false;
    field.value = "";
    field.focus();
    box.onsubmit = (event) => {
      event.preventDefault();
      box.hidden = true;
      given(field.value.trim());
    };
  });
  return { box, ask };
}

function start(): void {
  start_theme();
  const page = document.getElementById("page")!;
  const told = h("p", { class: "told", role: "status" });
  const token = token_field();
  const strip = h("div", { class: "figures" });
  const grid = h("div", { class: "live-grid" });
  page.replaceChildren(header("live"), h("main", {}, section("live", "Serving and training in turns", "", told, token.box, strip, grid)));
  let drawn: { box: HTMLElement; draw: () => void }[] = [];
  let kind = "";
  const tell = (connected: boolean) => {
    const { text, kind } = connection_words(history.states[history.states.length - 1] ?? null, connected);
    told.textContent = text;
    told.dataset["state"] = kind;
    page.classList.toggle("stale", kind === "lost" || kind === "ended");
  };
  let drawing = false;
  const draw = () => {
    drawing = false;
    const state = history.states[history.states.length - 1]!;
    strip.replaceChildren(...figures(state));
    strip.dataset["states"] = String(history.states.length);
    const shape = JSON.stringify([state.services.map((s) => s.name), state.trainings.map((t) => t.name), state.power_w === null]);
    if (shape !== kind) {
      kind = shape;
      drawn = charts(state);
      grid.replaceChildren(...drawn.map((d) => d.box));
    }
    for (const one of drawn) one.draw();
  };
  tell(false);
  void listen("/events", {
    opened: () => tell(true),
    told: (data) => {
      history.add(JSON.parse(data) as LiveState);
      tell(true);
      if (!drawing) requestAnimationFrame(draw); // once for all that came at once
      drawing = true;
    },
    lost: () => tell(false),
    token: (wrong) => {
      told.textContent = token_words(wrong);
      told.dataset["state"] = "token";
      return token.ask();
    },
  });
}

start();
