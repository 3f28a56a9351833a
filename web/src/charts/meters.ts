// Bars beside each other, made of plain elements: where they begin and end on their scale.
import type { SheetMeters } from "../view.ts";

/** From more on than this, lengths say nothing of the short ones. */
const far_apart = 30;

const values_of = (meters: SheetMeters): number[] => meters.groups.flatMap((g) => g.bars.flatMap((b) => [b.value, ...(b.beside ?? []).map((o) => o.value)]).filter((v): v is number => v !== null));

export interface Extent {
  /** Percent of the track. */
  left: number;
  width: number;
}

export interface MeterScale {
  log: boolean;
  /** Where bars begin, in percent of the track. */
  origin: number;
  /** Where it is ten times as much from one to the next; empty of a linear one. */
  decades: number[];
  bar(value: number): Extent;
}

/** The ends of the scale, as logarithms where it is one. */
function ends(meters: SheetMeters, log: boolean): [low: number, high: number] {
  const values = values_of(meters);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // Ratios near 1 are small differences, and look so.
  if (meters.ratio) return [Math.min(Math.log10(least), most > 2 ? 0 : -Math.log10(2)), Math.max(Math.log10(most), least < 0.5 ? 0 : Math.log10(2))];
  if (log) return [Math.floor(Math.log10(least) - 0.05), Math.log10(most)];
  return [Math.min(0, least), meters.most ?? most];
}

/** Ratios grow both ways from 1, by their logarithm; others from 0, or by their logarithm from below the least. */
export function meter_scale(meters: SheetMeters): MeterScale {
  const values = values_of(meters);
  const least = Math.min(...values);
  const log = meters.ratio === true || (meters.far === true && least > 0 && Math.max(...values) / least > far_apart);
  const [low, high] = ends(meters, log);
  const percent = (place: number) => (high === low ? 0 : (100 * (place - low)) / (high - low));
  const origin = log && !meters.ratio ? 0 : percent(0);
  const whole = Array.from({ length: Math.max(0, Math.floor(high) - Math.ceil(low) + 1) }, (_, i) => percent(Math.ceil(low) + i));
  return {
    log, origin, decades: log ? whole.filter((at) => at > 0.5 && at < 99.5) : [],
    bar: (value) => {
      const at = percent(log ? Math.log10(value) : value);
      return { left: Math.min(origin, at), width: Math.abs(at - origin) };
    },
  };
}
