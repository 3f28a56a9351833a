// What was served and trained when: lanes over one time axis that can be zoomed down to single minibatches.
import { live_chart, type EChartsType } from "../charts/echarts.ts";
import { bins_of, build_lane, has_power, lanes_of, margin, mean_batch, mean_of, sum, track_colour, type Lane } from "../charts/serving.ts";
import { draw_spans, row_height, rows_of, span_at, spans_from, track_words } from "../charts/spans.ts";
import { chip, h, section } from "../dom.ts";
import { duration, number, plural, short_number, with_unit } from "../format.ts";
import { colours, font, on_theme } from "../theme.ts";
import { moved, time_words, zoomed, type Stretch } from "../timespan.ts";
import { mode_band } from "./modes.ts";
import { ShownSpan } from "./shown_span.ts";
import type { Serving, Sheet } from "../sheets/sheet.ts";

const style_of = (kind: string) => ({ line: "2px solid", thin: "1px solid", dashed: "2px dashed", area: "10px solid", bars: "10px solid", dots: "5px dotted" })[kind]!;

function lane_figure(lane: Lane, shown: ShownSpan): HTMLElement {
  const { serving } = shown;
  const canvas = h("div", { class: "chart lane-chart", role: "img" });
  const legend = h("p", { class: "lane-legend" });
  let chart: EChartsType | null = null;
  const draw = () => {
    if (canvas.clientWidth === 0 || !chart) return;
    const bins = bins_of(serving.timeline, serving.seconds, shown.stretch, canvas.clientWidth < 500 ? 110 : 260);
    const c = colours();
    const lines = lane.lines(c, bins, shown.stretch);
    chart.setOption(build_lane(lane, lines, shown.stretch, serving.seconds, c, font(), canvas.clientWidth), true);
    canvas.dataset["lines"] = JSON.stringify(lines.map((l) => [l.name, l.data.length]));
    legend.replaceChildren(...lines.map((l) => h("span", { class: "lane-key" }, h("i", { style: `border-top: ${style_of(l.kind)} ${l.colour}` }), l.name)));
    canvas.setAttribute("aria-label", `${lane.title} in ${lane.unit}, ${shown.words(shown.stretch.from)} to ${shown.words(shown.stretch.to)}`);
  };
  requestAnimationFrame(() => {
    chart = live_chart(canvas, draw);
    draw();
  });
  shown.on_change(draw);
  return h("figure", { class: "lane", "data-lane": lane.key }, h("div", { class: "lane-head" }, h("h3", {}, lane.title, h("small", {}, ` ${lane.unit}`)), legend), canvas);
}

function spans_figure(shown: ShownSpan): HTMLElement {
  const { serving } = shown;
  const rows = rows_of(serving);
  const canvas = h("canvas", { class: "spans", role: "img", "aria-label": "What ran when" });
  canvas.style.height = `${rows.length * row_height}px`;
  const names = h("ul", { class: "lane-legend" });
  const note = h("p", { class: "caption span-note" });
  const since = spans_from(serving);
  const draw = () => {
    const c = colours();
    const drawn = draw_spans(canvas, serving, shown.stretch, c, font());
    canvas.dataset["drawn"] = String(drawn);
    names.replaceChildren(...rows.map((t) => h("li", { class: "lane-key" }, h("i", { style: `border-top: 10px solid ${track_colour(c, serving, t)}` }), track_words(serving, t))));
    note.textContent = serving.spans.track.length === 0 ? "Nothing ran." :
      shown.stretch.from < since ? `One by one only the last ${plural(serving.spans.track.length, "minibatch", "minibatches")} are kept, from ${shown.words(since)} on (--trace keeps more).` :
        drawn > 400 ? `${plural(drawn, "minibatch", "minibatches")} are shown: zoom in until they stand apart.` : `${plural(drawn, "minibatch", "minibatches")}; the number in one that served is its batch.`;
  };
  new ResizeObserver(draw).observe(canvas);
  on_theme(draw);
  shown.on_change(draw);
  return h("figure", { class: "lane", "data-lane": "spans" }, h("div", { class: "lane-head" }, h("h3", {}, "Single minibatches"), names), canvas, note);
}

type Row = [label: string, value: string];

/** What is known of a moment. */
function card(shown: ShownSpan, seconds: number, slack: number): HTMLElement {
  const { serving } = shown;
  const t = serving.timeline;
  const i = Math.min(t.windows - 1, Math.max(0, Math.floor(seconds / t.window_s)));
  const bin = { first: i, end: i + 1, from: i * t.window_s, to: Math.min(serving.seconds, (i + 1) * t.window_s) };
  const length = bin.to - bin.from;
  const ms = (v: number | null | undefined) => (v == null ? "–" : with_unit(v, "ms"));
  const rows: Row[] = [];
  t.services.forEach((s) => {
    const of = t.services.length > 1 ? ` of ${s.name}` : "";
    rows.push([`latency${of}: median, p99, longest`, `${ms(s.p50_ms[i])}, ${ms(s.p99_ms[i])}, ${ms(s.max_ms[i])}`]);
    rows.push([`requests${of}`, `${short_number(sum(s.arrived, bin) / length)} per second${s.late[i]! + s.refused[i]! + s.failed[i]! > 0 ? `; ${s.late[i]} late, ${s.refused[i]} refused${s.failed[i]! > 0 ? `, ${s.failed[i]} failed` : ""}` : ""}`]);
    const batch = mean_batch(s.batches, s.mean_batch, bin);
    if (batch !== null) rows.push([`mean batch${of}`, short_number(batch)]);
  });
  t.training.forEach((one) => rows.push([`minibatches of ${one.name}`, `${short_number(one.minibatches[i]! / length)} per second`]));
  const serves = t.services.reduce((all, s) => all + s.busy[i]!, 0);
  const trains = t.training.reduce((all, one) => all + one.busy[i]!, 0);
  rows.push(["serving, training", `${number(100 * serves, 2)}, ${number(100 * trains, 2)}\u202f%`]);
  const power = mean_of(t.power_w, bin, t.window_s);
  if (power !== null) rows.push(["power", with_unit(power, "W")]);
  const mode = [...t.modes].reverse().find((m) => (m.at_s ?? 0) <= seconds);
  if (mode) rows.push(["mode", mode.mode]);
  const span = span_at(serving, seconds, slack);
  const { spans } = serving;
  const single: Row[] = span < 0 ? [] : [[track_words(serving, spans.track[span]!), `${spans.samples[span]! > 0 ? `batch of ${spans.samples[span]}, ` : ""}${duration(spans.length_us[span]! / 1e6)}${spans.longest_us[span]! > 0 ? `; longest latency ${ms(spans.longest_us[span]! / 1e3)}` : ""}`]];
  const list = (all: Row[], kind: string) => h("dl", { class: kind }, ...all.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, h("b", {}, value))]));
  return h("div", { class: "card" },
    h("p", { class: "card-head" }, h("span", {}, shown.words(seconds)), serving.simulated && chip("simulated")),
    single.length > 0 && list(single, "quantities"),
    h("p", { class: "moment-window" }, t.windows > 0 ? `in the ${duration(length)} from ${time_words(bin.from, t.window_s, serving.seconds)}` : ""),
    list(rows, "quantities"));
}

const seconds_at = (box: HTMLElement, shown: ShownSpan, client_x: number): number => {
  const area = box.getBoundingClientRect();
  const part = (client_x - area.left - margin.left) / (area.width - margin.left - margin.right);
  return shown.stretch.from + Math.min(1, Math.max(0, part)) * (shown.stretch.to - shown.stretch.from);
};
const pixel_of = (box: HTMLElement, shown: ShownSpan, seconds: number): number =>
  margin.left + ((seconds - shown.stretch.from) / (shown.stretch.to - shown.stretch.from)) * (box.clientWidth - margin.left - margin.right);

/** A line through all lanes under the pointer, and a card beside it. */
function attach_moment(box: HTMLElement, shown: ShownSpan): { hide(): void; at(seconds: number, y: number): void } {
  const line = h("div", { class: "moment-line", hidden: true });
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  box.append(line, tip);
  const hide = () => { line.hidden = tip.hidden = true; };
  const at = (seconds: number, y: number) => {
    line.hidden = tip.hidden = false;
    const x = pixel_of(box, shown, seconds);
    line.style.transform = `translateX(${x}px)`;
    tip.replaceChildren(card(shown, seconds, ((shown.stretch.to - shown.stretch.from) / box.clientWidth) * 4));
    const left = x + 16 + tip.offsetWidth <= box.clientWidth ? x + 16 : x - 16 - tip.offsetWidth >= 0 ? x - 16 - tip.offsetWidth : Math.max(0, (box.clientWidth - tip.offsetWidth) / 2);
    tip.style.transform = `translate(${left}px, ${Math.max(0, Math.min(y + 18, box.clientHeight - tip.offsetHeight))}px)`;
  };
  shown.on_change(hide);
  return { hide, at };
}

/** Drag to zoom, Shift and drag to pan, one finger to pan, two to zoom, wheel with Ctrl or where the lanes have the focus. */
function attach_gestures(box: HTMLElement, shown: ShownSpan): void {
  const moment = attach_moment(box, shown);
  const brush = h("div", { class: "brush", hidden: true });
  box.append(brush);
  const pointers = new Map<number, number>();
  let begun: { x: number; stretch: Stretch; pans: boolean; moved: boolean } | null = null;
  const y_of = (event: PointerEvent) => event.clientY - box.getBoundingClientRect().top;
  const per_pixel = () => (shown.stretch.to - shown.stretch.from) / (box.clientWidth - margin.left - margin.right);

  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || (event.target as Element).closest("button")) return;
    pointers.set(event.pointerId, event.clientX);
    begun = { x: event.clientX, stretch: shown.stretch, pans: event.shiftKey || event.pointerType !== "mouse", moved: false };
    if (event.pointerType === "mouse") box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (!begun || !pointers.has(event.pointerId)) {
      if (event.pointerType === "mouse") moment.at(seconds_at(box, shown, event.clientX), y_of(event));
      return;
    }
    const before = pointers.get(event.pointerId)!;
    pointers.set(event.pointerId, event.clientX);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
      const factor = Math.max(8, Math.abs(before - other)) / Math.max(8, Math.abs(event.clientX - other));
      shown.set(zoomed(shown.stretch, factor, seconds_at(box, shown, other)));
      begun.moved = true;
      return;
    }
    const by = event.clientX - begun.x;
    if (Math.abs(by) < 4 && !begun.moved) return;
    begun.moved = true;
    moment.hide();
    if (begun.pans) return shown.set(moved(begun.stretch, -by * per_pixel()));
    const area = box.getBoundingClientRect();
    const [a, b] = [begun.x, event.clientX].map((x) => Math.min(area.width - margin.right, Math.max(margin.left, x - area.left))).sort((p, q) => p - q) as [number, number];
    brush.hidden = false;
    brush.style.transform = `translateX(${a}px)`;
    brush.style.width = `${b - a}px`;
  });
  const end = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    if (!begun || pointers.size > 0) return;
    const { x, pans, moved: has_moved } = begun;
    begun = null;
    brush.hidden = true;
    if (event.type !== "pointerup") return;
    if (!has_moved) return moment.at(seconds_at(box, shown, event.clientX), y_of(event));
    if (pans) return;
    const [from, to] = [seconds_at(box, shown, x), seconds_at(box, shown, event.clientX)].sort((p, q) => p - q) as [number, number];
    shown.set({ from, to });
  };
  box.addEventListener("pointerup", end);
  box.addEventListener("pointercancel", end);
  box.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && !begun) moment.hide(); });
  box.addEventListener("dblclick", (event) => { if (!(event.target as Element).closest("button")) shown.reset(); });
  box.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const zooms = event.ctrlKey || event.metaKey || document.activeElement === box;
    if (!zooms && !(sideways && !shown.whole)) return; // the page scrolls
    event.preventDefault();
    const by = event.deltaX || event.deltaY;
    if (sideways) return shown.set(moved(shown.stretch, by * per_pixel()));
    shown.set(zoomed(shown.stretch, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))), seconds_at(box, shown, event.clientX)));
  }, { passive: false });
  box.addEventListener("blur", () => moment.hide());
  box.addEventListener("keydown", (event) => {
    const { from, to } = shown.stretch;
    const step = (to - from) * (event.shiftKey ? 0.5 : 0.1);
    const next: Record<string, Stretch> = {
      ArrowLeft: moved(shown.stretch, -step), ArrowRight: moved(shown.stretch, step),
      "+": zoomed(shown.stretch, 0.5), "=": zoomed(shown.stretch, 0.5), "-": zoomed(shown.stretch, 2),
      Home: moved(shown.stretch, -from), End: moved(shown.stretch, shown.serving.seconds - to),
      "0": { from: 0, to: shown.serving.seconds }, Escape: { from: 0, to: shown.serving.seconds },
    };
    const wanted = next[event.key];
    if (!wanted || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    shown.set(wanted);
  });
}

/** The whole run in small, with what is shown marked: drag the mark to move it. */
function overview(shown: ShownSpan): HTMLElement {
  const { serving } = shown;
  const canvas = h("canvas", { "aria-hidden": "true" });
  const mark = h("div", { class: "overview-mark" });
  const box = h("div", { class: "overview", "aria-hidden": "true" }, canvas, mark);
  const draw = () => {
    const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio];
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const to = canvas.getContext("2d")!;
    to.setTransform(ratio, 0, 0, ratio, 0, 0);
    const bins = bins_of(serving.timeline, serving.seconds, { from: 0, to: serving.seconds }, 200);
    const rates = bins.map((b) => serving.timeline.services.reduce((n, s) => n + sum(s.arrived, b), 0) / (b.to - b.from));
    const most = Math.max(...rates, 1e-9);
    to.fillStyle = colours().cloud;
    bins.forEach((b, i) => {
      const [left, right] = [b.from, b.to].map((t) => (t / serving.seconds) * width) as [number, number];
      const tall = (rates[i]! / most) * (height - 2);
      to.fillRect(left, height - tall, right - left + 0.5, tall);
    });
  };
  const place = () => {
    const { from, to } = shown.stretch;
    mark.style.left = `${(100 * from) / serving.seconds}%`;
    mark.style.width = `${(100 * (to - from)) / serving.seconds}%`;
    mark.hidden = shown.whole;
  };
  let grip: number | null = null;
  const seconds = (event: PointerEvent) => {
    const area = box.getBoundingClientRect();
    return ((event.clientX - area.left) / area.width) * serving.seconds;
  };
  box.addEventListener("pointerdown", (event) => {
    const [at, { from, to }] = [seconds(event), shown.stretch];
    grip = at >= from && at <= to ? at - from : (to - from) / 2;
    box.setPointerCapture(event.pointerId);
    shown.set(moved(shown.stretch, at - grip - from));
  });
  box.addEventListener("pointermove", (event) => { if (grip !== null) shown.set(moved(shown.stretch, seconds(event) - grip - shown.stretch.from)); });
  for (const type of ["pointerup", "pointercancel"]) box.addEventListener(type, () => { grip = null; });
  new ResizeObserver(draw).observe(canvas);
  on_theme(draw);
  shown.on_change(place);
  place();
  return box;
}

/** The stretch of some forty minibatches about the one whose requests waited longest; of the last ones where none served. */
function single_minibatches(serving: Serving): Stretch | null {
  const { spans } = serving;
  if (spans.track.length === 0) return null;
  let worst = spans.track.length - 1;
  for (let i = 0; i < spans.track.length; i++) if (spans.longest_us[i]! > spans.longest_us[worst]!) worst = i;
  const [first, last] = [Math.max(0, worst - 20), Math.min(spans.track.length - 1, worst + 20)];
  return { from: spans.begin_us[first]! / 1e6, to: (spans.begin_us[last]! + spans.length_us[last]!) / 1e6 };
}

function toolbar(shown: ShownSpan): HTMLElement {
  const { serving } = shown;
  const status = h("p", { class: "stretch", role: "status" });
  const button = (text: string, label: string, act: () => void) => h("button", { type: "button", class: "plain", "aria-label": label, onclick: act }, text);
  const length = () => shown.stretch.to - shown.stretch.from;
  const whole = button("Whole run", "Show the whole run", () => shown.reset());
  const single = single_minibatches(serving);
  const say = () => {
    const { from, to } = shown.stretch;
    status.textContent = shown.whole ? `Whole run: ${duration(serving.seconds)}` : `${shown.words(from)} to ${shown.words(to)}: ${duration(to - from)} of ${duration(serving.seconds)}`;
    whole.disabled = shown.whole;
  };
  shown.on_change(say);
  say();
  return h("div", { class: "time-tools" },
    h("div", { class: "time-buttons" },
      button("+", "Zoom in", () => shown.set(zoomed(shown.stretch, 0.5))), button("−", "Zoom out", () => shown.set(zoomed(shown.stretch, 2))),
      button("←", "Earlier", () => shown.set(moved(shown.stretch, -length() / 4))), button("→", "Later", () => shown.set(moved(shown.stretch, length() / 4))),
      whole, single && button("Longest wait", "Zoom to the minibatches around the longest latency", () => shown.set(single))),
    status);
}

export function serving_section(report: Sheet): HTMLElement | null {
  const { serving } = report;
  if (!serving || !(serving.seconds > 0)) return null;
  const shown = new ShownSpan(serving);
  const box = h("div", { class: "lanes", tabindex: 0, role: "application", "aria-roledescription": "timeline", "aria-label": "Timeline. Arrow keys move, plus and minus zoom, zero shows the whole run." },
    ...lanes_of(serving).map((lane) => lane_figure(lane, shown)), mode_band(shown), spans_figure(shown));
  const tell = () => {
    box.dataset["from"] = String(shown.stretch.from);
    box.dataset["to"] = String(shown.stretch.to);
  };
  tell();
  shown.on_change(tell);
  attach_gestures(box, shown);
  return section("serving-section", "What happened when", "",
    h("p", { class: "lead" }, serving.simulated && "In simulated time. ",
      h("span", { class: "by-mouse" }, "Drag to zoom in, drag with Shift to pan, double-click for the whole run. Ctrl and wheel zooms, after a click the wheel alone; so do the keys + − ← → 0."),
      h("span", { class: "by-touch" }, "Pinch to zoom, swipe to pan, tap for figures.")),
    toolbar(shown), overview(shown), box,
    serving.power_gap === null && !has_power(serving) && h("p", { class: "power-gap" }, h("b", {}, "No power over time: "), "only the mean of the run was taken."),
    serving.power_gap !== null && h("p", { class: "power-gap" }, h("b", {}, has_power(serving) ? "Gaps in power: " : "No power: "), `${serving.power_gap}.`));
}
