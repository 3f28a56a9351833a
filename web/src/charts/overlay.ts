// The texts of a chart as elements above its canvas: bubbles with the numbers of trials, names, and budgets.
import { h } from "../dom.ts";
import { all_sides, apart, place, type Box, type Side, type Wanted } from "./labels.ts";

export interface Bubble {
  x: number;
  y: number;
  text: string;
  /** Colours: "profiled" or "choice". */
  kind: string;
}

/** A name at a spot whose symbol has this radius. */
export interface Name {
  x: number;
  y: number;
  radius: number;
  text: string;
  kind: string;
  sides?: Side[];
}

const size = (element: HTMLElement) => ({ width: Math.ceil(element.getBoundingClientRect().width), height: Math.ceil(element.getBoundingClientRect().height) });
const around = (x: number, y: number, width: number, height: number): Box => ({ left: x - width / 2, top: y - height / 2, width, height });

function put(element: HTMLElement, box: Box): void {
  element.style.transform = `translate(${box.left}px, ${box.top}px)`;
}

/** Draws them anew, no name across one of the `lines`: of what would lie on something else, the later one goes elsewhere or is left out. */
export function draw_overlay(layer: HTMLElement, area: Box, bubbles: Bubble[], names: Name[], lines: Box[] = []): void {
  const discs = bubbles.map((b) => h("span", { class: `bubble ${b.kind}` }, b.text));
  const texts = names.map((n) => h("span", { class: `mark-name ${n.kind}` }, n.text));
  layer.replaceChildren(...discs, ...texts);
  const roomy: Box = { left: area.left - 14, top: area.top - 14, width: area.width + 28, height: area.height + 28 };
  const boxes = bubbles.map((b, i) => around(b.x, b.y, size(discs[i]!).width, size(discs[i]!).height));
  const shown = apart(boxes, roomy);
  discs.forEach((disc, i) => (shown[i] ? put(disc, boxes[i]!) : disc.remove()));
  // A bubble that has no room leaves its dot on the canvas.
  const dots = bubbles.map((b) => around(b.x, b.y, 13, 13));
  const symbols = names.filter((n) => n.radius > 0).map((n) => around(n.x, n.y, 2 * n.radius, 2 * n.radius));
  const wanted: Wanted[] = names.map((n, i) => ({ x: n.x, y: n.y, ...size(texts[i]!), gap: n.radius + 4, sides: n.sides ?? all_sides }));
  const places = place(wanted, [...boxes.filter((_, i) => shown[i]), ...dots, ...symbols, ...lines], area);
  texts.forEach((text, i) => (places[i] ? put(text, places[i]!) : text.remove()));
}
