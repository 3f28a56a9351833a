// A record over time: lanes of power and of what else was read, on one axis that zooms.
import { columns_of, draw_lane, first_from, record_margin, trace_colour, type Trace } from "../charts/record.ts";
import { chip, h, section } from "../dom.ts";
import { duration, number, plural, with_unit } from "../format.ts";
import type { Recorded, Sheet } from "../sheets/sheet.ts";
import { colours, font, on_theme } from "../theme.ts";
import { moved, time_step, time_words, within, zoomed, type Stretch } from "../timespan.ts";

const most_traces = 8; // of a lane: more cannot be told apart

interface Lane { title: string; unit: string; traces: Trace[]; more: number; from_zero: boolean }

/** What is shown of a record, and who draws it. */
class View {
  stretch: Stretch;
  private readonly listeners: (() => void)[] = [];
  private frame = 0;
  constructor(readonly record: Recorded) {
    this.stretch = { from: record.from, to: record.to };
  }
  get whole(): boolean { return this.stretch.to - this.stretch.from >= (this.record.to - this.record.from) * 0.9999; }
  set(stretch: Stretch): void {
    const { from, to, width_s } = this.record;
    const inside = within(to - from, Math.min(to - from, 8 * width_s), { from: stretch.from - from, to: stretch.to - from });
    this.stretch = { from: inside.from + from, to: inside.to + from };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.listeners.forEach((listener) => listener()));
  }
  reset(): void { this.set({ from: this.record.from, to: this.record.to }); }
  on_change(listener: () => void): void { this.listeners.push(listener); }
  words(at: number): string { return time_words(at, time_step(this.stretch.to - this.stretch.from, 400), this.record.to); }
}

const titles: Record<string, string> = { W: "Power", MHz: "Clocks", C: "Temperatures", "%": "Load", "s/s": "Busy, seconds a second", B: "Memory", "B/s": "Disk" };
const order = ["W", "MHz", "%", "s/s", "C", "B", "B/s"];

/** Traces of one unit are one lane. */
function lanes_of(record: Recorded): Lane[] {
  const all = [...record.power, ...record.others].filter((t) => t.time.length > 0);
  const rank = (unit: string) => (order.includes(unit) ? order.indexOf(unit) : order.length);
  const units = [...new Set(all.map((t) => t.unit))].sort((a, b) => rank(a) - rank(b));
  return units.map((unit) => {
    const traces = all.filter((t) => t.unit === unit);
    return { title: titles[unit] ?? "Others", unit, traces: traces.slice(0, most_traces), more: Math.max(0, traces.length - most_traces), from_zero: unit !== "MHz" && unit !== "C" };
  });
}

/** The value of a trace at a time; "" where nothing was measured. */
function value_words(trace: Trace, at: number): string {
  const i = first_from(trace.time, at + 1e-9) - 1;
  if (i < 0 || at - trace.time[i]! > trace.gap(trace.time[i]!)) return "–";
  const [least, most] = [trace.least[i]!, trace.most[i]!];
  return with_unit(trace.mean[i]!, trace.unit) + (least < most ? ` (${number(least, 4)} to ${number(most, 4)})` : "");
}

function lane_figure(lane: Lane, view: View): HTMLElement {
  const canvas = h("canvas", { class: "record-lane", role: "img" });
  const legend = h("p", { class: "lane-legend" });
  const keys = lane.traces.map((trace) => ({ trace, mark: h("i", {}), value: h("span", {}) }));
  legend.append(...keys.map(({ trace, mark, value }) => h("span", { class: "lane-key" }, mark, trace.name, " ", value)));
  if (lane.more > 0) legend.append(h("span", { class: "lane-key" }, `and ${plural(lane.more, "other")}: \`flyball export\` has all`));
  const draw = () => {
    const c = colours();
    keys.forEach(({ mark }, i) => { mark.style.borderTop = `3px solid ${trace_colour(c, i)}`; });
    const marks = view.record.marks.map((m) => m.time_s);
    canvas.dataset["columns"] = String(draw_lane(canvas, lane.traces, view.stretch, view.record.to, marks, lane.from_zero, c, font()));
    canvas.setAttribute("aria-label", `${lane.title} in ${lane.unit}, ${view.words(view.stretch.from)} to ${view.words(view.stretch.to)}`);
  };
  const at = (event: PointerEvent): number => {
    const { left, width } = canvas.getBoundingClientRect();
    const share = (event.clientX - left - record_margin.left) / (width - record_margin.left - record_margin.right);
    return view.stretch.from + Math.min(1, Math.max(0, share)) * (view.stretch.to - view.stretch.from);
  };
  canvas.addEventListener("pointermove", (event) => keys.forEach(({ trace, value }) => { value.textContent = value_words(trace, at(event)); }));
  canvas.addEventListener("pointerleave", () => keys.forEach(({ value }) => { value.textContent = ""; }));
  attach_brush(canvas, view, at);
  new ResizeObserver(draw).observe(canvas);
  on_theme(draw);
  view.on_change(draw);
  return h("figure", { class: "lane", "data-lane": lane.unit }, h("div", { class: "lane-head" }, h("h3", {}, lane.title, h("small", {}, ` ${lane.unit}`)), legend), canvas);
}

/** Drag to zoom, Shift and drag to move, twice to see all; wheel with Ctrl. */
function attach_brush(canvas: HTMLCanvasElement, view: View, at: (event: PointerEvent) => number): void {
  let begun: { from: number; x: number; stretch: Stretch } | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    begun = { from: at(event), x: event.clientX, stretch: view.stretch };
    if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!begun || !(event.shiftKey || event.pointerType !== "mouse")) return;
    const per_pixel = (view.stretch.to - view.stretch.from) / Math.max(1, canvas.clientWidth - record_margin.left - record_margin.right);
    view.set(moved(begun.stretch, -(event.clientX - begun.x) * per_pixel));
  });
  canvas.addEventListener("pointerup", (event) => {
    const start = begun;
    begun = null;
    if (!start || event.shiftKey || event.pointerType !== "mouse" || Math.abs(event.clientX - start.x) < 4) return;
    const end = at(event);
    view.set({ from: Math.min(start.from, end), to: Math.max(start.from, end) });
  });
  canvas.addEventListener("pointercancel", () => { begun = null; });
  canvas.addEventListener("dblclick", () => view.reset());
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    view.set(zoomed(view.stretch, Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))), at(event as unknown as PointerEvent)));
  }, { passive: false });
}

function controls(view: View): HTMLElement {
  const button = (text: string, label: string, act: () => void) => h("button", { type: "button", class: "plain", "aria-label": label, onclick: act }, text);
  const words = h("output", { class: "record-stretch", "aria-live": "polite" });
  const finest = h("span", { class: "caption" });
  const tell = () => {
    const { from, to } = view.stretch;
    words.textContent = `${view.words(from)} to ${view.words(to)} (${duration(to - from)})`;
    const { power, others, width_s } = view.record;
    const finer = [...power, ...others].some((trace) => trace.interval < 0.9 * width_s);
    const room = columns_of(view.record.power[0] ?? view.record.others[0]!, view.stretch, 1e9).length;
    finest.textContent = room < 60 && finer ? ` One value stands for ${duration(view.record.width_s)}: \`flyball report ${view.record.file} --from … --to …\` shows this stretch finer.` : "";
  };
  tell();
  view.on_change(tell);
  const { from, to } = view.record;
  const quarter = () => 0.25 * (view.stretch.to - view.stretch.from);
  return h("div", { class: "record-controls" },
    button("−", "Zoom out", () => view.set(zoomed(view.stretch, 2))), button("+", "Zoom in", () => view.set(zoomed(view.stretch, 0.5))),
    button("‹", "Earlier", () => view.set(moved(view.stretch, -quarter()))), button("›", "Later", () => view.set(moved(view.stretch, quarter()))),
    button("All", `All of it, ${duration(to - from)}`, () => view.reset()), words, finest);
}

/** Marks as buttons that show what follows. */
function marks_list(view: View): HTMLElement | null {
  const { marks } = view.record;
  if (marks.length === 0) return null;
  const show = (i: number) => view.set({ from: marks[i]!.time_s, to: marks[i + 1]?.time_s ?? view.record.to });
  const shown = marks.slice(0, 60);
  return h("p", { class: "record-marks" }, "Marks: ", ...shown.map((m, i) => h("button", { type: "button", class: "plain", onclick: () => show(i) }, `${view.words(m.time_s)} ${m.name}`)),
    marks.length > shown.length && ` and ${marks.length - shown.length} more`);
}

export function record_section(report: Sheet): HTMLElement | null {
  const { record } = report;
  if (!record || record.power.length + record.others.length === 0) return null;
  const lanes = lanes_of(record);
  if (lanes.length === 0) return null;
  const view = new View(record);
  const box = section("record", "Over time", "Lines are means, the bands behind them reach from the least to the largest value. Drag over a lane to zoom, twice to see all.",
    record.simulated && chip("simulated"), controls(view), marks_list(view), ...lanes.map((lane) => lane_figure(lane, view)));
  box.tabIndex = 0;
  box.addEventListener("keydown", (event) => {
    const step = 0.1 * (view.stretch.to - view.stretch.from);
    const wanted: Record<string, () => void> = {
      ArrowLeft: () => view.set(moved(view.stretch, -step)), ArrowRight: () => view.set(moved(view.stretch, step)),
      "+": () => view.set(zoomed(view.stretch, 0.5)), "=": () => view.set(zoomed(view.stretch, 0.5)), "-": () => view.set(zoomed(view.stretch, 2)), "0": () => view.reset(), Escape: () => view.reset(),
    };
    const act = wanted[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  return box;
}
