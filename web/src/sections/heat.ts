// A heat map of time, power or energy over any two axes; what the others are held at is chosen beside it.
import { live_chart } from "../charts/echarts.ts";
import { build_heat, least_cell, margins, shade } from "../charts/heat.ts";
import { attach_hover } from "../charts/hover.ts";
import { chip, h, section, select } from "../dom.ts";
import { axis_label, axis_value, exact, number, with_unit } from "../format.ts";
import { allowed_in, cells_of, figure_of, range_of, tune_grid, values_of, type Cells, type Figure, type Grid, type Held } from "../heat.ts";
import { colours, font } from "../theme.ts";
import type { TuneReport } from "../view.ts";

const units: Record<Figure, string> = { time: "ms", power: "W", energy: "J" };

function label_of(grid: Grid, figure: Figure): string {
  if (figure === "power") return "Power";
  if (figure === "time" && grid.time !== undefined) return grid.time;
  return `${figure === "time" ? "Time" : "Energy"} per ${grid.per}`;
}

const figures_of = (grid: Grid): Figure[] => (["time", "power", "energy"] as const).filter((f) => grid.configurations.some((c) => Number.isFinite(figure_of(f, c))));

/** Axes with at least two values: less makes no map. */
const usable = (grid: Grid): number[] => grid.axes.flatMap((_, d) => (values_of(grid, d).length > 1 ? [d] : []));

const axis_name = (grid: Grid, d: number): string => (grid.axes[d]!.unit === "" ? axis_label(grid.axes[d]!) : `${axis_label(grid.axes[d]!)} (${grid.axes[d]!.unit})`);

/** The two axes with the most values, board axes before those of a run. */
function opening(grid: Grid): [x: number, y: number] {
  const weight = (d: number) => values_of(grid, d).length + (grid.axes[d]!.scope === "board" ? 1000 : 0);
  const [x, y] = usable(grid).sort((a, b) => weight(b) - weight(a));
  return [x!, y!];
}

function card(grid: Grid, index: number): HTMLElement {
  const c = grid.configurations[index]!;
  const entry = (f: Figure) => [h("dt", {}, label_of(grid, f)), h("dd", {}, h("b", {}, with_unit(figure_of(f, c), units[f])))];
  return h("div", { class: "card" },
    h("p", { class: "card-head" }, h("span", {}, grid.title), chip(c.provenance)),
    h("dl", { class: "quantities" }, ...figures_of(grid).filter((f) => Number.isFinite(figure_of(f, c))).flatMap(entry)),
    h("dl", { class: "settings" }, ...grid.axes.flatMap((a, d) => [h("dt", {}, axis_label(a)), h("dd", {}, axis_value(a, c.config[d]!))])));
}

/** What was asked: the map opens on it. */
interface Asked {
  figure: Figure;
  /** The setting that the map goes through: the answer, else the default. */
  through: number[];
  allowed: (index: number) => boolean;
  bounded: boolean;
}

export function heat_section(all: Grid[], asked: Asked | null = null): HTMLElement | null {
  const grids = all.filter((g) => usable(g).length >= 2 && figures_of(g).length > 0);
  if (grids.length === 0) return null;
  let grid = grids[0]!;
  const wanted = asked?.figure ?? "energy";
  let figure: Figure = figures_of(grid).includes(wanted) ? wanted : figures_of(grid)[0]!;
  let [x, y] = opening(grid);
  let held: Held[] = [];
  let cells: Cells;

  const controls = h("div", { class: "controls" });
  const canvas = h("div", { class: "canvas" });
  const box = h("div", { class: "chart heat", tabindex: 0, role: "application", "aria-roledescription": "heat map" }, canvas);
  const key = h("p", { class: "heat-key" });
  const caption = h("figcaption", { class: "caption" });
  const instance = live_chart(canvas, draw);
  const position = (value: number, axis: "xAxisIndex" | "yAxisIndex") => instance.convertToPixel({ [axis]: 0 }, value) as unknown as number;
  const order = () => cells.from.flatMap((row, j) => row.map((index, i) => ({ index, i, j }))).filter((c) => c.index >= 0);
  const hover = attach_hover(box, {
    pixels: () => {
      const [px, py] = [new Float64Array(grid.configurations.length).fill(NaN), new Float64Array(grid.configurations.length).fill(NaN)];
      for (const { index, i, j } of order()) [px[index], py[index]] = [position(i, "xAxisIndex"), position(j, "yAxisIndex")];
      return { x: px, y: py };
    },
    hit: (px, py) => {
      const [width, height] = [canvas.clientWidth - margins.left - margins.right, canvas.clientHeight - margins.top - margins.bottom];
      const i = Math.floor(((px - margins.left) / width) * cells.xs.length);
      const j = cells.ys.length - 1 - Math.floor(((py - margins.top) / height) * cells.ys.length);
      return cells.from[j]?.[i] ?? -1;
    },
    card: (index) => card(grid, index),
    stops: () => order().map((c) => c.index),
    preferred: new Set<number>(),
  });

  function hold(): void {
    held = grid.axes.map((_, d) => asked?.through[d] ?? values_of(grid, d).slice(-1)[0]!);
  }
  function redraw(): void {
    hover.hide();
    draw();
  }
  function offer(): void {
    const axes = usable(grid).map((d): [string, string] => [String(d), axis_label(grid.axes[d]!)]);
    const swap = (one: "x" | "y") => (text: string) => {
      const next = Number(text);
      if (one === "x") [x, y] = [next, next === y ? x : y];
      else [x, y] = [next === x ? y : x, next];
      offer();
      redraw();
    };
    const others = usable(grid).filter((d) => d !== x && d !== y);
    const keep = (d: number) => select(axis_label(grid.axes[d]!), [["least", "whichever is least"], ...values_of(grid, d).map((v): [string, string] => [String(v), axis_value(grid.axes[d]!, v)])], String(held[d]), (text) => {
      held[d] = text === "least" ? "least" : Number(text);
      redraw();
    });
    controls.replaceChildren(
      ...(grids.length > 1 ? [select("Of", grids.map((g, i): [string, string] => [String(i), g.title]), String(grids.indexOf(grid)), (text) => {
        grid = grids[Number(text)]!;
        [x, y] = opening(grid);
        if (!figures_of(grid).includes(figure)) figure = figures_of(grid)[0]!;
        hold();
        offer();
        redraw();
      })] : []),
      select("Show", figures_of(grid).map((f): [string, string] => [f, label_of(grid, f)]), figure, (text) => {
        figure = text as Figure;
        redraw();
      }),
      select("Across", axes, String(x), swap("x")), select("Upwards", axes, String(y), swap("y")), ...others.map(keep));
  }
  function draw(): void {
    cells = cells_of(grid, figure, x, y, held, asked?.allowed);
    const theme = colours();
    const range = range_of(cells.values);
    instance.setOption(build_heat(cells, [axis_name(grid, x), axis_name(grid, y)], theme, font(), canvas.clientWidth, canvas.clientHeight), true);
    const bar = h("i", {});
    bar.style.background = `linear-gradient(to right, ${shade(range[0], range, theme)}, ${shade(range[1], range, theme)})`;
    key.replaceChildren(`${number(range[0])}\u202f${units[figure]}`, bar, `${number(range[1])}\u202f${units[figure]}`);
    const least = least_cell(cells);
    const at = least ? `${axis_label(grid.axes[x]!)} ${exact(cells.xs[least[1]]!)}, ${axis_label(grid.axes[y]!)} ${exact(cells.ys[least[0]]!)}` : "";
    const text = least ? `${label_of(grid, figure)} is least${asked?.bounded ? " within the budgets" : ""}, ${with_unit(cells.values[least[0]]![least[1]]!, units[figure])}, at ${at} (framed). Lines join equal values.` : order().length > 0 ? "Nothing here keeps within the budgets. Lines join equal values." : "Nothing is known for these settings.";
    const hatched = cells.beyond.some((row, j) => row.some((b, i) => b && cells.from[j]![i]! >= 0));
    caption.textContent = hatched ? `${text} Hatched cells break a budget.` : text;
    box.setAttribute("aria-label", `${label_of(grid, figure)} over ${axis_label(grid.axes[x]!)} and ${axis_label(grid.axes[y]!)}. ${text} Arrow keys walk through the cells.`);
    box.dataset["cells"] = String(order().length);
  }
  hold();
  offer();
  draw();
  return section("heat-section", "Heat map", "", controls, h("figure", {}, box, key, caption));
}

export function tune_heat(report: TuneReport): HTMLElement | null {
  const through = report.configurations[report.choice?.configuration ?? report.default?.configuration ?? -1]?.config ?? [];
  const { budgets, limits, objective } = report.request;
  return heat_section([tune_grid(report)], { figure: objective, through, allowed: allowed_in(report), bounded: budgets.length > 0 || (limits ?? []).length > 0 });
}
