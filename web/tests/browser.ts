// Opens filled pages from disk in the system's Chromium and watches what they do.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, type BrowserContext, type Page } from "playwright-core";

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

/** A fresh browser with a fresh profile for each page, so that no test sees another's settings. */
export async function open(document: unknown, view: View): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "flyball-page-"));
  const file = join(folder, "report.html");
  writeFileSync(file, typeof document === "string" ? document : fill(document));
  const context: BrowserContext = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: browser_path(), headless: true,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
    viewport: { width: view.width, height: view.height }, colorScheme: view.scheme, deviceScaleFactor: view.scale ?? 1,
    hasTouch: view.phone ?? false, isMobile: view.phone ?? false,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const errors: string[] = [];
  const requests: string[] = [];
  const url = pathToFileURL(file).href;
  page.on("console", (m) => {
    // Reading pixels back is the tests' doing, not the page's.
    if (/^Canvas2D: Multiple readback/.test(m.text())) return;
    if (m.type() === "error" || m.type() === "warning") errors.push(m.text());
  });
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("requestfailed", (r) => errors.push(`failed: ${r.url()}`));
  page.on("request", (r) => { if (r.url() !== url && !r.url().startsWith("data:")) requests.push(r.url()); });
  await page.goto(url);
  await page.waitForSelector("main section");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  };
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
