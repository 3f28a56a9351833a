// How to set the answer: what to add, what to type, what to copy.
import type { ApplyStep } from "../contract.ts";
import { code_box } from "../code.ts";
import { h, section } from "../dom.ts";

const step = ({ title, text, code }: ApplyStep): HTMLElement => h("li", {}, h("h3", {}, title), h("p", { class: "hint" }, text), code !== undefined && code_box(title, code));

export function apply_section(report: { apply?: ApplyStep[] }): HTMLElement | null {
  const steps = report.apply ?? [];
  return steps.length === 0 ? null : section("apply", "How to apply it", "", h("ol", { class: "apply-steps" }, ...steps.map(step)));
}
