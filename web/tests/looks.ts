// What the tests of the built page look for: painted pixels, cut-off boxes, texts that collide.
import assert from "node:assert/strict";
import { upper_number } from "../src/format.ts";
import type { Page } from "playwright-core";
import type { Quantity } from "../src/contract.ts";
import type { TuneReport } from "../src/view.ts";
import { desktop, phone, type View } from "./browser.ts";
import { power_report } from "./fixtures/tune.ts";

export const plain = (text: string | null) => (text ?? "").replaceAll("\u202f", " ");
export const value = (q: Quantity | null) => (typeof q === "number" ? q : q![0]);

export interface Spot {
  x: number;
  y: number;
}

/** Where the n-th named configuration stands on the screen (0: the choice), by walking there with the keyboard. */
export async function spot(page: Page, steps: number): Promise<Spot> {
  await page.locator(".cloud").focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowRight");
  const box = (await page.locator(".cloud .ring").boundingBox())!;
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".cloud .tip").isVisible(), false);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** How many canvas pixels within `radius` of a spot have the named colour of the style sheet (± 24 per channel). */
export function painted(page: Page, at: Spot, radius: number, colour: string): Promise<number> {
  return page.evaluate(({ at, radius, colour }) => {
    const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue(`--${colour}`).trim().slice(1).match(/../g)!.map((h) => parseInt(h, 16)) as [number, number, number];
    let count = 0;
    // Large clouds lie on canvases of their own.
    for (const canvas of document.querySelectorAll<HTMLCanvasElement>(".cloud canvas")) {
      const area = canvas.getBoundingClientRect();
      const ratio = canvas.width / area.width;
      const side = Math.round(2 * radius * ratio);
      const { data } = canvas.getContext("2d")!.getImageData(Math.round((at.x - area.left - radius) * ratio), Math.round((at.y - area.top - radius) * ratio), side, side);
      for (let i = 0; i < data.length; i += 4) {
        if (Math.abs(data[i]! - r) < 24 && Math.abs(data[i + 1]! - g) < 24 && Math.abs(data[i + 2]! - b) < 24 && data[i + 3]! > 200) count += 1 / (ratio * ratio);
      }
    }
    return count;
  }, { at, radius, colour });
}

export async function check_choice(page: Page, report: TuneReport): Promise<void> {
  const row = report.configurations[report.choice!.configuration]!;
  const head = plain(await page.locator("h1").textContent());
  for (const [i, axis] of report.axes.entries()) assert.ok(head.includes(String(row.config[i])), `${axis.name} ${row.config[i]} in "${head}"`);
  const time = plain(await page.locator('.figure[data-measure="time"] .figure-value').textContent());
  assert.ok(time.startsWith(upper_number(value(row.time_ms))), `${time} for ${value(row.time_ms)} ms`);

  const at = await spot(page, 0);
  const disc = await painted(page, at, 14, "choice");
  assert.ok(disc > 150, `the choice is painted: ${disc} px`);
  assert.equal(await page.locator(".mark-name.choice").isVisible(), true);
}

export async function check_card(page: Page, report: TuneReport, index: number, words: string[]): Promise<void> {
  const row = report.configurations[index]!;
  const text = plain(await page.locator(".cloud .tip").innerText());
  for (const word of words) assert.ok(text.toLowerCase().includes(word.toLowerCase()), `"${word}" in: ${text}`);
  for (const v of row.config) assert.ok(text.includes(String(v)), `setting ${v} in: ${text}`);
  if (row.power_w !== null) assert.ok(text.includes(`${value(row.power_w).toPrecision(3)} W`), `power in: ${text}`);
  assert.ok(text.includes(row.provenance), `provenance in: ${text}`);
}

export const dresses: [string, View][] = [
  ["light, desktop", desktop],
  ["dark, desktop", { ...desktop, scheme: "dark" }],
  ["light, phone", phone],
  ["dark, phone", { ...phone, scheme: "dark" }],
];

/** What stands out of its section, or lies where nothing is; tables may scroll inside of their box. */
export const cut_off = (page: Page) => page.evaluate(() => {
  const found: string[] = [];
  for (const section of document.querySelectorAll("main section")) {
    const box = section.getBoundingClientRect();
    for (const e of section.querySelectorAll("*")) {
      const r = e.getBoundingClientRect();
      // Long lines of code may be scrolled; what lies above a chart is inside of it.
      if (e.closest("svg, pre, .overlay, .tip") || r.width === 0) continue;
      if (r.left < box.left - 0.5 || r.right > box.right + 0.5) found.push(`${e.className || e.tagName} "${e.textContent!.slice(0, 30)}" ends at ${r.right} px of ${box.right}`);
    }
  }
  for (const box of document.querySelectorAll(".fitting")) if (box.scrollWidth > box.clientWidth + 1) found.push(`a table of ${box.scrollWidth} px in ${box.clientWidth}`);
  const figures = document.querySelector(".figures");
  if (figures) {
    const covered = [...figures.children].reduce((sum, e) => sum + e.getBoundingClientRect().width * e.getBoundingClientRect().height, 0);
    const { width, height } = figures.getBoundingClientRect();
    if (covered < 0.97 * width * height) found.push(`the figures fill ${(100 * covered / width / height).toFixed(0)} % of their box`);
  }
  return found;
});

/** Texts of a chart that lie on each other, or stand out of it. */
export const colliding = (page: Page) => page.evaluate(() => {
  const found: string[] = [];
  for (const layer of document.querySelectorAll(".overlay")) {
    const area = layer.getBoundingClientRect();
    const boxes = [...layer.children].map((e) => ({ text: e.textContent!, r: e.getBoundingClientRect() }));
    boxes.forEach(({ text, r }, i) => {
      if (r.left < area.left || r.right > area.right || r.top < area.top || r.bottom > area.bottom) found.push(`"${text}" is clipped`);
      for (const b of boxes.slice(0, i)) if (r.left < b.r.right && b.r.left < r.right && r.top < b.r.bottom && b.r.top < r.bottom) found.push(`"${text}" on "${b.text}"`);
    });
  }
  return found;
});

/** Trials on each other, one configuration profiled four times, and budgets beside the choice. */
export function crowded(): TuneReport {
  const report = power_report();
  const order = report.configurations.map((_, i) => i).sort((a, b) => value(report.configurations[a]!.power_w) - value(report.configurations[b]!.power_w));
  const near = order.indexOf(report.choice!.configuration);
  const more = [...order.slice(near - 6, near + 7), report.choice!.configuration, report.choice!.configuration, report.choice!.configuration];
  report.profiled.push(...more.map((configuration) => ({ ...report.profiled[0]!, configuration })));
  report.oracle = { raw: order[near + 1]!, robust: order[near - 1]! };
  report.request.budgets.push({ quantity: "time", limit: value(report.configurations[report.choice!.configuration]!.time_ms) * 1.02, unit: "ms", per: "minibatch" });
  return report;
}

/** Canvas pixels of the named colour of the style sheet inside a chart. */
export function pixels(page: Page, chart: string, colour: string): Promise<number> {
  return page.evaluate(({ chart, colour }) => {
    const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue(`--${colour}`).trim().slice(1).match(/../g)!.map((h) => parseInt(h, 16)) as [number, number, number];
    const canvas = document.querySelector<HTMLCanvasElement>(`${chart} canvas`)!;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i]! - r) < 24 && Math.abs(data[i + 1]! - g) < 24 && Math.abs(data[i + 2]! - b) < 24 && data[i + 3]! > 200) count++;
    return count;
  }, { chart, colour });
}
