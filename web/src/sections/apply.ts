// How to set the answer: what to add, what to type, what to copy.
import type { ApplyStep } from "../contract.ts";
import { h, section } from "../dom.ts";

/** Copying needs a page that may; from disk some browsers refuse, and then the text is selected. */
async function copy(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = "Copied";
  } catch {
    getSelection()?.selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 1600);
}

function step({ title, text, code }: ApplyStep): HTMLElement {
  const body = code === undefined ? null : h("code", {}, code);
  const button = h("button", { type: "button", class: "plain copy", "aria-label": `Copy: ${title}` }, "Copy");
  button.addEventListener("click", () => { if (body) void copy(body, button); });
  return h("li", {},
    h("h3", {}, title), h("p", { class: "hint" }, text),
    body && h("div", { class: "code" }, h("pre", { tabindex: 0 }, body), button));
}

export function apply_section(report: { apply?: ApplyStep[] }): HTMLElement | null {
  const steps = report.apply ?? [];
  return steps.length === 0 ? null : section("apply", "How to apply it", "", h("ol", { class: "apply-steps" }, ...steps.map(step)));
}
