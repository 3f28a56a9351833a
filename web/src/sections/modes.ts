// The power mode over time, and the new plans with their reasons.
import { margin } from "../charts/serving.ts";
import { h } from "../dom.ts";
import { zoomed } from "../timespan.ts";
import type { ShownSpan } from "./shown_span.ts";
import type { Serving } from "../sheets/sheet.ts";

const most_listed = 40;

/** Plans within the stretch; those that would lie on each other are one mark. */
function marks_of(replans: Serving["replans"], from: number, to: number, width: number): { first: number; last: number }[] {
  const near = ((to - from) / Math.max(1, width)) * 30;
  const marks: { first: number; last: number }[] = [];
  replans.forEach((r, i) => {
    if (r.at_s < from || r.at_s > to) return;
    const before = marks[marks.length - 1];
    if (before && r.at_s - replans[before.first]!.at_s < near) before.last = i;
    else marks.push({ first: i, last: i });
  });
  return marks;
}

export function mode_band(shown: ShownSpan): HTMLElement {
  const { modes } = shown.serving.timeline;
  const { replans, seconds } = shown.serving;
  const band = h("div", { class: `mode-band${replans.length > 0 ? " with-plans" : ""}`, style: `margin-left: ${margin.left}px; margin-right: ${margin.right}px` });
  const draw = () => {
    const { from, to } = shown.stretch;
    const part = (s: number) => (100 * (s - from)) / (to - from);
    const names = [...new Set(modes.map((m) => m.mode))];
    const segments = modes.flatMap((m, i) => {
      const [begin, end] = [Math.max(from, m.at_s ?? 0), Math.min(to, modes[i + 1]?.at_s ?? seconds)];
      return end <= begin ? [] : [h("div", { class: `mode mode-${names.indexOf(m.mode) % 4}`, style: `left: ${part(begin)}%; width: ${part(end) - part(begin)}%`, title: m.mode }, h("span", {}, m.mode))];
    });
    band.replaceChildren(...segments, ...marks_of(replans, from, to, band.clientWidth).map(({ first, last }) =>
      h("i", { class: "replan-mark", style: `left: ${part(replans[first]!.at_s)}%`, title: replans.slice(first, last + 1).map((r) => r.why).join("; ") }, first === last ? String(first + 1) : `${first + 1}–${last + 1}`)));
  };
  shown.on_change(draw);
  new ResizeObserver(draw).observe(band);
  const list = replans.slice(0, most_listed).map((r) => h("li", {},
    h("button", { type: "button", class: "to-chart", onclick: () => shown.set(zoomed({ from: r.at_s - seconds / 40, to: r.at_s + seconds / 40 }, 1)) }, shown.words(r.at_s)),
    ` ${r.why}: batches of ${r.batch} at most, ${r.switched ? `mode changed to ${r.mode}` : "the mode stays"}`));
  const words = modes.length === 0 ? "The power mode stayed as it was." : modes.length === 1 && replans.length === 0 ? "One mode and one plan for the whole run." : "";
  return h("figure", { class: "lane", "data-lane": "modes" }, h("div", { class: "lane-head" }, h("h3", {}, "Mode and plans")),
    modes.length + replans.length > 0 && band,
    words !== "" && h("p", { class: "caption" }, words),
    list.length > 0 && h("ol", { class: "replan-list" }, ...list),
    replans.length > most_listed && h("p", { class: "caption" }, `and ${replans.length - most_listed} more, in the table below`));
}
