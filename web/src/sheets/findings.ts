// What studies found, asked again: each finding with its verdict, changes published against changes here, and the runs behind them in the
// forms of the papers: where an epoch's time goes, and time against energy.
import type { FindingsAskedRun, FindingsOurValue, FindingsPage, FindingsPublishedValue, FindingsStudyFinding } from "../contract.ts";
import type { SheetChart } from "../view.ts";
import { digits, facts, notes, table, times, type Sheet, type SheetBar } from "./sheet.ts";

const most_bars = 24;

const verdict_words = (f: Pick<FindingsStudyFinding, "verdict">): string => ({ holds: "holds", size: "differs in size", sign: "differs", none: "not decided" })[f.verdict ?? "none"];
const answer_words = (f: FindingsStudyFinding): string => (f.holds === null ? "cannot be asked here" : verdict_words(f));

interface Pair { finding: FindingsStudyFinding; ours: FindingsOurValue; published: FindingsPublishedValue }
const pairs_of = (f: FindingsStudyFinding): Pair[] => f.ours.flatMap((ours) => f.published.filter((p) => p.name === ours.name).map((published) => ({ finding: f, ours, published })));

/** In percent; of what is farther apart a picture would show nothing else. */
const farthest = 400;
const verdict_order = ["holds", "differs in size", "differs", "not decided"];

/** Points of one group look alike in every chart: groups have their order. */
const in_order = <P extends { group: string }>(points: P[], order: string[]): P[] => [...points].sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group));

/** Changes and shares in percent, without those published as a bound; the line is where both are equal. */
function agreement(findings: FindingsStudyFinding[]): SheetChart[] {
  const known = findings.flatMap(pairs_of).flatMap(({ finding, ours, published }) => (ours.unit !== "%" || ours.value === null || published.value === null || published.text !== null ? [] : [{
    x: published.value, y: ours.value, label: `${finding.name}: ${ours.name}`, group: verdict_words(ours), marked: false,
  }]));
  const points = in_order(known.filter((p) => Math.max(Math.abs(p.x), Math.abs(p.y)) <= farthest), verdict_order);
  if (points.length === 0) return [];
  const beyond = known.length - points.length;
  const all = points.flatMap((p) => [p.x, p.y]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return [{ title: `Changes and shares: published and here${beyond > 0 ? ` (${beyond} beyond ${farthest} % ${beyond === 1 ? "stands" : "stand"} in the tables)` : ""}`, x: { label: "published", unit: "%" }, y: { label: "here", unit: "%" }, points, limits: [], lines: [{ label: "as published", points: [[low, low], [high, high]] }], log: false }];
}

const place = (r: FindingsAskedRun): string => `${r.workload} on ${r.board}`;
const setting = (r: FindingsAskedRun): string => [
  r.mode !== null && r.mode !== "MAXN" ? `mode ${r.mode}` : "", `${r.workers} workers`, r.batch_size === 16 ? "" : `batch ${r.batch_size}`, r.storage ?? "", r.dropped ? "cache dropped" : "", r.governors ? "clocks free" : "",
].filter((part) => part !== "").join(", ");

/** Time against energy of the modes of one network, as the study draws them. */
function scatters(runs: FindingsAskedRun[]): SheetChart[] {
  return [...new Set(runs.map(place))].flatMap((name) => {
    const modes = runs.filter((r) => place(r) === name && r.workers === 4 && r.batch_size === 16 && !r.dropped && !r.governors && r.energy_j !== null && r.e2e_s !== null);
    if (new Set(modes.map((r) => r.mode)).size < 4) return [];
    const points = modes.map((r) => ({ x: r.energy_j! / 3600, y: r.e2e_s!, label: setting(r), group: (r.mode ?? "").length === 1 ? `mode ${r.mode}` : "other modes", marked: false }));
    const front = [...points].sort((a, b) => a.x - b.x).reduce<typeof points>((kept, p) => (kept.length === 0 || p.y < kept[kept.length - 1]!.y ? [...kept, p] : kept), []);
    const same = (p: (typeof points)[number]) => ({ ...p, group: front.includes(p) ? "on the front" : "beaten by another mode", label: `${p.group}: ${p.label}` });
    return [{ title: `An epoch of ${name}: time and energy by mode`, x: { label: "energy", unit: "Wh" }, y: { label: "epoch", unit: "s" }, points: in_order(points.map(same), ["beaten by another mode", "on the front"]), limits: [], lines: [{ label: "front", points: front.map((p) => [p.x, p.y] as [number, number]) }], log: false }];
  });
}

/** Where the time of an epoch goes by the number of loader workers, where most runs of a network have their data. */
function bars(runs: FindingsAskedRun[]): SheetBar[] {
  const plain = runs.filter((r) => r.batch_size === 16 && !r.dropped && !r.governors && r.e2e_s !== null && r.stall_s !== null && r.usual_mode);
  return [...new Set(plain.map(place))].sort().flatMap((name) => {
    const own = plain.filter((r) => place(r) === name);
    const count = (storage: string | null) => own.filter((r) => r.storage === storage).length;
    const usual = own.map((r) => r.storage).reduce((most, s) => (count(s) > count(most) ? s : most), own[0]!.storage);
    const shown = own.filter((r) => r.storage === usual).sort((a, b) => a.workers - b.workers);
    return new Set(shown.map((r) => r.workers)).size < 2 ? [] : shown.map((r) => ({ label: name, which: `w ${r.workers}`, e2e_s: r.e2e_s!, stall_s: r.stall_s!, compute_s: r.compute_s ?? 0, overhead_s: r.overhead_s ?? 0, gpu_load_pct: r.gpu_pct, energy_j: r.energy_j }));
  }).slice(0, most_bars);
}

function finding_table(f: FindingsStudyFinding) {
  return table(`${f.name}: ${answer_words(f)}`, [`${f.claim} (${f.section}, ${f.use})`, f.why].filter((part) => part !== "").join(" "), pairs_of(f), [
    ["figure", "", ({ ours }) => ours.name], ["published", "", ({ published }) => published.words + (published.spread === null ? "" : ` (± ${published.spread})`)], ["here", "", ({ ours }) => ours.words],
    ["90 % interval", "", ({ ours }) => (ours.low === null || ours.high === null ? null : `${digits(ours.low)} to ${digits(ours.high)}`)], ["verdict", "", ({ ours }) => verdict_words(ours)],
  ]);
}

export function findings_sheet({ answer: a }: FindingsPage): Sheet {
  const answered = a.findings.filter((f) => f.holds !== null);
  const boards = a.boards.map((b) => b.board).join(", ");
  return {
    title: `findings on ${boards}`, subject: `Findings · ${a.boards.map((b) => `${b.board} (${b.provenance})`).join(", ")}`,
    headline: `${a.holds} of ${answered.length} findings hold on ${boards}.`,
    lines: [`${a.differ} differ, ${a.wrong_sign} of them in sign; ${a.unanswered} cannot be asked there.${a.held > 0 ? ` Of those whose figures never went into the simulation ${a.held_holds} of ${a.held} hold.` : ""}`],
    figures: [{ label: "hold", value: a.holds, unit: "" }, { label: "differ in size", value: a.differ - a.wrong_sign, unit: "" }, { label: "differ in sign", value: a.wrong_sign, unit: "" }, { label: "cannot be asked here", value: a.unanswered, unit: "" }],
    charts: [...agreement(a.findings), ...scatters(a.runs)], bars: bars(a.runs),
    tables: [
      table("What was found, asked again", "In the order of the studies.", answered, [["finding", "", (f) => f.name], ["section", "", (f) => f.section], ["claim", "", (f) => f.claim], ["verdict", "", answer_words], ["why", "", (f) => f.why]]),
      ...answered.map(finding_table),
      table("Cannot be asked here", "", a.findings.filter((f) => f.holds === null), [["finding", "", (f) => f.name], ["section", "", (f) => f.section], ["claim", "", (f) => f.claim], ["why", "", (f) => f.why]]),
      table("Trainings behind them", "Means over later epochs.", a.runs, [
        ["training", "", place], ["setting", "", setting], ["epoch", "s", (r) => r.e2e_s], ["stall", "s", (r) => r.stall_s], ["compute", "s", (r) => r.compute_s], ["overhead", "s", (r) => r.overhead_s],
        ["energy", "Wh", (r) => times(r.energy_j, 1 / 3600)], ["GPU busy", "%", (r) => r.gpu_pct],
      ]),
    ],
    notes: notes("note", [...a.notes, a.runs.length > 0 ? "bars: w 4 are four loader workers" : "", a.findings.some((f) => f.transferred) ? "findings that the studies asked of another board are judged by the sign of a change alone; shares of time and energy as they are" : ""]),
    facts: [facts("Studies", a.studies.map((title, i): [string, unknown] => [`study ${i + 1}`, title]))],
  };
}
