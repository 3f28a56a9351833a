type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

/** An element; text children are text, never markup, so that data cannot inject any. `onclick: f` adds a listener. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

let ids = 0;

/** A section of the page with a heading that names it. */
export function section(name: string, title: string, lead: string, ...children: Child[]): HTMLElement {
  const id = `h${++ids}`;
  return h("section", { class: `section ${name}`, "aria-labelledby": id },
    h("h2", { id }, title),
    lead !== "" && h("p", { class: "lead" }, lead),
    ...children);
}

/** A small label for how a number is known. */
export function chip(text: string, kind = ""): HTMLElement {
  return h("span", { class: `chip ${kind || text}` }, text);
}

export function select(label: string, options: [value: string, text: string][], value: string, on_change: (value: string) => void): HTMLElement {
  const box = h("select", { onchange: () => on_change(box.value) },
    ...options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
  return h("label", { class: "field" }, h("span", {}, label), box);
}
