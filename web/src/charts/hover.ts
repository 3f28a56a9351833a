// Finds the configuration under the pointer and shows a card beside it. ECharts' own hit test wants an exact hit, which a
// finger cannot give and which is slow over thousands of points.
import { h } from "../dom.ts";

export interface Target {
  /** Pixels of every point; NaN: not shown. */
  pixels(): { x: Float64Array; y: Float64Array };
  card(index: number): HTMLElement;
  /** Where the arrow keys walk. */
  stops(): number[];
  /** The points that win over others near the pointer. */
  preferred: Set<number>;
  /** What lies at a place, where that is not the nearest point; -1: nothing. */
  hit?(x: number, y: number): number;
  /** A click, a second tap or Enter on a point. */
  go?(index: number): void;
}

const reach = 28;

/** The nearest point within reach; a preferred one counts as ten pixels nearer. -1: none. */
export function nearest(px: ArrayLike<number>, py: ArrayLike<number>, x: number, y: number, preferred: Set<number>): number {
  let best = -1;
  let least = reach;
  for (let i = 0; i < px.length; i++) {
    const dx = px[i]! - x;
    if (!(dx < reach && dx > -reach)) continue;
    const distance = Math.hypot(dx, py[i]! - y) - (preferred.has(i) ? 10 : 0);
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}

export function attach_hover(box: HTMLElement, target: Target): { hide(): void; show(index: number): void } {
  const ring = h("div", { class: "ring", hidden: true });
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  box.append(ring, tip);
  let shown = -1;
  let frame = 0;

  function hide() {
    ring.hidden = tip.hidden = true;
    shown = -1;
  }
  function show(index: number, px: number, py: number) {
    if (index !== shown) tip.replaceChildren(target.card(index));
    shown = index;
    ring.hidden = tip.hidden = false;
    ring.style.transform = `translate(${px}px, ${py}px)`;
    const right = px + 18 + tip.offsetWidth <= box.clientWidth;
    const left = right ? px + 18 : Math.max(0, Math.min(px - 18 - tip.offsetWidth, box.clientWidth - tip.offsetWidth));
    const beside = right || px - 18 - tip.offsetWidth >= 0;
    const top = beside ? py - tip.offsetHeight / 2 : py + 20;
    tip.style.transform = `translate(${left}px, ${Math.max(4, Math.min(top, box.clientHeight - (beside ? tip.offsetHeight + 4 : 0)))}px)`;
  }
  function point_at(event: PointerEvent) {
    const area = box.getBoundingClientRect();
    const { x, y } = target.pixels();
    const [px, py] = [event.clientX - area.left, event.clientY - area.top];
    const index = target.hit ? target.hit(px, py) : nearest(x, y, px, py, target.preferred);
    if (index < 0) hide();
    else show(index, x[index]!, y[index]!);
  }
  box.addEventListener("pointermove", (event) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => point_at(event));
  });
  // A first tap shows what a mouse shows in passing; the second one goes there.
  let was = -1;
  box.addEventListener("pointerdown", (event) => {
    was = event.pointerType === "mouse" ? -1 : shown;
    point_at(event);
    if (event.pointerType === "mouse") was = shown;
  });
  box.addEventListener("click", () => { if (shown >= 0 && shown === was) target.go?.(shown); });
  box.addEventListener("pointerleave", (event) => {
    cancelAnimationFrame(frame);
    if (event.pointerType === "mouse") hide();
  });
  box.addEventListener("blur", hide);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    if (event.key === "Enter" && shown >= 0) return target.go?.(shown);
    const stops = target.stops();
    const at = stops.indexOf(shown);
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at < 0 ? stops.length - 1 : at - 1, ArrowUp: at - 1, Home: 0, End: stops.length - 1 }[event.key];
    if (next === undefined || stops.length === 0) return;
    event.preventDefault();
    show_index(stops[(next + stops.length) % stops.length]!);
  });
  function show_index(index: number) {
    const { x, y } = target.pixels();
    show(index, x[index]!, y[index]!);
  }
  return { hide, show: show_index };
}
