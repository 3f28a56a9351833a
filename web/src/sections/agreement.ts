// How far the predictor can be trusted here: predicted against observed, with the error over what it had not seen.
import { build_agreement } from "../charts/agreement.ts";
import { live_chart } from "../charts/echarts.ts";
import { h, section } from "../dom.ts";
import { number, plural } from "../format.ts";
import { accuracy } from "../stats.ts";
import { colours, font } from "../theme.ts";
import type { Pair, TuneReport } from "../view.ts";

const units = { time: "ms", power: "W", energy: "J" } as const;

function summary(pairs: Pair[]): string {
  const a = accuracy(pairs);
  if (!a) return `All ${plural(pairs.length, "trial was", "trials were")} part of the fit.`;
  const covered = a.coverage === null ? "" : `; ${Math.round(a.coverage * a.count)} of ${a.count} inside the interval`;
  return `Mean error ${number(a.mape, 2)}\u202f% over ${plural(a.count, "trial")} predicted before being measured${covered}.`;
}

function panel(quantity: keyof typeof units, pairs: Pair[]): HTMLElement {
  const canvas = h("div", { class: "chart agreement", role: "img", "data-pairs": pairs.length });
  const text = summary(pairs);
  const name = quantity.charAt(0).toUpperCase() + quantity.slice(1);
  canvas.setAttribute("aria-label", `Predicted against observed ${quantity}. ${text}`);
  const chart = live_chart(canvas, draw);
  function draw() {
    chart.setOption(build_agreement(pairs, units[quantity], colours(), font()).option, true);
  }
  return h("figure", { class: "panel" }, h("h3", {}, name), canvas, h("figcaption", { class: "caption" }, text));
}

export function agreement_section(report: TuneReport): HTMLElement | null {
  const pairs = report.pairs ?? [];
  if (pairs.length === 0) return null;
  const panels = (["time", "power", "energy"] as const).flatMap((q) => {
    const mine = pairs.filter((p) => p.quantity === q);
    return mine.length > 0 ? [panel(q, mine)] : [];
  });
  const interval = report.run.intervals.predicted;
  return section("agreement-section", "Predicted against observed",
    `Filled points were predicted before they were measured, hollow ones were part of the fit; on the dashed line both agree.${interval ? ` Bars: ${interval}.` : ""}`,
    h("div", { class: "panels" }, ...panels));
}
