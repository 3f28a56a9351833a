// What stands above every page.
import { h, svg } from "./dom.ts";
import { theme_button } from "./theme.ts";

function logo(): SVGElement {
  const arms = svg("path", { d: "M12 3v18M12 4 6 12M12 4l6 8M8 21h8", fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round" });
  const ball = (cx: number) => svg("circle", { cx, cy: 14, r: 2.6, fill: "currentColor" });
  return svg("svg", { viewBox: "0 0 24 24", class: "logo", "aria-hidden": "true" }, arms, ball(5), ball(19));
}

/** `record`: name of a page beside this one that shows what was recorded meanwhile. */
export function header(title: string, record?: string): HTMLElement {
  return h("header", { class: "top" }, h("span", { class: "brand" }, logo(), "Flyball"), h("span", { class: "title" }, title), record !== undefined && h("a", { href: record }, "Record"), theme_button());
}
