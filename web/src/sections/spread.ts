// How equal minibatches differ: violins.
import { build_violins, violins_of } from "../charts/violins.ts";
import { live_chart } from "../charts/echarts.ts";
import { h, section } from "../dom.ts";
import { with_unit } from "../format.ts";
import { colours, font } from "../theme.ts";
import type { ExperimentView } from "../view.ts";

export function spread_section(report: ExperimentView): HTMLElement | null {
  const violins = violins_of(report.groups);
  if (violins.length === 0) return null;
  const words = violins.map((v) => `${v.label}: median ${with_unit(v.median, "ms")}, half of them from ${with_unit(v.q1, "ms")} to ${with_unit(v.q3, "ms")}`).join("; ");
  const canvas = h("div", { class: "chart violins", role: "img", "data-violins": violins.length, "aria-label": words });
  const chart = live_chart(canvas, () => chart.setOption(build_violins(violins, colours(), font(), canvas.clientWidth), true));
  return section("spread-section", "How much minibatches differ", "End-to-end time of the minibatches of epochs 1 and later (of epoch 0 where there is no other), from the 2nd to the 98th percentile; the box holds the middle half, the dot is the median.", canvas);
}
