// Boards beside each other: how many times as fast, an epoch of each network beside what was published, and which to take.
import type { BoardsPage, Compare, CompareBoard, CompareNetworkFigures, CompareRatio } from "../contract.ts";
import { duration, list_words, plural, with_unit } from "../format.ts";
import type { SheetMeter, SheetMeters } from "../view.ts";
import { facts, notes, quantity, table, times, type Sheet } from "./sheet.ts";
import { config_words } from "../words.ts";

const thin = "\u202f";

const signed = (pct: number): string => `${pct > 0 ? "+" : ""}${pct.toFixed(1).replace("-", "−")}${thin}%`;

/** What a ratio is called, and over how many networks. */
function ratio_words(ratio: CompareRatio): { words: string; remark?: string } {
  const [, words, remark] = /^(.*?)(?: \((.*)\))?$/.exec(ratio.text.replace(/ ×/g, `${thin}×`))!;
  return remark ? { words: words!, remark } : { words: words! };
}

type Beside = NonNullable<SheetMeter["beside"]>;

/** In orders of magnitude the ratio is said, too. */
function beside_words(ratio: CompareRatio): string {
  const { words, remark } = ratio_words(ratio);
  const exactly = /^[\d.]+\u202f×/.exec(remark ?? "");
  return exactly ? `${words} (${exactly[0]})` : words;
}

/** Speed or energy against the baseline; whose figures only one of both has says why. */
function ratios(a: Compare, title: string, text: string, of: (b: CompareBoard) => CompareRatio | null, own: string, beside: (b: CompareBoard) => Beside): SheetMeters {
  const bars = a.boards.map((b): SheetMeter => {
    const ratio = of(b);
    return { label: b.title, value: b.baseline ? 1 : ratio?.mean ?? null, ...(b.baseline ? { words: "the baseline" } : ratio ? ratio_words(ratio) : { words: "not known of both boards" }), series: own, beside: beside(b), marked: b.name === a.choice?.name };
  });
  return { title, text, ratio: true, groups: [{ label: "", bars }] };
}

const other_speeds = (b: CompareBoard): Beside => [["published", b.published_speed] as const, ["measured", b.measured_speed] as const].flatMap(([series, ratio]) => (ratio ? [{ value: ratio.mean, words: `${series}: ${beside_words(ratio)}`, series }] : []));

function beside_epoch(a: Compare, f: CompareNetworkFigures): Beside {
  const all: Beside = [];
  const difference = (pct: number | null) => (pct === null ? "" : `; here ${signed(pct)}`);
  if (f.published_s !== null) all.push({ value: f.published_s, words: `published: ${duration(f.published_s)}${difference(f.published_difference_pct)}`, series: "published" });
  const minibatches = a.networks.find((n) => n.workload === f.workload)?.minibatches;
  if (f.measured_ms !== null && minibatches != null) {
    const seconds = (f.measured_ms * minibatches) / 1000;
    all.push({ value: seconds, words: `measured: ${duration(seconds)}${difference(f.measured_difference_pct)}`, series: "measured" });
  }
  return all;
}

const why_not = (f: CompareNetworkFigures): string => `${f.missing ?? "the length of an epoch is not known"}${f.fits === false && f.published_fits === false ? " (published: out of memory)" : ""}`;

function network_bars(a: Compare, own: string, value: (f: CompareNetworkFigures) => number | null, words: (v: number) => string, beside: (f: CompareNetworkFigures) => Beside): SheetMeters["groups"] {
  return a.networks.map((n, i) => ({
    label: n.workload,
    bars: a.boards.map((b): SheetMeter => {
      const figures = b.figures[i]!;
      const known = value(figures);
      return { label: b.title, value: known, words: known === null ? why_not(figures) : words(known), series: own, beside: beside(figures), marked: b.name === a.choice?.name };
    }),
  }));
}

/** How the figures are known: "simulated", "table". */
const how = (a: Compare): string => list_words([...new Set(a.boards.flatMap((b) => b.figures.flatMap((f) => f.provenance ?? [])))]);

function headline(a: Compare): string {
  if (a.choice) return `Take ${a.boards.find((b) => b.name === a.choice!.name)!.title}.`;
  if (a.infeasible) return `${a.infeasible.reason.charAt(0).toUpperCase()}${a.infeasible.reason.slice(1)}.`;
  const baseline = a.boards.find((b) => b.baseline)!;
  if (a.boards.length === 1) return `${baseline.title}: ${plural(a.networks.length, "network")}.`;
  const speed = (b: CompareBoard): number => (b.baseline ? 1 : b.speed?.mean ?? 0);
  const fastest = a.boards.reduce((most, b) => (speed(b) > speed(most) ? b : most), baseline);
  if (fastest.baseline) return `${baseline.title} is the fastest of ${plural(a.boards.length, "board")}.`;
  const words = ratio_words(fastest.speed!).words;
  return `${fastest.title} is ${words} ${words.endsWith("faster") ? "than" : "as"} ${baseline.title}.`;
}

/** The modes that its figures are of, without what is the same on all boards. */
function modes_of(b: CompareBoard): string {
  const board_side = ({ batch_size, loader_workers, prefetch, ...rest }: Record<string, unknown>) => config_words(rest as Record<string, number>);
  return [...new Set(b.figures.flatMap((f) => (f.config === null ? [] : board_side(f.config))))].join("; ");
}

export function boards_sheet({ answer: a }: BoardsPage): Sheet {
  const baseline = a.boards.find((b) => b.baseline)!;
  const { currency } = a.prices;
  const figures = a.networks.flatMap((n, i) => a.boards.map((b) => ({ network: n.workload, board: b, f: b.figures[i]! })));
  const own = how(a);
  const published = figures.some(({ f }) => f.published_fits !== null);
  const epochs = figures.some(({ f }) => f.epoch_s !== null);
  return {
    title: `boards for ${list_words(a.networks.map((n) => n.workload))}`,
    subject: `Boards · training of ${list_words(a.networks.map((n) => n.workload))} · batch size ${a.asked.batch_size} · ${plural(a.asked.loader_workers, "loader worker")} · highest known mode`,
    headline: headline(a),
    lines: [a.asked.text === null ? "" : `Asked: ${a.asked.text}.`, a.choice?.text ? `${a.choice.text}.` : "", a.infeasible?.hint ? `${a.infeasible.hint.charAt(0).toUpperCase()}${a.infeasible.hint.slice(1)}.` : ""].filter(Boolean),
    figures: [],
    meters: [
      ...(a.boards.length < 2 ? [] : [
        ratios(a, `Speed against ${baseline.title}`, "To the right: faster; to the left: slower.", (b) => b.speed, own, other_speeds),
        ratios(a, `Energy against ${baseline.title}`, "Of a minibatch; to the right: more.", (b) => b.energy, own, () => []),
      ]),
      epochs ? { title: "Time of an epoch", text: "Shorter is better.", far: true, groups: network_bars(a, own, (f) => f.epoch_s, duration, (f) => beside_epoch(a, f)) }
        : { title: "Time of a minibatch", text: "How long an epoch is is not known of these networks.", far: true, groups: network_bars(a, own, (f) => f.minibatch_ms, (v) => with_unit(v, "ms"), (f) => (f.measured_ms === null ? [] : [{ value: f.measured_ms, words: `measured: ${with_unit(f.measured_ms, "ms")}`, series: "measured" }])) },
    ],
    charts: [],
    tables: [
      table("The boards", a.asked.text === null ? "" : `Asked: ${a.asked.text}.`, a.boards, [
        ["board", "", (b) => b.title], ["power total", "", (b) => [b.power_total, b.power_parts].filter(Boolean).join(": ") || "not told"], ["list price", currency, (b) => b.price?.amount ?? null],
        ["price of", "", (b) => (b.price === null ? "" : [b.price.what, b.price.date].filter(Boolean).join(", "))], ["mode", "", modes_of], ["misses", "", (b) => (b.misses === null ? "" : b.misses.length > 0 ? b.misses.join("; ") : "nothing")],
      ], () => null, (b) => b.name === a.choice?.name),
      table("Figures", "Each board in the highest mode that is known of it.", figures, [
        ["network", "", (r) => r.network], ["board", "", (r) => r.board.name], ["minibatch", "ms", ({ f }) => quantity(f.minibatch_ms, f.minibatch_ms_90)], ["epoch", "", ({ f }) => (f.epoch_s === null ? why_not(f) : duration(f.epoch_s))],
        ["power", "W", ({ f }) => quantity(f.power_w, f.power_w_90)], ["its energy", "kJ", ({ f }) => times(f.epoch_j, 1e-3)], ["its price", currency, ({ f }) => f.epoch_price],
        ["published", "s", ({ f }) => (f.published_fits === false ? "out of memory" : published ? f.published_s : "")], ["measured", "ms", ({ f }) => (a.measured_file === null ? "" : f.measured_ms)],
      ], ({ f }) => f.provenance, (r) => r.board.name === a.choice?.name),
    ],
    notes: notes("note", a.notes),
    facts: [
      facts("Prices", [["from", a.prices.file], ["life", `${a.prices.life_years} years`], ["electricity", `${a.prices.electricity_per_kwh} ${currency}/kWh`]]),
      facts("Published", published ? [["report", a.published.title], ["where", a.published.source]] : []),
      facts("Measured", [["file", a.measured_file]]),
    ].filter((f) => f.list.length > 0),
  };
}
