// A heat map: a cell for each pair of values, lines of equal value over them, the least cell framed.
import { number, short_number, exact } from "../format.ts";
import { around_middles, iso_line, levels_of, mix, range_of, type Cells, type Segment } from "../heat.ts";
import type { Colours } from "../theme.ts";

interface Api {
  value(d: number): number;
  coord(p: number[]): number[];
}

export const margins = { left: 62, right: 16, top: 34, bottom: 48 };

/** Least cell of those that are allowed, row and column; null where none is known. */
export function least_cell(cells: Cells): [row: number, column: number] | null {
  let best: [number, number] | null = null;
  cells.values.forEach((row, j) => row.forEach((v, i) => {
    if (v === v && !cells.beyond[j]![i] && !(v >= (best ? cells.values[best[0]]![best[1]]! : Infinity))) best = [j, i];
  }));
  return best;
}

export function shade(value: number, [low, high]: [number, number], colours: Colours): string {
  return mix(colours.grid, colours.blue, high > low ? Math.log(value / low) / Math.log(high / low) : 0);
}

/** Ink or surface, whichever stands out more on "rgb(r, g, b)" (WCAG's relative luminance). */
function readable(on: string, colours: Colours): string {
  const parts = (text: string) => (text.startsWith("#") ? [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) : text.match(/\d+/g)!.map(Number));
  const light = (text: string) => {
    const [r, g, b] = parts(text).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const ground = light(on);
  return contrast(ground, light(colours.ink)) >= contrast(ground, light(colours.surface)) ? colours.ink : colours.surface;
}

/** Slanted lines over a cell that breaks a budget. */
function hatching(box: { x: number; y: number; width: number; height: number }, colours: Colours) {
  const lines = [];
  for (let at = 6; at < box.width + box.height; at += 9) {
    const [low, high] = [Math.max(0, at - box.width), Math.min(at, box.height)];
    lines.push({ type: "line", shape: { x1: box.x + at - low, y1: box.y + low, x2: box.x + at - high, y2: box.y + high }, style: { stroke: colours.limit, lineWidth: 1, opacity: 0.4 } });
  }
  return lines;
}

function axis(name: string, values: number[], colours: Colours, vertical: boolean) {
  return {
    type: "value", min: -0.5, max: values.length - 0.5, name, nameLocation: vertical ? "end" : "middle", nameGap: vertical ? 14 : 30,
    nameTextStyle: { color: colours.muted, fontSize: 12, align: vertical ? "left" : "center", padding: vertical ? [0, 0, 0, -50] : 0 },
    axisLine: { show: false }, axisTick: { show: false, customValues: values.map((_, i) => i) }, splitLine: { show: false },
    axisLabel: { customValues: values.map((_, i) => i), color: colours.muted, fontSize: 12, hideOverlap: true, formatter: (v: number) => (values[v] === undefined ? "" : exact(values[v]!)) },
  };
}

export function build_heat(cells: Cells, names: [x: string, y: string], colours: Colours, font: string, width: number, height: number): Record<string, unknown> {
  const range = range_of(cells.values);
  const least = least_cell(cells);
  const [across, along] = [(width - margins.left - margins.right) / cells.xs.length, (height - margins.top - margins.bottom) / cells.ys.length];
  const known = cells.values.flatMap((row, j) => row.flatMap((v, i) => (v === v ? [[i, j, v]] : [])));
  const cell = (_: unknown, api: Api) => {
    const [i, j, v] = [api.value(0), api.value(1), api.value(2)];
    const [a, b] = [api.coord([i - 0.5, j + 0.5]), api.coord([i + 0.5, j - 0.5])];
    const best = least !== null && least[0] === j && least[1] === i;
    const shape = { x: a[0]! + 0.5, y: a[1]! + 0.5, width: b[0]! - a[0]! - 1, height: b[1]! - a[1]! - 1 };
    const inset = { x: shape.x + 1, y: shape.y + 1, width: shape.width - 2, height: shape.height - 2 };
    return { type: "group", children: [
      { type: "rect", shape, style: { fill: shade(v, range, colours) } },
      ...(cells.beyond[j]![i] ? hatching(shape, colours) : []),
      ...(best ? [{ type: "rect", shape: inset, style: { fill: "none", stroke: colours.choice, lineWidth: 2.5 } }] : []),
    ] };
  };
  const text = across > 46 && along > 20;
  // With the cell's own colour around it.
  const figure = (_: unknown, api: Api) => {
    const [v, p] = [api.value(2), api.coord([api.value(0), api.value(1)])];
    const fill = shade(v, range, colours);
    return { type: "text", style: { x: p[0], y: p[1], text: number(v), align: "center", verticalAlign: "middle", font: `12px ${font}`, fill: readable(fill, colours), stroke: fill, lineWidth: 3 } };
  };
  const widest = Math.max(...known.map((c) => number(c[2]!).length));
  const levels = levels_of(...range).map((level) => ({ level, segments: iso_line(cells.values, level) })).filter((l) => l.segments.length > 0);
  // Lines stop before a number and go on behind it.
  const shown = text ? (s: Segment) => around_middles(s, (widest * 3.6 + 6) / across, 11 / along) : (s: Segment) => [s];
  const contour = levels.flatMap(({ level, segments }) => segments.flatMap(shown).map((s) => [...s, level]));
  const line = (_: unknown, api: Api) => {
    const [a, b] = [api.coord([api.value(0), api.value(1)]), api.coord([api.value(2), api.value(3)])];
    return { type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: colours.ink, lineWidth: 1.3, opacity: 0.75 } };
  };
  // Where cells hold their numbers, lines need none.
  const named = text ? [] : levels.map(({ level, segments }) => [...segments[Math.floor(segments.length / 2)]!, level]);
  const name = (_: unknown, api: Api) => {
    const p = api.coord([(api.value(0) + api.value(2)) / 2, (api.value(1) + api.value(3)) / 2]);
    return { type: "text", style: { x: p[0], y: p[1], text: short_number(api.value(4)), align: "center", verticalAlign: "middle", font: `11px ${font}`, fill: colours.ink, backgroundColor: colours.surface, padding: [1, 4], borderRadius: 3 } };
  };
  return {
    animation: false, textStyle: { fontFamily: font }, grid: margins,
    xAxis: axis(names[0], cells.xs, colours, false), yAxis: axis(names[1], cells.ys, colours, true),
    series: [
      { type: "custom", name: "cells", silent: true, renderItem: cell, encode: { x: 0, y: 1 }, data: known },
      { type: "custom", name: "iso-lines", silent: true, z: 3, renderItem: line, encode: { x: 0, y: 1 }, data: contour },
      ...(text ? [{ type: "custom", name: "figures", silent: true, z: 4, renderItem: figure, encode: { x: 0, y: 1 }, data: known }] : []),
      { type: "custom", name: "levels", silent: true, z: 4, renderItem: name, encode: { x: 0, y: 1 }, data: named },
    ],
  };
}
