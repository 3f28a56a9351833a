// Made from docs/schema/live.json by `npm run generate`; change it there.

/** How a running `flyball serve` stands: one event of `GET /events`. The last 600 come at once, then one each second and one at the end, all of this form. */
export interface LiveState {
  /** [s] Since the end of warm-up. */
  seconds: number;
  /** Takes no more requests and is about to end. */
  draining: boolean;
  /** The board, for people. */
  device: string;
  /** The power mode; empty: it stays as it is and is not named. */
  mode: string;
  /** [W] Of the board; null: not known. */
  power_w: number | null;
  /** [count] New plans. */
  replans: number;
  /** [count] Changes of power mode. */
  switches: number;
  /** One for each --infer. */
  services: ServiceState[];
  /** One for each --train; empty until all is ready. */
  trainings: TrainingState[];
}
/** One service; its counts are since the beginning. */
export interface ServiceState {
  /** The workload. */
  name: string;
  /** [ms] From arrival to answer. */
  budget_ms: number;
  /** [count] Requests in the queue now. */
  waiting: number;
  /** [count] Requests that came. */
  arrived: number;
  /** [count] Of those, answered. */
  answered: number;
  /** [count] Of those answered, beyond the budget. */
  late: number;
  /** [count] Turned away. */
  refused: number;
  /** [count] The network could not run them. */
  failed: number;
  /** [ms] Median latency; null: none was answered. */
  p50_ms: number | null;
  /** [ms] 99th percentile; null: none was answered. */
  p99_ms: number | null;
  /** [samples] That the plan allows; null: it is not ready yet. */
  largest_batch: number | null;
}
/** One training. */
export interface TrainingState {
  /** The workload. */
  name: string;
  /** [count] Since the beginning. */
  minibatches: number;
}
