/** Indices on the Pareto front, both less is better: sorted by x, kept iff y is strictly below the best so far. */
export function pareto(xs: ArrayLike<number>, ys: ArrayLike<number>): number[] {
  const order: number[] = [];
  for (let i = 0; i < xs.length; i++) if (Number.isFinite(xs[i]!) && Number.isFinite(ys[i]!)) order.push(i);
  order.sort((a, b) => xs[a]! - xs[b]! || ys[a]! - ys[b]!);
  const front: number[] = [];
  let best = Infinity;
  for (const i of order) {
    if (ys[i]! >= best) continue;
    best = ys[i]!;
    front.push(i);
  }
  return front;
}
