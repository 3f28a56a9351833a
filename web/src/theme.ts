// Light and dark: the system's wish, a button that overrides it, and always light on paper.
import { h } from "./dom.ts";

const key = "flyball-theme";
const system_dark = matchMedia("(prefers-color-scheme: dark)");
const printing = matchMedia("print");
const listeners = new Set<() => void>();

function remembered(): string | null {
  try {
    return localStorage.getItem(key); // refused for file:// pages in some browsers
  } catch {
    return null;
  }
}

let chosen = remembered();
let on_paper = false;

function current(): "light" | "dark" {
  if (on_paper || printing.matches) return "light";
  if (chosen === "light" || chosen === "dark") return chosen;
  return system_dark.matches ? "dark" : "light";
}

function apply(): void {
  document.documentElement.dataset["theme"] = current();
  for (const listener of listeners) listener();
}

export function start_theme(): void {
  apply();
  const paper = (state: boolean) => () => {
    on_paper = state;
    apply();
  };
  addEventListener("beforeprint", paper(true));
  addEventListener("afterprint", paper(false));
  for (const query of [system_dark, printing]) query.addEventListener("change", apply);
}

/** Called after every change of theme or medium; read colours with `colours`. */
export function on_theme(listener: () => void): void {
  listeners.add(listener);
}

export function theme_button(): HTMLElement {
  const button = h("button", { class: "theme", type: "button" });
  const label = () => {
    const other = current() === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "Dark" : "Light";
    button.setAttribute("aria-label", `Switch to the ${other} theme`);
  };
  button.addEventListener("click", () => {
    chosen = current() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // not remembered, then
    }
    apply();
  });
  on_theme(label);
  label();
  return button;
}

const names = ["ink", "muted", "rule", "grid", "surface", "page", "cloud", "blue", "choice", "oracle", "limit", "simulated"] as const;
export type Colours = Record<(typeof names)[number], string>;

/** The style sheet's colours, for the canvas. */
export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--${n}`).trim()])) as Colours;
}

export function font(): string {
  return getComputedStyle(document.body).fontFamily;
}
