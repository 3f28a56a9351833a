import { high_of, low_of, value_of } from "./format.ts";
import type { Pair } from "./view.ts";

/** The middle one, or the mean of the middle two. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

export interface Accuracy {
  count: number;
  /** Mean absolute percentage error, percent. */
  mape: number;
  /** Fraction of observations inside the predicted interval; null when no interval is given. */
  coverage: number | null;
}

/** Over the pairs that were not part of the fit; null when there is none. */
export function accuracy(pairs: Pair[]): Accuracy | null {
  const held_out = pairs.filter((p) => !p.fitted && value_of(p.observed) !== 0);
  if (held_out.length === 0) return null;
  let sum = 0;
  let inside = 0;
  let with_interval = 0;
  for (const { observed, predicted } of held_out) {
    const seen = value_of(observed);
    sum += Math.abs(value_of(predicted) - seen) / Math.abs(seen);
    if (typeof predicted === "number") continue;
    with_interval++;
    if (seen >= low_of(predicted) && seen <= high_of(predicted)) inside++;
  }
  return {
    count: held_out.length,
    mape: (sum / held_out.length) * 100,
    coverage: with_interval === 0 ? null : inside / with_interval,
  };
}

/** Share of the variance of `ys` that lies between the groups of equal `keys` (eta squared), 0 to 1. */
export function explained(keys: ArrayLike<number>, ys: ArrayLike<number>): number {
  const groups = new Map<number, { n: number; sum: number }>();
  let n = 0;
  let sum = 0;
  for (let i = 0; i < keys.length; i++) {
    if (!Number.isFinite(ys[i]!)) continue;
    const group = groups.get(keys[i]!) ?? { n: 0, sum: 0 };
    group.n++;
    group.sum += ys[i]!;
    groups.set(keys[i]!, group);
    n++;
    sum += ys[i]!;
  }
  if (n === 0) return 0;
  const mean = sum / n;
  let total = 0;
  for (let i = 0; i < ys.length; i++) if (Number.isFinite(ys[i]!)) total += (ys[i]! - mean) ** 2;
  let between = 0;
  for (const group of groups.values()) between += group.n * (group.sum / group.n - mean) ** 2;
  return total === 0 ? 0 : between / total;
}
