// What ran when, one row for each service and training: single minibatches where there is room for them.
import type { Colours } from "../theme.ts";
import type { Stretch } from "../timespan.ts";
import { margin, spans_in, track_colour } from "./serving.ts";
import type { Serving } from "../sheets/sheet.ts";

export const row_height = 26;
const bar_height = 18;

/** Tracks on which something ran, from the top. */
export function rows_of(serving: Serving): number[] {
  const { spans } = serving;
  const ran = new Set(spans.track);
  return spans.tracks.flatMap((_, track) => (ran.has(track) || track < serving.services.length + serving.trainings.length ? [track] : []));
}

/** "serving lenet5", "training mobilenet_v3", "checkpoint". */
export function track_words(serving: Serving, track: number): string {
  const name = serving.spans.tracks[track]!;
  if (track < serving.services.length) return `serving ${name}`;
  return track < serving.services.length + serving.trainings.length ? `training ${name}` : name;
}

/** From when on all that ran is known, in seconds. */
export function spans_from(serving: Serving): number {
  const { spans, timeline } = serving;
  const sum = (column: number[]) => column.reduce((a, b) => a + b, 0);
  const ran = [...timeline.services.map((s) => sum(s.batches)), ...timeline.training.map((t) => sum(t.minibatches))].reduce((a, b) => a + b, 0);
  const minibatches = serving.services.length + serving.trainings.length;
  const kept = spans.track.reduce((n, track) => n + (track < minibatches ? 1 : 0), 0);
  return kept >= ran ? 0 : (spans.begin_us[0] ?? serving.seconds * 1e6) / 1e6;
}

/** Draws them; how many that were. */
export function draw_spans(canvas: HTMLCanvasElement, serving: Serving, shown: Stretch, c: Colours, font: string): number {
  const rows = rows_of(serving);
  const [width, height] = [canvas.clientWidth, rows.length * row_height];
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const to = canvas.getContext("2d")!;
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.clearRect(0, 0, width, height);
  const scale = (width - margin.left - margin.right) / (shown.to - shown.from);
  const at = (us: number) => Math.min(width - margin.right, Math.max(margin.left, margin.left + (us / 1e6 - shown.from) * scale));
  const { spans } = serving;
  const [first, end] = spans_in(spans, shown);
  rows.forEach((_, row) => {
    to.fillStyle = c.grid;
    to.fillRect(margin.left, row * row_height + row_height - 1, width - margin.left - margin.right, 1);
  });
  const painted = rows.map(() => -1); // of each row: the last pixel, so that crowds are drawn once
  to.font = `11px ${font}`;
  to.textBaseline = "middle";
  for (let i = first; i < end; i++) {
    const row = rows.indexOf(spans.track[i]!);
    const [left, right] = [at(spans.begin_us[i]!), at(spans.begin_us[i]! + spans.length_us[i]!)];
    const long = right - left;
    if (long < 1 && Math.floor(left) === painted[row]) continue;
    painted[row] = Math.floor(left);
    to.fillStyle = track_colour(c, serving, spans.track[i]!);
    const top = row * row_height + (row_height - bar_height) / 2;
    to.fillRect(left, top, Math.max(1, long - (long > 3 ? 1 : 0)), bar_height);
    const text = String(spans.samples[i]);
    if (spans.samples[i]! > 0 && long > 10 + 7 * text.length) {
      to.fillStyle = c.surface;
      to.fillText(text, left + 5, top + bar_height / 2 + 0.5);
    }
  }
  return end - first;
}

/** The span of a row at a moment; −1: nothing ran. */
export function span_at(serving: Serving, seconds: number, slack: number): number {
  const { spans } = serving;
  const [first, end] = spans_in(spans, { from: seconds - slack, to: seconds + slack });
  let [best, least] = [-1, Infinity];
  for (let i = first; i < end; i++) {
    const [a, b] = [spans.begin_us[i]! / 1e6, (spans.begin_us[i]! + spans.length_us[i]!) / 1e6];
    const away = seconds < a ? a - seconds : seconds > b ? seconds - b : 0;
    if (away < least) [best, least] = [i, away];
  }
  return best;
}
