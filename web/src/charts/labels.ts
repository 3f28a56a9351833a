// Where texts stand on a chart so that none lies on another, on a bubble, or outside.
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A text that belongs to a spot: `gap` is how far from the spot's middle it may begin. */
export interface Wanted {
  x: number;
  y: number;
  width: number;
  height: number;
  gap: number;
  /** Tried in this order, first near the spot, then farther away. */
  sides: Side[];
}

export type Side = "right" | "left" | "above" | "below" | "above right" | "above left" | "below right" | "below left";
export const all_sides: Side[] = ["right", "left", "above", "below", "above right", "below right", "above left", "below left"];

const away = { left: -1, right: 1, above: -1, below: 1 } as const;

export function overlap(a: Box, b: Box, room = 1): boolean {
  return a.left < b.left + b.width + room && b.left < a.left + a.width + room && a.top < b.top + b.height + room && b.top < a.top + a.height + room;
}

function inside(box: Box, area: Box): boolean {
  return box.left >= area.left && box.top >= area.top && box.left + box.width <= area.left + area.width && box.top + box.height <= area.top + area.height;
}

function beside(w: Wanted, side: Side, gap: number): Box {
  const words = side.split(" ") as (keyof typeof away)[];
  const across = words.find((d) => d === "left" || d === "right");
  const along = words.find((d) => d === "above" || d === "below");
  const slant = across && along ? 0.72 : 1;
  const middle = { x: w.x - w.width / 2, y: w.y - w.height / 2 };
  return {
    left: across === undefined ? middle.x : middle.x + away[across] * (w.width / 2 + gap * slant),
    top: along === undefined ? middle.y : middle.y + away[along] * (w.height / 2 + gap * slant),
    width: w.width, height: w.height,
  };
}

/** A place for each text, those before it and the obstacles left free; null where there is none. */
export function place(wanted: Wanted[], obstacles: Box[], area: Box): (Box | null)[] {
  const taken = [...obstacles];
  return wanted.map((w) => {
    for (const farther of [0, 9, 20, 34]) {
      for (const side of w.sides) {
        const box = beside(w, side, w.gap + farther);
        if (!inside(box, area) || taken.some((t) => overlap(box, t))) continue;
        taken.push(box);
        return box;
      }
    }
    return null;
  });
}

/** Which of the bubbles can be shown: those before it win where two lie on each other. */
export function apart(bubbles: Box[], area: Box): boolean[] {
  const taken: Box[] = [];
  return bubbles.map((box) => {
    if (!inside(box, area) || taken.some((t) => overlap(box, t, 0))) return false;
    taken.push(box);
    return true;
  });
}
