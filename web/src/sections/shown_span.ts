// The stretch of a served run that is shown, zoomed and moved.
import { time_step, time_words, within, type Stretch } from "../timespan.ts";
import type { Serving } from "../sheets/sheet.ts";

/** The stretch of time that all lanes of a served run show; each lane listens to it. */
export class ShownSpan {
  stretch: Stretch;
  readonly least: number;
  private readonly listeners: (() => void)[] = [];
  private frame = 0;

  constructor(readonly serving: Serving) {
    this.stretch = { from: 0, to: serving.seconds };
    const shortest = serving.spans.length_us.reduce((a, b) => Math.min(a, b), Infinity);
    this.least = Math.min(serving.seconds, Number.isFinite(shortest) ? Math.max(20e-6, 4e-6 * shortest) : 2 * serving.timeline.window_s);
  }
  get whole(): boolean {
    return this.stretch.to - this.stretch.from >= this.serving.seconds * 0.9999;
  }
  set(stretch: Stretch): void {
    this.stretch = within(this.serving.seconds, this.least, stretch);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.listeners.forEach((listener) => listener()));
  }
  reset(): void {
    this.set({ from: 0, to: this.serving.seconds });
  }
  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }
  words(seconds: number): string {
    return time_words(seconds, time_step(this.stretch.to - this.stretch.from, 200), this.serving.seconds);
  }
}
