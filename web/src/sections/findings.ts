// What an experiment shows, in words.
import type { ExperimentReport } from "../contract.ts";
import { chip, h } from "../dom.ts";
import { list_words } from "../format.ts";

export function findings_section(report: ExperimentReport): HTMLElement {
  const varied = report.varied.length > 0 ? ` · varied: ${list_words(report.varied.map((v) => v.replaceAll("_", " ")))}` : "";
  const phase = report.phase === "train" ? "training" : "inference";
  const mark = (as_expected: boolean | null) => (as_expected === null ? "note" : as_expected ? "holds" : "differs");
  const words = { holds: "as the published study found", differs: "other than the published study found", note: "" } as const;
  return h("section", { class: "answer findings", "aria-label": "findings" },
    h("p", { class: "eyebrow" }, `${report.workload} ${phase} on ${report.machine.name}${varied}`),
    h("h1", {}, report.title),
    report.groups.some((g) => g.doubts !== null) && h("p", { class: "doubt" }, chip("some figures deserve doubt", "warn")),
    h("ul", { class: "finding-list" }, ...report.findings.map((f) => {
      const kind = mark(f.as_expected);
      return h("li", { class: kind }, h("p", {}, f.text, words[kind] !== "" && h("small", {}, ` ${words[kind]}`)));
    })));
}
