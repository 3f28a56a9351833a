import { chip, h } from "../dom.ts";
import { axis_label, axis_value, interval, value_of, with_unit } from "../format.ts";
import type { Measure } from "../measures.ts";
import type { TuneReport } from "../view.ts";

/** Names a configuration bears: "profiled 3", "choice", "default", "Pareto front". */
export function roles(report: TuneReport, index: number, numbers: Map<number, string>): string[] {
  const found: string[] = [];
  if (report.choice?.configuration === index) found.push("choice");
  if (report.default?.configuration === index) found.push(`default: ${report.default.name}`);
  if (!report.choice && report.infeasible?.closest === index) found.push("closest to the budgets");
  if (report.oracle?.raw === index) found.push("raw optimum");
  if (report.oracle?.robust === index) found.push("robust optimum");
  if (numbers.has(index)) found.push(`profiled ${numbers.get(index)}`);
  if (report.configurations[index]!.front) found.push("Pareto front");
  return found;
}

/** What hovering a configuration shows. */
export function configuration_card(report: TuneReport, index: number, measures: Measure[], numbers: Map<number, string>): HTMLElement {
  const c = report.configurations[index]!;
  const names = roles(report, index, numbers);
  const quantities = measures.flatMap((m) => {
    const q = m.of(c);
    if (q === null) return [];
    return [h("dt", {}, m.label), h("dd", {}, h("b", {}, with_unit(value_of(q), m.unit)), h("i", {}, interval(q, m.unit)))];
  });
  const settings = report.axes.flatMap((axis, i) => [h("dt", {}, axis_label(axis)), h("dd", {}, axis_value(axis, c.config[i]!))]);
  return h("div", { class: "card" },
    h("p", { class: "card-head" }, h("span", {}, names.length > 0 ? names.join(" · ") : "configuration"), chip(c.provenance)),
    h("dl", { class: "quantities" }, ...quantities),
    h("dl", { class: "settings" }, ...settings));
}
