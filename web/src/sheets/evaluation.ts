// Strategies judged on problems of every kind: how many they satisfy, how far they are from the best, and what that costs in profiles.
import type { EvaluateAll, EvaluateAllRow, EvaluationPage } from "../contract.ts";
import { exact, list_words, plural } from "../format.ts";
import type { SheetChart, SheetMeters } from "../view.ts";
import { facts, notes, table, type Sheet } from "./sheet.ts";

const totals = (a: EvaluateAll): EvaluateAllRow[] => a.rows.filter((r) => r.kind === null);
const kinds = (a: EvaluateAll): EvaluateAllRow[] => a.rows.filter((r) => r.kind !== null && r.tables === null);
const places = (a: EvaluateAll): EvaluateAllRow[] => a.rows.filter((r) => r.tables !== null);

const percent = (value: number | null, decimals: number): string => (value === null ? "–" : `${value.toFixed(decimals)}\u202f%`);
const share = (row: EvaluateAllRow): string => percent(row.satisfied_pct, row.satisfied_pct === 100 ? 0 : 1);
const rounded = (value: number | null, decimals: number): number | null => (value === null ? null : Number(value.toFixed(decimals)));

/** Who satisfies most; of those who satisfy as many, who is nearest to the best. */
export const best_of = (rows: EvaluateAllRow[]): EvaluateAllRow | undefined =>
  [...rows].sort((a, b) => (b.satisfied_pct ?? -1) - (a.satisfied_pct ?? -1) || (a.mean_distance_pct ?? Infinity) - (b.mean_distance_pct ?? Infinity))[0];

const profiles = (row: EvaluateAllRow): string => `${(row.mean_profiles ?? 0).toFixed(1)} profiles`;
const words = (row: EvaluateAllRow): string =>
  `${row.strategy} satisfies ${share(row)}${row.mean_distance_pct === null ? "" : `, on average ${percent(row.mean_distance_pct, 2)} from the optimum`}, with ${profiles(row)}`;

const row_title = (row: EvaluateAllRow): string => [row.kind ?? "", row.tables ?? ""].filter(Boolean).join(": ");

/** By kind, all of them first: a bar for each strategy. */
function meters(a: EvaluateAll, title: string, text: string, value: (row: EvaluateAllRow) => number | null, said: (row: EvaluateAllRow) => string, most?: number): SheetMeters {
  const rows = [...totals(a), ...kinds(a)];
  const names = [...new Set(rows.map((r) => r.kind))];
  return {
    title, text, ...(most === undefined ? {} : { most }),
    groups: names.map((kind) => ({
      label: kind ?? "all problems",
      bars: rows.filter((r) => r.kind === kind).map((r) => ({ label: r.strategy, value: value(r), words: said(r), series: r.strategy })),
    })),
  };
}

/** What each table and pair costs, and how far from the best the answers there are. */
function chart(a: EvaluateAll): SheetChart[] {
  const points = places(a).flatMap((r) => (r.mean_distance_pct === null || r.mean_profiles === null ? [] : [{ x: r.mean_profiles, y: r.mean_distance_pct, label: row_title(r), group: r.strategy, marked: false }]));
  return points.length < 2 ? [] : [{ title: "Each table and pair: profiles and distance", x: { label: "profiles, mean", unit: "" }, y: { label: "distance to the optimum, mean", unit: "%" }, points, limits: [], log: false }];
}

const figures = (title: string, text: string, rows: EvaluateAllRow[], of: [label: string, cell: (row: EvaluateAllRow) => string][]) => {
  const failed = rows.some((r) => r.failed > 0);
  return table(title, text, rows, [
    ...of.map(([label, cell]): [string, string, (row: EvaluateAllRow) => string] => [label, "", cell]), ["strategy", "", (r) => r.strategy], ["solvable", "", (r) => r.solvable], ["satisfied", "%", (r) => r.satisfied_pct],
    ["distance, median", "%", (r) => r.median_distance_pct], ["distance, mean", "%", (r) => r.mean_distance_pct], ["profiles, mean", "", (r) => r.mean_profiles], ["profiles, most", "", (r) => r.max_profiles],
    ["broken off", "", (r) => (failed ? r.failed : "")],
  ]);
};

export function evaluation_sheet({ answer: a }: EvaluationPage): Sheet {
  const all = totals(a);
  const best = best_of(all);
  const others = all.filter((r) => r !== best);
  const broken = a.failures.filter((f) => f.strategy !== null).reduce((sum, f) => sum + f.count, 0);
  return {
    title: `${list_words(all.map((r) => r.strategy))} on ${plural(a.tables, "table")}`,
    subject: `Evaluation · ${plural(a.tables, "table")} of ${exact(a.configurations)} configurations · ${plural(a.problems, "problem")} of ${plural(new Set(kinds(a).map((r) => r.kind)).size, "kind")}`,
    headline: best ? `${words(best)}.` : "No search came to an end.",
    lines: [
      ...others.map((r) => `${words(r)}.`),
      `Of ${plural(a.problems, "problem")} ${exact(a.solvable)} can be solved by some configuration${a.unposed > 0 ? `; ${exact(a.unposed)} could not be posed` : ""}.${broken > 0 ? ` ${plural(broken, "search", "searches")} broke off and ${broken === 1 ? "counts" : "count"} as not satisfied.` : ""}`,
    ],
    figures: best ? [
      { label: `satisfied by ${best.strategy}`, value: rounded(best.satisfied_pct, 1), unit: "%", note: `${exact(best.satisfied)} of ${exact(best.solvable)}` },
      { label: "distance to the optimum, mean", value: rounded(best.mean_distance_pct, 2), unit: "%", note: `median ${percent(best.median_distance_pct, 2)}` },
      { label: "profiles, mean", value: best.mean_profiles, unit: "profiles", note: best.max_profiles === null ? "" : `at most ${exact(best.max_profiles)}` },
    ] : [],
    meters: [
      meters(a, "Satisfied", "Problems whose answer keeps every limit by the table's own figures, of those that some configuration solves.", (r) => r.satisfied_pct, (r) => `${share(r)} of ${exact(r.solvable)}`, 100),
      meters(a, "Distance to the optimum", "Time, latency or training lost against the best of the table, mean over the satisfied problems.", (r) => r.mean_distance_pct, (r) => (r.mean_distance_pct === null ? "none satisfied" : `${percent(r.mean_distance_pct, 2)}, median ${(r.median_distance_pct ?? 0).toFixed(2)}`)),
      meters(a, "Profiles", "What a search measures, mean over the solvable problems; of a dynamic one over all its rates.", (r) => r.mean_profiles, (r) => `${(r.mean_profiles ?? 0).toFixed(1)}, at most ${exact(r.max_profiles ?? 0)}`),
    ],
    charts: chart(a),
    tables: [
      figures("Kinds of problems", "", [...all, ...kinds(a)], [["problems", (r) => r.kind ?? "all"]]),
      figures("Tables and pairs", "", places(a), [["problems", (r) => r.kind!], ["tables", (r) => r.tables!]]),
      table("What failed", "Searches that broke off, and problems that could not be posed.", a.failures, [
        ["what", "", (f) => (f.strategy === null ? "could not be posed" : `${f.strategy} broke off`)], ["count", "", (f) => f.count], ["problems", "", (f) => f.kind], ["tables", "", (f) => f.tables], ["why", "", (f) => f.message], ["remedy", "", (f) => f.hint],
      ]),
    ],
    notes: notes("warning", [broken > 0 ? `${plural(broken, "search", "searches")} broke off: see What failed` : "", a.unposed > 0 ? `${plural(a.unposed, "problem")} could not be posed: see What failed` : ""]),
    facts: [facts("Ground", [["tables", a.tables], ["configurations", exact(a.configurations)], ["problems drawn", exact(a.problems)], ["that can be solved", exact(a.solvable)]])],
  };
}
