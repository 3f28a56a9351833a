// Text to copy: a command, a block of a file.
import { h } from "./dom.ts";

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

/** `name` says what is copied. */
export function code_box(name: string, text: string): HTMLElement {
  const code = h("code", {}, text);
  const button = h("button", { type: "button", class: "plain copy", "aria-label": `Copy: ${name}` }, "Copy");
  button.addEventListener("click", () => void copy(code, button));
  return h("div", { class: "code" }, h("pre", { tabindex: 0 }, code), button);
}
