// What follows from the states that the server tells, one each second.
import type { LiveState } from "./contract.ts";

const kept = 600; // seconds that the charts show

/** The last ten minutes. */
export class History {
  readonly states: LiveState[] = [];

  /** A server that began again begins anew. */
  add(state: LiveState): void {
    const last = this.states[this.states.length - 1];
    if (last && (state.seconds < last.seconds || state.services.length !== last.services.length || state.trainings.length !== last.trainings.length)) this.states.length = 0;
    this.states.push(state);
    while (this.states.length > kept) this.states.shift();
  }

  /** Per second, between each state and the one before it; null where no time passed. */
  rates(count: (state: LiveState) => number): [number, number | null][] {
    return this.states.slice(1).map((state, i) => {
      const before = this.states[i]!;
      const passed = state.seconds - before.seconds;
      return [state.seconds, passed > 0 ? Math.max(0, count(state) - count(before)) / passed : null];
    });
  }

  values(value: (state: LiveState) => number | null): [number, number | null][] {
    return this.states.map((state) => [state.seconds, value(state)]);
  }
}

export const token_words = (wrong: boolean): string =>
  `${wrong ? "that is not its token: " : ""}this server shows its figures to who knows its token, the word in the file of --token-file or in FLYBALL_TOKEN`;

/** What the page says of its connection: `end` where the server said that it drains before it fell silent. */
export function connection_words(state: LiveState | null, connected: boolean): { text: string; kind: "waiting" | "on" | "draining" | "ended" | "lost" } {
  if (state === null) return { text: connected ? "connected, waiting for figures" : "waiting for the server", kind: "waiting" };
  const since = `${Math.round(state.seconds)}\u202fs`;
  if (connected && state.draining) return { text: `draining after ${since}: no more requests are taken, those accepted are being answered`, kind: "draining" };
  if (connected) return { text: `${[state.device, state.mode].filter((t) => t !== "").join(" · ")} · ${since}`, kind: "on" };
  if (state.draining) return { text: `ended: it drained after ${since} and answered what it had accepted; these are its last figures`, kind: "ended" };
  return { text: `connection lost after ${since}: these are the last figures that came; trying again`, kind: "lost" };
}
