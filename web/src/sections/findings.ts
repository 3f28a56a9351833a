// What an experiment shows, in words.
import { chip, h } from "../dom.ts";
import type { ExperimentView } from "../view.ts";

export function findings_section(report: ExperimentView): HTMLElement {
  const mark = (as_expected: boolean | null) => (as_expected === null ? "note" : as_expected ? "holds" : "differs");
  const words = { holds: "as the published study found", differs: "other than the published study found", note: "" } as const;
  return h("section", { class: "answer findings", "aria-label": "findings" },
    h("p", { class: "eyebrow" }, report.subject),
    h("h1", {}, report.title),
    report.groups.some((g) => g.doubts !== null) && h("p", { class: "doubt" }, chip("some figures deserve doubt", "warn")),
    h("ul", { class: "finding-list" }, ...report.findings.map((f) => {
      const kind = mark(f.as_expected);
      return h("li", { class: kind }, h("p", {}, f.text, words[kind] !== "" && h("small", {}, ` ${words[kind]}`)));
    })));
}
