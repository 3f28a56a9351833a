// A stretch of a run on the time axis: zooming, panning, and how its times are written.

const thin = "\u202f";

export interface Stretch {
  /** [s] */
  from: number;
  /** [s] */
  to: number;
}

/** At least `least` long and within the run; moved before it is cut. */
export function within(run: number, least: number, { from, to }: Stretch): Stretch {
  const length = Math.min(run, Math.max(least, to - from));
  const middle = (from + to) / 2;
  const begin = Math.min(Math.max(0, to - from < least ? middle - length / 2 : from), run - length);
  return { from: begin, to: begin + length };
}

/** Longer by `factor` about `around`, which stays where it is on the screen. */
export function zoomed({ from, to }: Stretch, factor: number, around = (from + to) / 2): Stretch {
  return { from: around - (around - from) * factor, to: around + (to - around) * factor };
}

export function moved({ from, to }: Stretch, by: number): Stretch {
  return { from: from + by, to: to + by };
}

const long_steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

/** The least step that gives no more than so many ticks: 1, 2 or 5 times a power of ten below a second, then parts of minutes and hours. */
export function time_step(length: number, most: number): number {
  const wanted = length / most;
  if (wanted > 0.5) return long_steps.find((s) => s >= wanted) ?? 86400 * Math.ceil(wanted / 86400);
  const decade = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((s) => Number((s * decade).toPrecision(3))).find((s) => s >= wanted * 0.999)!;
}

const two = (n: number) => String(n).padStart(2, "0");

/** "12.5 s", "2:05" (minutes), "3:20:00" (hours), as fine as `step`. */
export function time_words(seconds: number, step: number, end: number): string {
  const decimals = step >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(step) - 1e-9));
  if (end < 120) return `${seconds.toFixed(decimals)}${thin}s`;
  const unit = 10 ** decimals;
  const all = Math.round(seconds * unit) / unit;
  const rest = all % 60;
  const shown = decimals === 0 ? two(rest) : rest.toFixed(decimals).padStart(3 + decimals, "0");
  const minutes = Math.floor(all / 60);
  if (end < 7200) return `${minutes}:${shown}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}${step >= 60 ? "" : `:${shown}`}`;
}

/** Ticks within a stretch, and what stands beside each. */
export function time_ticks({ from, to }: Stretch, run: number, most: number): { values: number[]; label: (v: number) => string } {
  const step = time_step(to - from, most);
  const values: number[] = [];
  for (let i = Math.ceil(from / step - 1e-6); i * step <= to + step * 1e-6; i++) values.push(Number((i * step).toPrecision(12)));
  return { values, label: (v) => time_words(v, step, run) };
}

