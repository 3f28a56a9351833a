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
  /** How soon, beside a training (`--prefer`): `latency`, `training`, or the median latency that 1 % of training is worth. */
  prefer: string;
  /** What other preferences would give beside the training, by simulation of the plan, the soonest answers first; empty: there is no plan, or another one has taken the place of the first. */
  front: PreferenceState[];
  /** One for each --infer. */
  services: ServiceState[];
  /** One for each --train; empty until all is ready. */
  trainings: TrainingState[];
}
/** One way of batching, as simulated. */
export interface PreferenceState {
  /** [ms] Median latency of the service. */
  median_ms: number | null;
  /** [1/s] Training minibatches. */
  trainings_per_s: number | null;
  /** What the present preference comes to. */
  chosen: boolean;
}
/** One service; its counts are since the beginning. */
export interface ServiceState {
  /** The workload. */
  name: string;
  /** [ms] From arrival to answer. */
  budget_ms: number;
  /** [ms] Of the budget, kept for the way to the client and back (`--margin`). */
  margin_ms: number;
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
  /** [ms] Median latency of the last minute; null: none was answered in it. */
  recent_p50_ms: number | null;
  /** [ms] 99th percentile of the last minute; null: none was answered in it. */
  recent_p99_ms: number | null;
  /** [samples] That the plan allows; null: it is not ready yet. */
  largest_batch: number | null;
  /** The tensors of a request, without their first size, which counts samples. */
  inputs: InputState[];
}
/** One tensor of a request. */
export interface InputState {
  /** As the model calls it. */
  name: string;
  /** In the words of the protocol, such as FP32. */
  datatype: string;
  /** [count] Of one sample; -1: any size. */
  shape: number[];
}
/** One training. */
export interface TrainingState {
  /** The workload. */
  name: string;
  /** [count] Since the beginning. */
  minibatches: number;
  /** [1] Mean of the last 50 minibatches; null: not known. */
  loss: number | null;
  /** It is written to disk when serving ends, and goes on from there the next time. */
  kept: boolean;
}
