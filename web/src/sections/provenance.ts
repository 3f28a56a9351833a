// Where the numbers come from: the machine, the run, the versions, and what the intervals mean.
import type { Provenance } from "../contract.ts";
import { chip, h, section } from "../dom.ts";
import { duration, exact, instant } from "../format.ts";
import type { ExperimentView, Fact, TuneReport } from "../view.ts";

function facts(title: string, list: Fact[]): HTMLElement {
  return h("div", { class: "facts" }, h("h3", {}, title), h("dl", {}, ...list.map((f) => h("div", {}, h("dt", {}, f.name), h("dd", {}, f.value)))));
}

export function provenance_section(report: ExperimentView | TuneReport): HTMLElement {
  const { machine, run } = report;
  const command = "configurations" in report ? report.request.command : report.command;
  const watts = "configurations" in report && report.configurations.some((c) => c.power_w != null);
  const run_facts: Fact[] = [
    { name: "Started", value: instant(run.started_at) },
    { name: "Took", value: duration(run.duration_s) },
    { name: "Strategy", value: run.strategy },
    { name: "Predictor", value: run.predictor ?? "none" },
    { name: "Seed", value: exact(run.seed) },
    { name: "Power total", value: run.power_total ?? (watts ? "which rails is not said" : "none: there are no power readings") },
    { name: "Run", value: run.id },
    ...Object.entries(run.versions).map(([name, value]) => ({ name, value })),
  ];
  const intervals = (Object.entries(run.intervals) as [Provenance, string][]).map(([p, text]) => h("li", {}, chip(p), h("span", {}, text)));
  return section("provenance", "Where the numbers come from", "",
    intervals.length > 0 && h("ul", { class: "intervals" }, ...intervals),
    h("div", { class: "fact-columns" },
      facts("Machine", [{ name: "Name", value: machine.name }, { name: "Fingerprint", value: machine.fingerprint }, ...machine.facts]),
      facts("Run", run_facts)),
    h("div", { class: "command" }, h("h3", {}, "Command"), h("pre", { tabindex: 0 }, h("code", {}, command))));
}
