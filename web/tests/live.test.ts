// The live page in front of a really running `flyball serve`.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { close_browser, desktop, inked, open_at, phone, poor_contrast, type Opened, type View } from "./browser.ts";
import { environment, in_scratch, no_program, program } from "./program.ts";

after(close_browser);

const skip = no_program;

interface Running {
  url: string;
  process: ChildProcess;
  ended: Promise<number | null>;
}

/** `flyball serve` of the identity model under load; resolves once it answers, with its networks made. */
async function serving(folder: string, port = 0, more: string[] = []): Promise<Running> {
  const running = await listening(folder, port, more);
  while ((await fetch(`${running.url}/v2/health/ready`)).status === 503) await sleep(20);
  return running;
}

function listening(folder: string, port: number, more: string[]): Promise<Running> {
  const words = ["serve", "--infer", "identity", "--latency", "200ms", "--arrivals", "poisson:80", "--listen", `127.0.0.1:${port}`, "--force", "--quiet", ...more];
  const child = spawn(program, words, { cwd: folder, env: environment(folder), stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  return new Promise((listens, fails) => {
    let told = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      told += chunk.toString();
      const url = /listening on (http:\S+)/.exec(told)?.[1];
      if (!url) return;
      clearTimeout(late);
      listens({ url, process: child, ended });
    });
    const late = setTimeout(() => child.kill("SIGKILL"), 60_000);
    void ended.then((code) => {
      clearTimeout(late);
      fails(new Error(`it ended with ${code}: ${told}`));
    });
  });
}

const state = (page: Page, kind: string) => page.locator(`.told[data-state="${kind}"]`).waitFor({ timeout: 20_000 });
const answered = async (page: Page) => Number((await page.locator('[data-figure="answered"] .figure-value').innerText()).replaceAll(/\D/g, ""));
const pixels = (page: Page) => page.locator(".live-chart canvas").evaluateAll((all) => all.map((c) => (c as HTMLCanvasElement).toDataURL()));

async function with_live(use: (running: Running, page: Page, folder: string, errors: string[], requests: string[]) => Promise<void>, view: View = desktop): Promise<void> {
  await in_scratch(async (folder) => {
    const running = await serving(folder);
    let opened: Opened | null = null;
    try {
      opened = await open_at(() => `${running.url}/`, view);
      await use(running, opened.page, folder, opened.errors, opened.requests);
    } finally {
      await opened?.close();
      running.process.kill("SIGKILL");
      await running.ended;
    }
  });
}

test("live: charts move with what the server tells, and nothing else is loaded", { skip }, () => with_live(async ({ url }, page, _folder, errors, requests) => {
  await state(page, "on");
  await page.locator(".live-chart canvas").nth(2).waitFor();
  const [before, count] = [await pixels(page), await answered(page)];
  const states = await page.evaluate(() => Number((document.querySelector(".figures") as HTMLElement).dataset["states"]));
  await page.waitForFunction((n) => Number((document.querySelector(".figures") as HTMLElement).dataset["states"]) >= n, states + 3, { timeout: 20_000 });
  const after = await pixels(page);
  assert.ok((await answered(page)) > count, "more were answered");
  assert.equal(after.length, 3); // latency, answers, waiting
  after.slice(0, 2).forEach((chart, i) => assert.notEqual(chart, before[i], `chart ${i} moved`));
  assert.ok((await inked(page, ".live-chart")) > 1000);
  assert.match(await page.locator(".told").innerText(), /\ss$/);
  assert.deepEqual(await poor_contrast(page), []);
  assert.deepEqual(errors, []);
  assert.deepEqual(requests.filter((r) => r !== `${url}/events`), []);
  assert.match(await page.locator(".live-figure h3").first().innerText(), /of the last minute/);
  assert.match(await page.locator('[data-figure="latency"]').innerText(), /ms|µs/);
  // The line that asks it is taken apart here: no shell, no curl is needed.
  const [, address, body] = /^curl (\S+) -d '(.*)'$/.exec((await page.locator(".ask code").textContent())!)!;
  assert.equal(address, `${url}/v2/models/identity/infer`);
  const answer = await fetch(address!, { method: "POST", body: body! });
  assert.equal(answer.status, 200, await answer.text());
  assert.match(await page.locator(".use").innerText(), /Ctrl-C[\s\S]*SIGTERM/);
}));

test("live: it fits a phone, in the dark", { skip }, () => with_live(async (_running, page) => {
  await state(page, "on");
  await page.locator(".live-chart canvas").first().waitFor();
  assert.deepEqual(await poor_contrast(page), []);
  const [content, box] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth] as const);
  assert.ok(content <= box, `the page is ${content} px wide in a window of ${box} px`);
}, { ...phone, scheme: "dark" }));

test("live: a page that is opened late shows what was before", { skip }, () => in_scratch(async (folder) => {
  const running = await serving(folder);
  let opened: Opened | null = null;
  try {
    const events = await fetch(`${running.url}/events`);
    const reader = events.body!.getReader();
    for (let told = ""; told.split("data: ").length <= 5; ) {
      const { value, done } = await reader.read();
      assert.ok(!done, `the events ended: ${told}`);
      told += new TextDecoder().decode(value);
    }
    await reader.cancel();
    opened = await open_at(() => `${running.url}/`, desktop);
    await opened.page.locator(".figures[data-states]").waitFor();
    const states = await opened.page.evaluate(() => Number((document.querySelector(".figures") as HTMLElement).dataset["states"]));
    assert.ok(states >= 5, `the page begins with ${states} states`);
  } finally {
    await opened?.close();
    running.process.kill("SIGKILL");
    await running.ended;
  }
}));

test("live: a page asks for the server's token, and shows nothing without it", { skip }, () => in_scratch(async (folder) => {
  writeFileSync(join(folder, "token"), "s3cret\n");
  const running = await serving(folder, 0, ["--token-file", join(folder, "token")]);
  let opened: Opened | null = null;
  try {
    opened = await open_at(() => `${running.url}/`, desktop);
    const { page, requests } = opened;
    await state(page, "token");
    assert.match(await page.locator(".told").innerText(), /--token-file/);
    await page.getByLabel("Token").fill("guessed");
    await page.keyboard.press("Enter");
    await page.locator(".told", { hasText: "that is not its token" }).waitFor();
    assert.equal(await page.locator(".figure").count(), 0);
    assert.deepEqual(await poor_contrast(page), []);
    await page.getByLabel("Token").fill("s3cret");
    await page.keyboard.press("Enter");
    await state(page, "on");
    assert.ok((await answered(page)) >= 0);
    assert.equal(await page.getByLabel("Token").isVisible(), false);
    assert.ok(requests.every((r) => !r.includes("s3cret")), "no address holds it");
  } finally {
    await opened?.close();
    running.process.kill("SIGKILL");
    await running.ended;
  }
}));

test("live: a drain is said, with the last figures, and the program ends with 0", { skip }, () => with_live(async (running, page) => {
  await state(page, "on");
  running.process.kill("SIGTERM");
  await state(page, "ended");
  assert.match(await page.locator(".told").innerText(), /^ended: it drained after \d+\ss and answered what it had accepted/);
  assert.ok((await answered(page)) > 0);
  assert.equal(await running.ended, 0);
}));

test("live: a connection that drops is said, and the page goes on once the server is back", { skip }, () => with_live(async (running, page, folder) => {
  await state(page, "on");
  await page.waitForFunction(() => Number((document.querySelector(".figures") as HTMLElement).dataset["states"]) >= 3, undefined, { timeout: 20_000 });
  running.process.kill("SIGKILL");
  await state(page, "lost");
  assert.match(await page.locator(".told").innerText(), /^connection lost after \d+\ss: these are the last figures/);
  const again = await serving(folder, Number(new URL(running.url).port));
  try {
    await state(page, "on");
    await page.waitForFunction(() => Number((document.querySelector(".figures") as HTMLElement).dataset["states"]) >= 1);
  } finally {
    again.process.kill("SIGKILL");
    await again.ended;
  }
}));
