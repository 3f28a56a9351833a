// Many boards: which are stale or unlike the others, what they differ by, and the best modes of each workload.
import type { FleetPage, FleetShow, FleetShownBoard, FleetShownMode } from "../contract.ts";
import { duration, instant, plural, with_unit } from "../format.ts";
import type { SheetChart, SheetMeter, SheetMeters } from "../view.ts";
import { facts, notes, table, times, type Sheet } from "./sheet.ts";
import { config_words } from "../words.ts";

/** More rows than this are not looked through on a page. */
const most_boards = 500;

const provenance = (p: FleetShownMode["provenance"]): "measured" | "table" | "simulated" | "predicted" => p as "measured" | "table" | "simulated" | "predicted";

/** Those that somebody should look at come first. */
const by_urgency = (boards: FleetShownBoard[]): FleetShownBoard[] => [...boards].sort((a, b) => 2 * Number(b.stale) + Number(b.outlier) - (2 * Number(a.stale) + Number(a.outlier)));

const state = (b: FleetShownBoard): string => [b.stale ? "stale" : "", b.outlier ? "outlier" : ""].filter(Boolean).join(", ") || "ok";

const off = (ratio: number | null): number | null => (ratio === null ? null : 100 * (ratio - 1));

function ratios(a: FleetShow): SheetChart[] {
  const known = a.boards.filter((b) => b.time_ratio !== null && b.power_ratio !== null);
  if (known.length < 2) return [];
  return [{
    title: "Boards against all boards of their kind, over equal trials", x: { label: "power difference", unit: "%" }, y: { label: "time difference", unit: "%" }, limits: [],
    points: known.map((b) => ({ x: off(b.power_ratio)!, y: off(b.time_ratio)!, label: `${b.name}: ${plural(b.compared_trials, "trial")}`, group: b.kinds.join(", "), marked: b.outlier })),
  }];
}

/** The least energy of an epoch, by workload: bars are kinds of boards. */
function energies(a: FleetShow): SheetMeters[] {
  const least = a.best.filter((m) => m.objective === "energy" && m.epoch_j !== null);
  if (least.length === 0) return [];
  // A scale for each workload: their epochs have nothing in common.
  return [...new Set(least.map((m) => m.workload))].map((workload) => ({
    title: `Energy of an epoch: ${workload}`, text: "In the mode of least energy that was tried, mean over its boards.",
    groups: [{
      label: "",
      bars: least.filter((m) => m.workload === workload).map((m): SheetMeter => ({ label: m.kind, value: m.epoch_j, words: with_unit(m.epoch_j!, "J"), remark: `${duration(m.epoch_s!)}, ${config_words(m.mode)}`, series: m.provenance })),
    }],
  }));
}

const without_a_mode = (a: FleetShow): string[] => a.budgets_w.filter((w) => !a.best.some((m) => m.budget_w === w)).map((w) => `no mode that was tried keeps ${w} W`);

function not_counted({ whole_runs, other_conditions }: FleetShow): string {
  const parts = [whole_runs > 0 ? `${whole_runs} of whole runs of programs` : "", other_conditions > 0 ? `${other_conditions} under other conditions than the latest of their board` : ""].filter(Boolean);
  return parts.length === 0 ? "" : `measurements that neither spread nor best modes count: ${parts.join("; ")}`;
}

const objective = (m: FleetShownMode): string => (m.objective === "energy" ? "least energy" : m.budget_w === null ? "fastest" : `fastest within ${m.budget_w} W`);

export function fleet_sheet({ answer: a }: FleetPage): Sheet {
  const boards = by_urgency(a.boards).slice(0, most_boards);
  const wrong = [a.stale > 0 ? plural(a.stale, "is stale", "are stale") : "", a.outliers > 0 ? plural(a.outliers, "is an outlier", "are outliers") : ""].filter(Boolean);
  return {
    title: `fleet of ${plural(a.boards.length, "board")}`, subject: `Fleet · ${a.store}`, started_at: a.now_utc,
    headline: a.boards.length === 0 ? "No board was collected yet." : `${plural(a.boards.length, "board")}: ${wrong.join(", ") || (a.spread.length > 0 ? "none is stale, none unlike the others" : "none is stale; they were not compared, as no trial was made on two of them")}.`,
    lines: [], figures: [], charts: ratios(a), meters: energies(a),
    tables: [
      table("Best modes that were tried", "Of each kind and workload the fastest per sample, without and within each budget, and the one of least energy.", a.best, [
        ["kind", "", (m) => m.kind], ["workload", "", (m) => `${m.workload} ${m.phase}`], ["of", "", objective], ["mode", "", (m) => config_words(m.mode)], ["settings", "", (m) => config_words(m.settings)],
        ["minibatch", "ms", (m) => m.minibatch_ms], ["power", "W", (m) => m.power_w], ["total", "", (m) => m.power_total ?? ""], ["epoch", "s", (m) => m.epoch_s], ["epoch", "J", (m) => m.epoch_j], ["boards", "", (m) => m.boards],
      ], (m) => provenance(m.provenance)),
      table("Boards", boards.length < a.boards.length ? `${boards.length} of ${a.boards.length}: those that are stale or outliers come first.` : "", boards, [
        ["board", "", (b) => b.name], ["kind", "", (b) => b.kinds.join(", ")], ["state", "", state], ["last seen", "", (b) => (b.last_seen_utc === null ? "never" : instant(b.last_seen_utc))], ["runs", "", (b) => b.runs], ["unfinished", "", (b) => b.unfinished_runs],
        ["measurements", "", (b) => b.measurements], ["failed", "", (b) => b.failed], ["throttled", "", (b) => b.throttled], ["disturbed", "", (b) => b.disturbed], ["time", "%", (b) => off(b.time_ratio)], ["power", "%", (b) => off(b.power_ratio)],
        ["Flyball", "", (b) => b.flyball ?? ""],
      ]),
      table("Spread between boards", "Coefficient of variation of equal trials on boards of one kind and software: median over the trials, and the largest.", a.spread, [
        ["kind", "", (s) => s.kind], ["workload", "", (s) => `${s.workload} ${s.phase}`], ["boards", "", (s) => s.boards], ["trials", "", (s) => s.trials], ["time", "%", (s) => times(s.time_cv, 100)], ["time at most", "%", (s) => times(s.max_time_cv, 100)],
        ["energy", "%", (s) => times(s.energy_cv, 100)], ["energy at most", "%", (s) => times(s.max_energy_cv, 100)],
      ], (s) => provenance(s.provenance)),
      table("Boards far from the middle one", "In the median trial that others of the kind made, too.", a.spread.flatMap((s) => s.outliers.map((o) => ({ ...s, ...o }))).slice(0, most_boards), [
        ["board", "", (o) => o.board], ["kind", "", (o) => o.kind], ["workload", "", (o) => `${o.workload} ${o.phase}`], ["time", "%", (o) => o.time_pct], ["energy", "%", (o) => o.energy_pct],
      ], (o) => provenance(o.provenance)),
      table("Software", "", a.software, [["kind", "", (s) => s.kind], ["fingerprint", "", (s) => s.fingerprint], ["boards", "", (s) => s.boards], ["measurements", "", (s) => s.measurements]]),
    ].filter((t) => t.rows.length > 0),
    facts: [facts("Fleet", [["store", a.store], ["runs", a.runs], ["measurements", a.measurements], ["stale after", duration(a.stale_after_s)]])],
    notes: notes("note", [a.outliers > 0 ? "an outlier is further from the middle board of its kind than 2 % and than 3.5 standard deviations, in the median trial; of five boards or more" : "", ...without_a_mode(a), not_counted(a)]),
  };
}
