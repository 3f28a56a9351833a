// Stacked bars: what an epoch spends its time on, epoch 0 above the later ones of each setting.
import type { ExperimentGroup, ExperimentMeans } from "../contract.ts";
import { number, scale, with_unit } from "../format.ts";
import type { Colours } from "../theme.ts";
import { short_labels } from "./violins.ts";

/** End to end, and its parts; what it took, where that is known. */
export type Parts = Pick<ExperimentMeans, "e2e_s" | "stall_s" | "compute_s" | "overhead_s"> & Partial<Pick<ExperimentMeans, "gpu_load_pct" | "energy_j">>;

export interface Bar<M extends Parts = Parts> {
  label: string;
  /** The first epoch is paler. */
  which: string;
  means: M;
  /** Why its figures deserve doubt. */
  doubts?: string | null;
}

/** In reading order, from the top. */
export function bars_of(groups: ExperimentGroup[]): Bar<ExperimentMeans>[] {
  return groups.flatMap((g) => [
    { label: g.label, which: "epoch 0" as const, means: g.first, doubts: g.doubts },
    ...(g.later ? [{ label: g.label, which: "epochs 1+" as const, means: g.later, doubts: g.doubts }] : []),
  ]);
}

export const parts = ["compute", "stall", "overhead"] as const;
export const part_words = { compute: "Compute", stall: "Fetch stall", overhead: "Overhead" } as const;
export const part_colour = (part: (typeof parts)[number], c: Colours): string => ({ compute: c.blue, stall: c.choice, overhead: c.cloud })[part];

/** px; on a phone a label takes two lines. */
const bar_height = (narrow: boolean): number => (narrow ? 36 : 26);

export const tells_load = (bars: Bar[]): boolean => bars.some((b) => b.means.gpu_load_pct != null);
const tells_energy = (bars: Bar[]): boolean => bars.some((b) => b.means.energy_j != null);

/** Of the whole chart, with an axis on top where the GPU's load is marked. */
export const chart_height = (bars: Bar[], narrow: boolean): number => bars.length * bar_height(narrow) + 56 + (tells_load(bars) ? 36 : 0);

/** On a phone there is no room for the energy, which the tables have. */
const end_words = ({ means }: Bar, narrow: boolean): string => [with_unit(means.e2e_s, "s"), ...(narrow || means.energy_j == null ? [] : [with_unit(means.energy_j, "J")])].join(" · ");

/** Diamonds on an axis of their own: the share of the time that the GPU was busy. */
function load_marks(bars: Bar[], colours: Colours): Record<string, unknown> {
  return {
    type: "scatter", name: "GPU busy", xAxisIndex: 1, symbol: "diamond", symbolSize: 9, silent: true, z: 5,
    itemStyle: { color: colours.ink, borderColor: colours.surface, borderWidth: 1.5 }, data: bars.map((b) => b.means.gpu_load_pct ?? null),
  };
}

export function build_bars(bars: Bar[], colours: Colours, font: string, narrow: boolean, what = "Time of an epoch"): Record<string, unknown> {
  const longest = Math.max(...bars.map((b) => b.means.e2e_s));
  const [unit, factor] = scale(longest, "s");
  // Braces would be read as styles.
  const plain = (text: string) => text.replace(/[{}|]/g, " ");
  const load = tells_load(bars);
  const axis_words = { nameLocation: "middle", nameTextStyle: { color: colours.muted, fontSize: 12 }, axisLabel: { color: colours.muted, fontSize: 11, hideOverlap: true }, splitNumber: narrow ? 3 : 5 };
  const labels = narrow ? short_labels(bars.map((b) => b.label)) : bars.map((b) => b.label);
  const name = (b: Bar, i: number) => (i === 0 || bars[i - 1]!.label !== b.label ? `{group|${plain(labels[i]!)}}${narrow ? "\n" : "  "}${plain(b.which)}` : plain(b.which));
  return {
    animation: false, textStyle: { fontFamily: font },
    grid: { left: narrow ? 130 : 270, right: tells_energy(bars) && !narrow ? 110 : 70, top: load ? 42 : 6, bottom: 40 },
    xAxis: [
      { type: "value", position: "bottom", name: `${what} (${unit})`, nameGap: 26, ...axis_words, splitLine: { lineStyle: { color: colours.grid } } },
      ...(load ? [{ type: "value", position: "top", name: "GPU busy (%)", nameGap: 24, min: 0, max: 100, ...axis_words, splitLine: { show: false } }] : []),
    ],
    yAxis: {
      type: "category", inverse: true, data: bars.map(name), axisTick: { show: false }, axisLine: { lineStyle: { color: colours.rule } },
      axisLabel: { color: colours.muted, fontSize: narrow ? 11 : 12.5, interval: 0, width: narrow ? 122 : 262, overflow: narrow ? "truncate" : "break", lineHeight: 14, rich: { group: { lineHeight: 14, color: colours.ink, fontWeight: 600, fontSize: narrow ? 11 : 12.5 } } },
    },
    series: [...parts.map((part, p) => ({
      type: "bar", name: part_words[part], stack: "epoch", barWidth: "68%", silent: true,
      data: bars.map((b) => ({
        value: Math.max(0, b.means[`${part}_s`]) / factor,
        itemStyle: { color: part_colour(part, colours), opacity: b.which === "epoch 0" ? 0.62 : 1 },
      })),
      label: p < parts.length - 1 ? { show: false } : {
        show: true, position: "right", color: colours.ink, fontSize: 12,
        formatter: ({ dataIndex }: { dataIndex: number }) => end_words(bars[dataIndex]!, narrow),
      },
    })), ...(load ? [load_marks(bars, colours)] : [])],
  };
}

const took = ({ means: m }: Bar): string => `${m.gpu_load_pct == null ? "" : `, GPU busy for ${number(m.gpu_load_pct)} %`}${m.energy_j == null ? "" : `, ${with_unit(m.energy_j, "J")}`}`;

/** The same in words, for who cannot see it. */
export function bars_text(bars: Bar[]): string {
  return bars.map((b) => `${b.label}${b.which === "" ? "" : `, ${b.which}`}: ${with_unit(b.means.e2e_s, "s")}, of it ${parts.map((p) => `${part_words[p].toLowerCase()} ${number(b.means[`${p}_s`])} s`).join(", ")}${took(b)}`).join("; ");
}
