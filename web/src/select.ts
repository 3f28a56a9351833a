// One configuration stands on the chart, in the table and among the trials: each says so here, the others go there.
export type Place = "chart" | "row";
type Listener = (index: number) => void;

const listeners: Record<Place, Listener[]> = { chart: [], row: [] };

/** Called when somebody asks to see a configuration in this place. */
export function on_show(place: Place, listener: Listener): void {
  listeners[place].push(listener);
}

export function show(place: Place, index: number): void {
  for (const listener of listeners[place]) listener(index);
}
