// Bars with their words: what is compared, in groups, and what was published or measured elsewhere beneath it.
import { meter_scale, type MeterScale } from "../charts/meters.ts";
import { h, section } from "../dom.ts";
import type { SheetMeter, SheetMeters } from "../view.ts";
import type { Sheet } from "../sheets/sheet.ts";

function bar(value: number, scale: MeterScale, look: string): HTMLElement {
  const { left, width } = scale.bar(value);
  const element = h("i", { class: look });
  element.style.left = `${left}%`;
  element.style.width = `${width}%`;
  return element;
}

function meter(m: SheetMeter, scale: MeterScale, look: (series: string) => string): HTMLElement {
  const beside = m.beside ?? [];
  const track = h("div", { class: "meter-track", "aria-hidden": "true" });
  const line = (at: number, look: string) => {
    const element = h("i", { class: look });
    element.style.left = `${at}%`;
    track.append(element);
  };
  for (const at of scale.decades) line(at, "meter-line");
  if (scale.origin > 0) line(scale.origin, "meter-line meter-origin");
  if (m.value !== null) track.append(h("div", {}, bar(m.value, scale, look(m.series))));
  for (const other of beside) track.append(h("div", { class: "thin" }, bar(other.value, scale, look(other.series))));
  return h("li", { class: m.marked ? "meter is-choice" : "meter" },
    h("span", { class: "meter-label" }, m.label), track,
    h("span", { class: "meter-words" }, h("b", {}, m.words), m.remark && h("small", {}, m.remark), ...beside.map((o) => h("small", {}, o.words))));
}

function section_of(meters: SheetMeters): HTMLElement {
  const scale = meter_scale(meters);
  const bars = meters.groups.flatMap((g) => g.bars);
  const series = [...new Set([...bars.filter((b) => b.value !== null).map((b) => b.series), ...bars.flatMap((b) => (b.beside ?? []).map((o) => o.series))])];
  const look = (name: string) => `series-${series.indexOf(name) % 5}`;
  const legend = series.length > 1 && h("ul", { class: "legend", "aria-label": "Legend" }, ...series.map((name) => h("li", {}, h("i", { class: `swatch ${look(name)}` }), name)));
  const lead = [meters.text, scale.log ? `Lengths are logarithmic${scale.decades.length > 1 ? ": from line to line ten times as much" : ""}.` : ""].filter(Boolean).join(" ");
  const brief = bars.every((b) => b.label.length < 16 && b.beside === undefined);
  return section("meters-section", meters.title, lead, legend, h("div", { class: brief ? "meter-groups brief" : "meter-groups" }, ...meters.groups.map((g) => h("div", { class: "meter-group" },
    g.label !== "" && h("h3", {}, g.label),
    h("ul", { class: "meters", "aria-label": g.label || meters.title }, ...g.bars.map((b) => meter(b, scale, look)))))));
}

export const sheet_meters = (report: Sheet): HTMLElement[] => (report.meters ?? []).filter((m) => m.groups.some((g) => g.bars.some((b) => b.value !== null))).map(section_of);
