// The answer of a tune.
import type { CommonTrial, TuneConfiguration, TuneKnown, TunePage, TuneRow } from "../contract.ts";
import { value_of } from "../format.ts";
import { costs, excess_of, keeps_own_limits, latency_of } from "../measures.ts";
import type { Budget, Configuration, Note, Oracle, Pair, Tabled, TuneReport } from "../view.ts";
import { notes, power_gap_notes, presets_table, quantity, simulated_words } from "./sheet.ts";

type Answer = TunePage["answer"];
type Config = TuneKnown["config"];
type Quantities = Pick<Configuration, "time_ms" | "power_w">;

/** Time and power err independently for all that is known: the bounds are those of both at once. */
function energy_of({ time_ms: t, power_w: p }: Quantities): Configuration["energy_j"] {
  if (t === null || p === null) return null;
  const value = value_of(t) * value_of(p) * 1e-3;
  return typeof t === "number" || typeof p === "number" ? value : [value, t[1] * p[1] * 1e-3, t[2] * p[2] * 1e-3];
}

const quantities = (known: Pick<TuneKnown, "minibatch_ms" | "minibatch_ms_90" | "power_w" | "power_w_90">): Quantities => ({ time_ms: quantity(known.minibatch_ms, known.minibatch_ms_90), power_w: quantity(known.power_w, known.power_w_90) });

/** Configurations by their values: all that the page holds, or those that the answer speaks of. */
class Configurations {
  readonly list: Configuration[] = [];
  private readonly rows = new Map<string, number>();

  constructor(private readonly names: string[], page: TunePage) {
    for (const { config, ...known } of page.configurations ?? []) this.add(config, { ...known, energy_j: energy_of(known) });
    if (page.configurations !== null) return;
    const { answer: a } = page;
    for (const known of [a.default, ...a.measured, ...(a.choice ? [a.choice] : []), ...a.front]) this.known(known);
    for (const trial of a.profiled) this.of(trial.config);
  }

  /** Its position; one that is not known yet is added without figures. */
  of(config: Config): number {
    return this.find(config) ?? this.add(this.values(config), { time_ms: null, power_w: null, energy_j: null, provenance: "predicted" });
  }

  find(config: Config): number | undefined {
    return this.rows.get(this.values(config).join());
  }

  private values(config: Config): number[] {
    return this.names.map((name) => config[name] ?? 0);
  }

  private known(known: TuneKnown | TuneConfiguration): void {
    const figures = quantities(known);
    Object.assign(this.list[this.of(known.config)]!, { ...figures, energy_j: energy_of(figures), provenance: known.provenance });
  }

  private add(config: number[], known: Omit<Configuration, "config">): number {
    this.rows.set(config.join(), this.list.length);
    return this.list.push({ config, ...known }) - 1;
  }
}

/** The limit on the slowdown as a budget of time: what the default takes, and so much more. */
function slowdown_budget(a: Answer): Budget[] {
  const pct = a.request.slowdown_limit_pct;
  const time = a.per === "sample" ? a.default.sample_ms : a.default.minibatch_ms;
  return pct === undefined || time === null ? [] : [{ quantity: "time", limit: time * (1 + pct / 100), unit: "ms", per: a.per, slowdown_pct: pct }];
}

function budgets_of(a: Answer): Budget[] {
  const r = a.request;
  const budget = (quantity: Budget["quantity"], limit: number | null, unit: Budget["unit"], per: Budget["per"]): Budget[] => (limit === null ? [] : [{ quantity, limit, unit, per }]);
  return [...budget("power", r.power_budget_w, "W", null), ...budget("time", r.time_budget_s, "s", r.budget_span), ...budget("energy", r.energy_budget_j, "J", r.budget_span), ...slowdown_budget(a)];
}

function pairs_of(held_out: TuneKnown[], known: Configurations): Pair[] {
  return held_out.flatMap((held) => {
    const configuration = known.of(held.config);
    const [observed, predicted] = [known.list[configuration]!, quantities(held)];
    return ([["time", "time_ms"], ["power", "power_w"]] as const).flatMap(([quantity, key]): Pair[] =>
      observed[key] === null || predicted[key] === null ? [] : [{ configuration, quantity, observed: observed[key], predicted: predicted[key], fitted: false }]);
  });
}

function oracle_of(oracle: NonNullable<Answer["oracle"]>, known: Configurations): Oracle {
  const index = (row: TuneRow | null) => (row ? known.of(row.config) : null);
  const tabled = (row: TuneRow | null): Tabled | null => row && { time_ms: row.minibatch_ms, power_w: row.power_w, energy_j: row.power_w === null ? null : row.power_w * row.minibatch_ms * 1e-3 };
  const { raw, robust, excluded_rows, text } = oracle;
  return { raw: index(raw), robust: index(robust), raw_tabled: tabled(raw), robust_tabled: tabled(robust), excluded_rows, text };
}

/** A preset says of each axis of the board what it sets; the rest is as by default. */
function presets_of(a: Answer, known: Configurations): { configuration: number; name: string }[] {
  return (a.presets ?? []).filter((p) => p.minibatch_ms !== null).flatMap((p) => {
    const configuration = known.find({ ...a.default.config, ...p.config });
    return configuration === undefined ? [] : [{ configuration, name: p.name }];
  });
}

function throttled_note(profiled: CommonTrial[]): string {
  const looked = profiled.filter((t) => t.throttled !== null).length;
  const throttled = profiled.filter((t) => t.throttled).length;
  return throttled > 0 ? `the board throttled during ${throttled} of ${looked} trials that were watched for it` : "";
}

function notes_of({ answer: a, configurations }: TunePage): Note[] {
  const reopened: Note = { level: "note", text: "reopened from the store, which keeps what was profiled, the choice, the default and the front; the other predictions are not kept" };
  if (!a.profiled.some((t) => t.origin === "told")) reopened.hint = "run the command again with --report: trials that are stored are not repeated";
  return [...power_gap_notes(a.device.power_gap), ...notes("gap", a.device.gaps), ...notes("note", a.notes), ...notes("warning", [throttled_note(a.profiled)]), ...(configurations === null ? [reopened] : [])];
}

/** What misses the budgets by the least share, of all that was read and keeps the limits on its own figures. */
function closest_of(report: TuneReport): number | null {
  const excess = excess_of(report.request.budgets, costs(report));
  const own = keeps_own_limits(report);
  const shares = report.configurations.map((c, i) => (c.provenance === "predicted" || !own(i) ? NaN : excess(c)));
  const least = shares.reduce((best, share, i) => (share < (shares[best] ?? Infinity) ? i : best), -1);
  return least < 0 ? null : least;
}

function title_of({ answer: { request: r, profiled, run }, configurations }: TunePage): string {
  const simulated = simulated_words(profiled);
  return `${configurations === null ? `run ${run}: ` : ""}${r.workload} ${r.phase === "train" ? "training" : "inference"} on ${r.device}${simulated}`;
}

export function tune_report(page: TunePage): TuneReport {
  const { answer: a } = page;
  const { request: r, device } = a;
  const known = new Configurations(a.axes.map((axis) => axis.name), page);
  const front = a.front.map((c) => known.of(c.config));
  for (const i of front) known.list[i]!.front = true;
  const latency = latency_of({ request: r });
  if (latency !== undefined) for (const c of known.list) c.energy_j = null;
  const chosen = a.choice && known.of(a.choice.config);
  const report: TuneReport = {
    title: title_of(page), axes: a.axes, configurations: known.list, apply: page.apply, per: a.per, comparison: a.comparison, notes: notes_of(page),
    request: {
      workload: r.workload, phase: r.phase, device: r.device, objective: r.objective, ...(r.figure === undefined ? {} : { figure: r.figure }), budgets: budgets_of(a), asked: a.asked, limits: r.limits ?? [], command: page.command,
      profiles_limit: r.profiles_limit, profiles: a.profiles, offered: a.configurations, samples_per_epoch: r.samples, batch_size: r.settings["batch_size"] ?? null,
    },
    profiled: a.profiled.map((t) => ({ ...t, configuration: known.of(t.config) })),
    choice: a.choice && { configuration: chosen!, verified: a.profiled.some((t) => t.verification && known.of(t.config) === chosen), figures: a.choice.figures ?? {}, ...(a.choice.idle ? { idle: a.choice.idle } : {}) },
    infeasible: a.infeasible && { reason: a.infeasible.reason, hint: a.infeasible.hint, closest: null },
    default: { configuration: known.of(a.default.config), name: a.default.reason, ...(a.default.figures ? { figures: a.default.figures } : {}) },
    tables: [presets_table(a.presets ?? [], latency?.toLowerCase() ?? (a.per === "request" || a.per === "token" ? a.per : "minibatch"))], presets: presets_of(a, known),
    front: front.length === 0 ? null : { over: ["time", r.objective === "energy" ? "energy" : "power"], configurations: front },
    oracle: a.oracle ? oracle_of(a.oracle, known) : null, pairs: pairs_of(a.held_out, known),
    machine: { name: device.title, fingerprint: device.fingerprint, facts: Object.entries(device.conditions ?? {}).map(([name, value]) => ({ name, value })) },
    run: {
      id: a.run === null ? "not kept" : String(a.run), started_at: a.started_utc, duration_s: a.seconds, seed: r.seed, strategy: r.strategy, predictor: r.strategy === "exact" ? null : r.predictor, power_total: device.power_total, effort: a.effort, versions: { flyball: page.version },
      intervals: { measured: "90 % interval of the median; of two readings, from the lower end of one to the upper end of the other", predicted: "90 % interval of the prediction" },
    },
  };
  if (report.infeasible) report.infeasible.closest = closest_of(report);
  return report;
}
