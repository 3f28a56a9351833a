// Reports of `flyball serve` that the built program wrote: page and terminal say the same, and the time axis does what it promises.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import type { ServePage } from "../src/contract.ts";
import { problems } from "../src/validate.ts";
import { close_browser, desktop, inked, phone, poor_contrast, with_page, type View } from "./browser.ts";
import { in_scratch, no_program, ran, read_page, serve_words, served, written } from "./program.ts";

after(close_browser);

const skip = no_program;
const plain = (text: string | null) => (text ?? "").replaceAll("\u202f", "");
const total = (column: number[]) => column.reduce((a, b) => a + b, 0);

const shown = async (page: Page): Promise<[number, number]> => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.locator(".lanes").evaluate((e: HTMLElement) => [Number(e.dataset["from"]), Number(e.dataset["to"])] as [number, number]);
};
const drawn = (page: Page) => page.locator("canvas.spans").evaluate((e: HTMLElement) => Number(e.dataset["drawn"]));
const near = (a: number, b: number, slack: number) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b} ± ${slack}`);

/** The row of a table of the sheet, by its column heads. */
async function row(page: Page, title: string): Promise<Record<string, string>> {
  const table = page.locator(".sheet-table", { has: page.locator("h2", { hasText: title }) });
  const heads = (await table.locator("thead th").allTextContents()).map((t) => plain(t).trim());
  const cells = (await table.locator("tbody tr").first().locator("td").allTextContents()).map((t) => plain(t).trim());
  return Object.fromEntries(heads.map((head, i) => [head, cells[i]!]));
}

test("serve: headline, figures and tables are what the terminal says, and the timeline adds up to them", { skip }, () => in_scratch(async (folder) => {
  const { page: html, data, answer } = served(folder);
  assert.deepEqual(problems(data), []);
  const terminal = ran(folder, [...serve_words(folder), "--quiet"]);
  const [service, training] = [answer["services"][0], answer["training"][0]];
  assert.ok(service.requests.late + service.requests.refused > 0, "the run has something to say");
  for (const name of ["arrived", "answered", "late", "refused", "failed"]) assert.equal(total(answer["timeline"].services[0][name]), service.requests[name], name);
  assert.equal(total(answer["timeline"].training[0].minibatches), training.minibatches);
  assert.deepEqual(data["answer"], answer);
  await with_page(html, desktop, async (page) => {
    const verdict = terminal.split("\n")[1]!;
    assert.match(verdict, /^det answered \d+ of \d+ requests within 100 ms \(\d+ late, \d+ refused: [\d.]+ %\); net trained \d+ minibatches in the gaps, [\d.]+ % of the plan\.$/);
    assert.equal(plain(await page.locator("h1").textContent()), `Simulated: ${verdict}`);
    assert.match(await page.title(), /^simulated: det served, net trained in the gaps on /);
    const figures = (await page.locator(".figure").allInnerTexts()).map(plain);
    assert.match(figures[0]!, new RegExp(`${service.latency_ms.p99.toPrecision(3)}ms`));
    assert.match(figures[2]!, new RegExp(String(training.minibatches)));
    const requests = await row(page, "Requests and their latency");
    assert.deepEqual([requests["Arrived"], requests["Answered"], requests["Late"], requests["Refused"], requests["Failed"]], ["arrived", "answered", "late", "refused", "failed"].map((n) => String(service.requests[n])));
    // p50 53.2  p95 …: the terminal has three digits, the table four.
    const [, ...latencies] = /p50 ([\d.]+) {2}p95 ([\d.]+) {2}p99 ([\d.]+) {2}max ([\d.]+)/.exec(terminal)!;
    ["P50 ms", "P95 ms", "P99 ms", "Max ms"].forEach((head, i) => near(Number(requests[head]) / Number(latencies[i]), 1, 0.006));
    const trained = await row(page, "Training in the gaps");
    assert.equal(trained["Minibatches"], String(training.minibatches));
    near(Number(trained["Planned"]), training.planned, 0.6);
    const plans = page.locator(".replan-list li");
    assert.equal(await plans.count(), answer["replans"].length);
    assert.ok(answer["replans"].length >= 2 && plain(await plans.first().innerText()).includes(answer["replans"][0].why));
    assert.equal(await page.locator('[data-lane="latency"]').count(), 1);
    for (const lane of ["latency", "requests", "batches", "training", "shares"]) assert.ok((await inked(page, `[data-lane="${lane}"]`)) > 800, lane);
    for (const panel of [0, 1]) assert.ok((await inked(page, `.latency-section .panel:nth-child(${panel + 1})`)) > 300);
    assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
  });
}));

test("serve: drag, wheel, keys and buttons zoom and pan down to single minibatches", { skip }, () => in_scratch(async (folder) => {
  const { page: html, answer } = served(folder);
  const run = answer["seconds"] as number;
  await with_page(html, desktop, async (page) => {
    assert.deepEqual(await shown(page), [0, run]);
    const ran_in_all = total(answer["timeline"].services[0].batches) + answer["training"][0].minibatches;
    assert.equal(await drawn(page), ran_in_all, "a minute is kept whole");
    const lane = page.locator('[data-lane="requests"] .lane-chart');
    await lane.scrollIntoViewIfNeeded();
    const box = (await lane.boundingBox())!;
    const [left, width, y] = [box.x + 50, box.width - 64, box.y + 60];
    const drag = async (from: number, to: number) => {
      await page.mouse.move(left + from * width, y);
      await page.mouse.down();
      await page.mouse.move(left + ((from + to) / 2) * width, y, { steps: 3 });
      await page.mouse.move(left + to * width, y);
      await page.mouse.up();
    };
    await drag(0.25, 0.5);
    let [from, to] = await shown(page);
    near(from, run / 4, run / 200);
    near(to, run / 2, run / 200);
    assert.ok((await drawn(page)) < ran_in_all / 2);

    await page.keyboard.down("Shift");
    await drag(0.5, 0.3);
    await page.keyboard.up("Shift");
    near((await shown(page))[0], from + 0.2 * (to - from), run / 200);
    near((await shown(page))[1] - (await shown(page))[0], to - from, 1e-6);

    // The wheel belongs to the page until it is asked for here.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    [from, to] = await shown(page);
    await page.mouse.wheel(0, -10);
    assert.deepEqual(await shown(page), [from, to]);
    await page.keyboard.down("Control");
    await lane.scrollIntoViewIfNeeded();
    const now = (await lane.boundingBox())!;
    await page.mouse.move(now.x + 50 + width / 2, now.y + 60);
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    const zoomed = await shown(page);
    near((zoomed[1] - zoomed[0]) / (to - from), Math.exp(-1), 0.02);
    near((zoomed[0] + zoomed[1]) / 2, (from + to) / 2, (to - from) / 50);

    await page.locator(".lanes").focus();
    await page.keyboard.press("ArrowRight");
    near((await shown(page))[0] - zoomed[0], 0.1 * (zoomed[1] - zoomed[0]), 1e-6);
    await page.keyboard.press("End");
    near((await shown(page))[1], run, 1e-9);
    await page.keyboard.press("-");
    await page.keyboard.press("0");
    assert.deepEqual(await shown(page), [0, run]);

    await page.getByRole("button", { name: "Zoom to the minibatches around the longest latency" }).click();
    [from, to] = await shown(page);
    assert.ok(to - from < run / 10, `${to - from} s`);
    const few = await drawn(page);
    assert.ok(few >= 20 && few <= 45, `${few} minibatches`);
    assert.match(plain(await page.locator(".stretch").innerText()), / of 1min 0s$/);
    const lines = JSON.parse((await page.locator('[data-lane="latency"] .lane-chart').getAttribute("data-lines"))!) as [string, number][];
    assert.ok(lines.some(([name, count]) => name === "longest of a batch" && count > 0), "each batch is a dot");
    const spans = page.locator("canvas.spans");
    await spans.scrollIntoViewIfNeeded();
    const at = (await spans.boundingBox())!;
    const seen = new Set<string>();
    for (let x = 0.02; x < 1; x += 0.02) {
      await page.mouse.move(at.x + 50 + x * (at.width - 64), at.y + 10);
      const text = plain(await page.locator(".lanes .tip").innerText());
      for (const what of [/serving det\s+batch of \d+, [\d.]+ms; longest latency [\d.]+ms/, /training net\s+[\d.]+ms/]) if (what.test(text)) seen.add(what.source);
      assert.match(text, /simulated/);
    }
    assert.equal(seen.size, 2, "the card names the minibatch under the pointer");
    await page.mouse.dblclick(at.x + at.width / 2, at.y + 10);
    assert.deepEqual(await shown(page), [0, run]);
    await page.locator(".replan-list button").first().click();
    [from, to] = await shown(page);
    assert.ok(from <= answer["replans"][0].at_s && answer["replans"][0].at_s <= to && to - from < run / 10);
  });
}));

const dresses: [string, View][] = [["light, phone", phone], ["dark, phone", { ...phone, scheme: "dark" }], ["dark, desktop", { ...desktop, scheme: "dark" }]];
for (const [name, view] of dresses) {
  test(`serve: it fits and reads well: ${name}`, { skip }, () => in_scratch(async (folder) => {
    const { page: html } = served(folder);
    await with_page(html, view, async (page) => {
      assert.deepEqual(await poor_contrast(page), []);
      await page.getByRole("button", { name: "Zoom in" }).click();
      const [from, to] = await shown(page);
      near(to - from, 30, 0.1);
      if (!view.phone) return;
      const lane = page.locator('[data-lane="requests"] .lane-chart');
      await lane.scrollIntoViewIfNeeded();
      const box = (await lane.boundingBox())!;
      await page.touchscreen.tap(box.x + box.width / 2, box.y + 50);
      const tip = (await page.locator(".lanes .tip").boundingBox())!;
      assert.ok(tip.x >= 0 && tip.x + tip.width <= view.width, "the card lies inside the window");
    });
  }));
}

test("serve: a day is small enough to open, and says that its single minibatches are the last ones", { skip }, () => in_scratch(async (folder) => {
  const words = serve_words(folder).map((w) => (w.startsWith("windows:") ? "windows:20:8h,60:10h,30:6h" : w));
  const { page: html, data, answer } = written(folder, words);
  assert.deepEqual(problems(data), []);
  assert.ok(answer["timeline"].windows <= 2000 && html.length < 3_000_000, `${html.length} bytes`);
  assert.equal(total(answer["timeline"].services[0].arrived), answer["services"][0].requests.arrived);
  await with_page(html, desktop, async (page) => {
    assert.match(plain(await page.locator(".span-note").innerText()), /only the last 20000 minibatches are kept, from 23:\d\d/);
    await page.getByRole("button", { name: "Zoom to the minibatches" }).click();
    assert.ok((await shown(page))[0] > 23 * 3600);
  });
}));

test("serve: really, it says nothing of simulation, and names the power that it lacks", { skip }, () => in_scratch(async (folder) => {
  const words = ["serve", "--infer", "identity", "--latency", "200ms", "--arrivals", "poisson:200", "--duration", "2s", "--force"];
  const { page: html, data, answer } = written(folder, words);
  assert.deepEqual(problems(data), []);
  assert.equal(answer["simulated"], false);
  assert.equal(total(answer["timeline"].services[0].arrived), answer["services"][0].requests.arrived);
  await with_page(html, desktop, async (page) => {
    assert.doesNotMatch(await page.locator("main").innerText(), /simulated/i);
    assert.equal(await page.locator('[data-lane="training"]').count(), 0);
    const gap = page.locator(".power-gap");
    if (answer["power_gap"] === null) assert.ok((await page.locator('[data-lane="power"]').count()) === 1 || /^No power over time/.test(await gap.innerText()));
    else assert.ok((await gap.innerText()).includes(answer["power_gap"]));
    const words_of_figures = await page.locator(".figure").allInnerTexts();
    assert.equal(words_of_figures.some((t) => /Power\s+–\s+not known/.test(t)), answer["power_w"] === null);
  });
}));

test("serve: a timeline whose columns differ in length is refused", { skip }, () => in_scratch((folder) => {
  served(folder);
  const data = read_page(join(folder, "report.html")).data as unknown as ServePage;
  data.answer.timeline.services[0]!.late.pop();
  assert.match(problems(data).join(), /answer\.timeline\.services\[0\]\.late has \d+ values for \d+/);
}));

test("serve: new plans are numbered where they were made, and changes of mode are told with their reason", { skip }, () => in_scratch(async (folder) => {
  served(folder);
  const { data } = read_page(join(folder, "report.html"));
  const report = data as unknown as ServePage;
  const serving = report.answer;
  const [first, second] = serving.replans;
  assert.ok(first && second);
  // As a board with two modes would have it: the program's own run keeps one.
  Object.assign(first, { switched: true, mode: "gpu_mhz 1200" });
  serving.timeline.modes = [{ at_s: 0, mode: "gpu_mhz 300" }, { at_s: first.at_s, mode: "gpu_mhz 1200" }];
  serving.timeline.switching[Math.floor(first.at_s! / serving.timeline.window_s) - 1] = 0.5;
  assert.deepEqual(problems(data), []);
  await with_page(report, desktop, async (page) => {
    assert.deepEqual(await page.locator(".mode-band .mode").allInnerTexts(), ["gpu_mhz 300", "gpu_mhz 1200"]);
    const band = (await page.locator(".mode-band").boundingBox())!;
    const changed = (await page.locator(".mode-band .mode").nth(1).boundingBox())!;
    near((changed.x - band.x) / band.width, first.at_s! / serving.seconds!, 0.005);
    assert.ok((await page.locator(".replan-mark").allInnerTexts()).join().startsWith("1"));
    const lines = await page.locator(".replan-list li").allInnerTexts();
    assert.ok(lines[0]!.includes(`${first.why}: batches of ${first.batch} at most, mode changed to gpu_mhz 1200`), lines[0]);
    assert.ok(lines[1]!.endsWith("the mode stays"), lines[1]);
    assert.match(await page.locator('[data-lane="shares"]').innerText(), /switching/);
    await page.locator(".lanes").focus();
    for (const key of ["+", "+", "+", "End"]) await page.keyboard.press(key);
    near((await shown(page))[1], serving.seconds!, 1e-6);
    assert.deepEqual(await page.locator(".mode-band .mode").allInnerTexts(), ["gpu_mhz 1200"]);
  });
}));
