// Opens filled pages from disk in the system's Chromium and watches what they do.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { document_of, type Shown } from "./fixtures.ts";

const template = fileURLToPath(new URL("../../../dist/report.html", import.meta.url));
const slot = '<script id="flyball-data" type="application/json">{}</script>';

/** Fills the page as the program does: every `<` of the JSON written as \u003c. */
export function fill(document: unknown): string {
  const page = readFileSync(template, "utf8");
  if (page.split(slot).length !== 2) throw new Error("the page must hold the data slot once");
  const json = JSON.stringify(document).replaceAll("<", "\\u003c");
  return page.replace(slot, () => slot.replace("{}", () => json));
}

function browser_path(): string {
  const named = process.env["FLYBALL_CHROMIUM"];
  const found = [named, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((p) => p && existsSync(p));
  if (!found) throw new Error("no Chromium: install the chromium package or set FLYBALL_CHROMIUM");
  return found;
}

export interface View {
  scheme: "light" | "dark";
  width: number;
  height: number;
  scale?: number;
  phone?: boolean;
}

export const desktop: View = { scheme: "light", width: 1280, height: 900 };
export const phone: View = { scheme: "light", width: 360, height: 740, phone: true };

export interface Opened {
  page: Page;
  /** Console errors, uncaught exceptions and refused loads. */
  errors: string[];
  /** Requests other than for the page itself. */
  requests: string[];
  close(): Promise<void>;
}

/** A filled page, opened from disk. */
export async function open(document: unknown, view: View): Promise<Opened> {
  return open_at((folder) => {
    const file = join(folder, "report.html");
    writeFileSync(file, typeof document === "string" ? document : fill(document_of(document as Shown)));
    return pathToFileURL(file).href;
  }, view);
}

let started: Promise<Browser> | undefined;
/** One browser for all pages of a process: starting it takes longer than most tests. */
const browser = () => started ??= chromium.launch({
  executablePath: browser_path(), headless: true,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
/** To be called at the end; otherwise the process does not end. */
export const close_browser = async () => (await started)?.close();

/** A page with a profile of its own, so that no test sees another's settings. `address` may write into the folder. */
export async function open_at(address: (folder: string) => string, view: View): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "flyball-page-"));
  const context = await (await browser()).newContext({
    viewport: { width: view.width, height: view.height }, colorScheme: view.scheme, deviceScaleFactor: view.scale ?? 1,
    hasTouch: view.phone ?? false, isMobile: view.phone ?? false,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  const url = address(folder);
  page.on("console", (m) => {
    // Reading pixels back is the tests' doing, not the page's.
    if (/^Canvas2D: Multiple readback/.test(m.text())) return;
    if (m.type() === "error" || m.type() === "warning") errors.push(m.text());
  });
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("requestfailed", (r) => errors.push(`failed: ${r.url()}`));
  page.on("request", (r) => { if (r.url() !== url && !r.url().startsWith("data:")) requests.push(r.url()); });
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await page.goto(url);
    await page.waitForSelector("main section");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  } catch (error) {
    await close();
    throw error;
  }
  return { page, errors, requests, close };
}

/** Opens, runs the check, and then holds the page to what every page must keep to. */
export async function with_page(data: unknown, view: View, check: (page: Page, opened: Opened) => Promise<void>): Promise<void> {
  const opened = await open(data, view);
  try {
    await check(opened.page, opened);
    assert.deepEqual(opened.errors, [], "console errors");
    assert.deepEqual(opened.requests, [], "network requests");
    const [content, box] = await opened.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth] as const);
    assert.ok(content <= box, `the page is ${content} px wide in a window of ${box} px`);
  } finally {
    await opened.close();
  }
}

/** Canvas pixels of any chart that are not empty. */
export const inked = (page: Page, chart: string) => page.evaluate((chart) => {
  let count = 0;
  for (const canvas of document.querySelectorAll<HTMLCanvasElement>(`${chart} canvas`)) {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 3; i < data.length; i += 4) if (data[i]! > 60) count++;
  }
  return count;
}, chart);

/** Texts whose contrast is below 4.5. */
export const poor_contrast = (page: Page) => page.evaluate(() => {
  const rgb = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]: number[]) => [r!, g!, b!].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i]!, 0);
  const behind = (e: Element | null): number[] => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const found: string[] = [];
  for (const e of document.querySelectorAll("#page *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent!.trim() !== "");
    if (!own || (e as HTMLButtonElement).disabled || e.tagName === "OPTION") continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x) as [number, number];
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(`${e.className || e.tagName} "${e.textContent!.slice(0, 30)}" ${contrast.toFixed(2)}`);
  }
  return found;
});
