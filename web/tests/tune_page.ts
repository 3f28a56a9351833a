// What the fixtures say a page shows, as the document from which it shows that.
import { schema, type TuneConfiguration, type TuneKnown, type TunePage, type TuneRow } from "../src/contract.ts";
import { high_of, low_of, value_of } from "../src/format.ts";
import { compared_per } from "../src/measures.ts";
import type { Configuration, Tabled, TuneReport } from "../src/view.ts";

type Config = TuneKnown["config"];

const interval = (q: Configuration["time_ms"]): [number, number] | null => (q === null || typeof q === "number" ? null : [low_of(q), high_of(q)]);
const value = (q: Configuration["time_ms"]): number | null => (q === null ? null : value_of(q));

export function page_of(report: TuneReport): TunePage {
  const { request: r, machine, run } = report;
  const config = (index: number): Config => Object.fromEntries(report.axes.map((axis, d) => [axis.name, report.configurations[index]!.config[d]!]));
  const known = (index: number, c = report.configurations[index]!): TuneKnown => ({ config: config(index), minibatch_ms: value(c.time_ms), minibatch_ms_90: interval(c.time_ms), power_w: value(c.power_w), power_w_90: interval(c.power_w), provenance: c.provenance });
  const configuration = (index: number): TuneConfiguration => ({ ...known(index), minibatch_j: value(report.configurations[index]!.energy_j), sample_ms: null, sample_j: null, readings: [], epoch_s: null, epoch_j: null });
  const budget = (quantity: string) => r.budgets.find((b) => b.quantity === quantity);
  const limit = (quantity: string, scale = 1): number | null => (budget(quantity) ? budget(quantity)!.limit * scale : null);
  const per_unit = { ms: 1e-3, s: 1, min: 60, W: 1, J: 1 }[budget("time")?.unit ?? "s"];
  const row = (index: number | null | undefined, tabled: Tabled | null | undefined): TuneRow | null => (index == null ? null : { config: config(index), minibatch_ms: tabled?.time_ms ?? value(report.configurations[index]!.time_ms)!, power_w: tabled ? tabled.power_w : value(report.configurations[index]!.power_w), provenance: "table" });
  const { choice, oracle } = report;
  const last = report.profiled.map((t) => t.configuration).lastIndexOf(choice?.configuration ?? -1);
  const gaps = report.notes.filter((n) => n.level === "gap").map((n) => n.text);
  const span = budget("time")?.per ?? budget("energy")?.per ?? "minibatch";
  return {
    schema, kind: "tune", command: r.command, version: run.versions["flyball"]!, written_utc: run.started_at, apply: report.apply ?? [],
    configurations: report.configurations.map(({ config, time_ms, power_w, provenance }) => ({ config, time_ms, power_w, provenance })),
    answer: {
      schema: 2, asked: r.asked ?? "objective time", axes: [...report.axes], per: compared_per(report), comparison: report.comparison ?? null, effort: run.effort ?? "10 configurations profiled", reused: [], set_aside: [], modes: null,
      request: {
        workload: r.workload, phase: r.phase, device: r.device, objective: r.objective, power_budget_w: limit("power"), time_budget_s: limit("time", per_unit), energy_budget_j: limit("energy"), ...(r.limits?.length ? { limits: r.limits } : {}), profiles_limit: r.profiles_limit ?? 10,
        strategy: run.strategy, predictor: run.predictor ?? "", seed: run.seed, references: [], budget_span: span === "epoch" || span === "run" ? span : "minibatch", samples: r.samples_per_epoch ?? null, settings: r.batch_size ? { batch_size: r.batch_size } : {},
      },
      device: { name: r.device, title: machine.name, fingerprint: machine.fingerprint, conditions: Object.fromEntries(machine.facts.map((f) => [f.name, f.value])), power_total: run.power_total, power_gap: gaps.find((text) => /power/.test(text)) ?? null, gaps: gaps.filter((text) => !/power/.test(text)) },
      choice: choice && { ...configuration(choice.configuration), ...(choice.figures ? { figures: choice.figures } : {}), ...(choice.idle ? { idle: choice.idle } : {}) },
      infeasible: report.infeasible ? { code: "infeasible", reason: report.infeasible.reason, hint: report.infeasible.hint, easing: [] } : null,
      default: { ...configuration(report.default!.configuration), reason: report.default!.name },
      front: (report.front?.configurations ?? []).map(configuration),
      ...(oracle ? { oracle: { raw: row(oracle.raw, oracle.raw_tabled), robust: row(oracle.robust, oracle.robust_tabled), gap_pct: null, robust_gap_pct: null, text: oracle.text ?? "", excluded_rows: oracle.excluded_rows ?? 0, excluded: [] } } : {}),
      profiled: report.profiled.map(({ configuration, ...t }, i) => ({ ...t, config: config(configuration), verification: t.verification || (i === last && choice!.verified) })),
      measured: [...new Set(report.profiled.map((t) => t.configuration))].map((i) => known(i)),
      held_out: (report.pairs ?? []).filter((p) => p.quantity === "time").map(({ configuration, predicted }) => {
        const power = report.pairs!.find((p) => p.configuration === configuration && p.quantity === "power")?.predicted ?? null;
        return { ...known(configuration), minibatch_ms: value(predicted), minibatch_ms_90: interval(predicted), power_w: value(power), power_w_90: interval(power), provenance: "predicted" };
      }),
      configurations: r.offered ?? report.configurations.length, profiles: report.request.profiles, trials: report.profiled.length, run: 42, stopped: "all profiles were used",
      notes: report.notes.filter((n) => n.level !== "gap").map((n) => n.text), started_utc: run.started_at, seconds: run.duration_s, own_seconds: 1,
    },
  };
}
