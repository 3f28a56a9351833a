// The parts of ECharts the page uses; everything else stays out of the file.
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, MarkAreaComponent, MarkLineComponent } from "echarts/components";
import { init, use, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { on_theme } from "../theme.ts";

use([BarChart, ScatterChart, LineChart, CustomChart, GridComponent, MarkLineComponent, MarkAreaComponent, CanvasRenderer]);

/** A chart that follows its box and the theme; `draw` sets all its options anew. */
export function live_chart(box: HTMLElement, draw: (chart: EChartsType) => void): EChartsType {
  const chart = init(box, null, { renderer: "canvas" });
  const redraw = () => draw(chart);
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    chart.resize();
    redraw();
  }).observe(box);
  on_theme(redraw);
  // The layout for paper comes too late for the observer.
  addEventListener("beforeprint", () => chart.resize({ width: Math.min(box.clientWidth, 660) }));
  addEventListener("afterprint", () => chart.resize({ width: "auto" }));
  return chart;
}

export type { EChartsType };
