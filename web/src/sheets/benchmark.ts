// Results of the benchmark beside each other: who is first over all entries, and time and energy to the target of each entry.
import type { BenchmarkPage, BenchmarkRankedEntry, BenchmarkRankedRow, BenchmarkRanking } from "../contract.ts";
import { duration, list_words, plural, with_unit } from "../format.ts";
import type { SheetMeter, SheetMeters } from "../view.ts";
import { facts, notes, table, times, type Sheet } from "./sheet.ts";

const thin = "\u202f";
const times_words = (ratio: number): string => `${Number(ratio.toPrecision(3))}${thin}×`;

const quality_words = { accuracy: "accuracy ≥", perplexity: "perplexity ≤", map50: "mAP at an IoU of ½ ≥" } as const;
const entry_title = (entry: BenchmarkRankedEntry): string => `${entry.id}: ${quality_words[entry.quality]} ${entry.target}`;

/** Two results of one board are told apart by their files. */
function names(a: BenchmarkRanking): (row: { board: string; file: string }) => string {
  const files = new Map<string, Set<string>>();
  for (const row of a.entries.flatMap((e) => e.rows)) files.set(row.board, (files.get(row.board) ?? new Set()).add(row.file));
  return (row) => ((files.get(row.board)?.size ?? 0) > 1 ? `${row.board} (${row.file})` : row.board);
}

function meters(a: BenchmarkRanking, title: string, value: (row: BenchmarkRankedRow) => number | null, words: (v: number) => string): SheetMeters {
  const name = names(a);
  return {
    title, text: "Until the held-out part is good enough; shorter is better.", far: true,
    groups: a.entries.map((entry) => ({
      label: entry_title(entry),
      bars: entry.rows.map((row): SheetMeter => {
        const known = value(row);
        return {
          label: name(row), value: known, words: known === null ? "no power that keeps the rules" : words(known), series: row.provenance, marked: row.rank === 1,
          ...(row.epochs_to_target === null ? {} : { remark: plural(row.epochs_to_target, "epoch") }),
        };
      }),
    })),
  };
}

/** Over all entries, and where there are none that all have, of the first entry. */
function headline(a: BenchmarkRanking): string {
  const name = names(a);
  const [first, second] = a.overall;
  const what = a.by === "time" ? "time" : "energy";
  if (first && second) return `${name(first)} takes the least ${what} to the targets; ${name(second)} ${times_words(second.ratio / first.ratio)} as much.`;
  const measured = a.entries.flatMap((e) => e.rows).filter((row) => row.rank !== null);
  if (measured.length === 0) return a.entries.length === 0 ? "No result keeps the rules." : "Nothing here was measured: simulated boards have no rank.";
  if (new Set(measured.map((row) => row.file)).size === 1) return `${name(measured[0]!)}: ${plural(measured.length, "entry", "entries")} measured.`;
  return "The results share no entry: each entry is ranked by itself.";
}

export function benchmark_sheet({ answer: a }: BenchmarkPage): Sheet {
  const name = names(a);
  const rows = a.entries.flatMap((entry) => entry.rows.map((row) => ({ entry, row })));
  const energies = rows.some(({ row }) => row.energy_to_target_j !== null);
  const simulated = rows.some(({ row }) => row.rank === null);
  return {
    title: `benchmark of ${list_words([...new Set(rows.map(({ row }) => row.board))]) || "no board"}`,
    subject: `Benchmark of training · ${plural(new Set(rows.map(({ row }) => row.file)).size, "result")} · ranked by ${a.by} to the target`,
    headline: headline(a),
    lines: a.overall.length > 1 ? [`Over ${list_words(a.shared)}, as the geometric mean of the ratios to the best.`] : [],
    figures: [],
    meters: [
      ...(a.overall.length < 2 ? [] : [{
        title: a.by === "time" ? "Time against the best" : "Energy against the best", text: "Over the entries that all measured results have; to the right: more.", ratio: true,
        groups: [{ label: "", bars: a.overall.map((o): SheetMeter => ({ label: name(o), value: o.ratio, words: times_words(o.ratio), series: "measured", marked: o.rank === 1 })) }],
      }]),
      meters(a, "Time to the target", (row) => row.time_to_target_s, duration),
      ...(energies ? [meters(a, "Energy to the target", (row) => row.energy_to_target_j, (v) => with_unit(v, "J"))] : []),
    ],
    charts: [],
    tables: [
      table("Results", a.by === "time" ? "Ranked by time to the target." : "Ranked by energy to the target.", rows, [
        ["entry", "", ({ entry }) => entry.id], ["rank", "", ({ row }) => row.rank], ["board", "", ({ row }) => row.board], ["epochs", "", ({ row }) => row.epochs_to_target], ["to target", "s", ({ row }) => row.time_to_target_s], ["an epoch", "s", ({ row }) => row.epoch_s],
        ["energy to target", "kJ", ({ row }) => times(row.energy_to_target_j, 1e-3)], ["mean power", "W", ({ row }) => row.mean_w], [a.by === "time" ? "× time" : "× energy", "", ({ row }) => row.ratio],
        ["signed off by", "", ({ row }) => row.signed_off_by ?? "nobody"], ["file", "", ({ row }) => row.file],
      ], ({ row }) => row.provenance, ({ row }) => row.rank === 1),
      table("Left out", "What breaks a rule, or lacks what it would be ranked by.", a.left_out, [["file", "", (l) => l.file], ["entry", "", (l) => l.entry ?? "all"], ["why", "", (l) => l.why]]),
    ],
    notes: notes("note", [simulated ? "simulated boards have no rank: they learn nothing, and are taken to need as many epochs as it took where the targets were set" : ""]),
    facts: [facts("Ranking", [["by", `${a.by} to the target`], ["entries that all have", a.shared.length > 0 ? list_words(a.shared) : "none"]])],
  };
}
