// The built page with fixture data, opened from disk in Chromium: what a customer sees, in every dress.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import type { Quantity } from "../src/contract.ts";
import type { TuneReport } from "../src/view.ts";
import { page_of } from "./tune_page.ts";
import { close_browser, desktop, fill, phone, poor_contrast, with_page, type View } from "./browser.ts";
import { batch_report, experiment_page, infeasible_report, large_report, no_power_report, plan_page, power_report, profile_page, roofline_page, run_page, wide_report } from "./fixtures.ts";

after(close_browser);

const plain = (text: string | null) => (text ?? "").replaceAll("\u202f", " ");
const value = (q: Quantity | null) => (typeof q === "number" ? q : q![0]);

interface Spot {
  x: number;
  y: number;
}

/** Where the n-th named configuration stands on the screen (0: the choice), by walking there with the keyboard. */
async function spot(page: Page, steps: number): Promise<Spot> {
  await page.locator(".cloud").focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowRight");
  const box = (await page.locator(".cloud .ring").boundingBox())!;
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".cloud .tip").isVisible(), false);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** How many canvas pixels within `radius` of a spot have the named colour of the style sheet (± 24 per channel). */
function painted(page: Page, at: Spot, radius: number, colour: string): Promise<number> {
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

async function check_choice(page: Page, report: TuneReport): Promise<void> {
  const row = report.configurations[report.choice!.configuration]!;
  const head = plain(await page.locator("h1").textContent());
  for (const [i, axis] of report.axes.entries()) assert.ok(head.includes(String(row.config[i])), `${axis.name} ${row.config[i]} in "${head}"`);
  const time = plain(await page.locator('.figure[data-measure="time"] .figure-value').textContent());
  assert.ok(time.startsWith(value(row.time_ms).toPrecision(3)), `${time} for ${value(row.time_ms)} ms`);

  const at = await spot(page, 0);
  const disc = await painted(page, at, 14, "choice");
  assert.ok(disc > 150, `the choice is painted: ${disc} px`);
  assert.equal(await page.locator(".mark-name.choice").isVisible(), true);
}

async function check_card(page: Page, report: TuneReport, index: number, words: string[]): Promise<void> {
  const row = report.configurations[index]!;
  const text = plain(await page.locator(".cloud .tip").innerText());
  for (const word of words) assert.ok(text.toLowerCase().includes(word.toLowerCase()), `"${word}" in: ${text}`);
  for (const v of row.config) assert.ok(text.includes(String(v)), `setting ${v} in: ${text}`);
  if (row.power_w !== null) assert.ok(text.includes(`${value(row.power_w).toPrecision(3)} W`), `power in: ${text}`);
  assert.ok(text.includes(row.provenance), `provenance in: ${text}`);
}

const dresses: [string, View][] = [
  ["light, desktop", desktop],
  ["dark, desktop", { ...desktop, scheme: "dark" }],
  ["light, phone", phone],
  ["dark, phone", { ...phone, scheme: "dark" }],
];

for (const [name, view] of dresses) {
  test(`points, choice and tooltip: ${name}`, async () => {
    const report = power_report();
    await with_page(report, view, async (page) => {
      assert.equal(await page.getAttribute("html", "data-theme"), view.scheme);
      assert.equal(await page.getAttribute(".cloud", "data-points"), "864");
      await check_choice(page, report);

      const at = await spot(page, 0);
      await page.mouse.move(at.x + 2, at.y - 1);
      await page.locator(".cloud .tip").waitFor();
      await check_card(page, report, report.choice!.configuration, ["choice", "profiled", "Pareto front"]);
      const tip = (await page.locator(".cloud .tip").boundingBox())!;
      assert.ok(tip.x >= 0 && tip.x + tip.width <= view.width, `the card lies inside the window: ${JSON.stringify(tip)}`);

      const other = await spot(page, 1);
      await page.mouse.move(other.x, other.y);
      await page.locator(".cloud .tip", { hasText: "MAXN" }).waitFor();
      await check_card(page, report, report.default!.configuration, ["default: MAXN"]);
    });
  });

  test(`every text has a contrast of 4.5 or more: ${name}`, async () => {
    await with_page(power_report(), view, async (page) => {
      assert.deepEqual(await poor_contrast(page), []);
    });
  });
}

/** What stands out of its section, or lies where nothing is; tables may scroll inside of their box. */
const cut_off = (page: Page) => page.evaluate(() => {
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
const colliding = (page: Page) => page.evaluate(() => {
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
function crowded(): TuneReport {
  const report = power_report();
  const order = report.configurations.map((_, i) => i).sort((a, b) => value(report.configurations[a]!.power_w) - value(report.configurations[b]!.power_w));
  const near = order.indexOf(report.choice!.configuration);
  const more = [...order.slice(near - 6, near + 7), report.choice!.configuration, report.choice!.configuration, report.choice!.configuration];
  report.profiled.push(...more.map((configuration) => ({ ...report.profiled[0]!, configuration })));
  report.oracle = { raw: order[near + 1]!, robust: order[near - 1]! };
  report.request.budgets.push({ quantity: "time", limit: value(report.configurations[report.choice!.configuration]!.time_ms) * 1.02, unit: "ms", per: "minibatch" });
  return report;
}

for (const width of [360, 768, 1280, 1920]) {
  for (const scheme of ["light", "dark"] as const) {
    test(`no text of a chart lies on another or is clipped: ${width} px, ${scheme}`, async () => {
      for (const report of [crowded(), batch_report(false), plan_page()]) {
        await with_page(report, { scheme, width, height: 900, phone: width < 500 }, async (page) => {
          assert.deepEqual(await colliding(page), []);
          assert.ok((await page.locator(".mark-name.limit").count()) > 0, "a budget is named");
        });
      }
    });
  }

  test(`nothing is cut off or left empty at ${width} px`, async () => {
    const wordy = power_report();
    wordy.profiled[1]!.stop_reason = "failed: the program ended with exit code 137 before its first minibatch; its last line was 'Killed'";
    for (const report of [wordy, no_power_report(), infeasible_report(), experiment_page(), wide_report(), batch_report(false), plan_page(), run_page(), profile_page()]) {
      await with_page(report, { scheme: "light", width, height: 900, phone: width < 500 }, async (page) => assert.deepEqual(await cut_off(page), []));
    }
  });
}

test("a finger finds the choice", async () => {
  const report = power_report();
  await with_page(report, phone, async (page) => {
    await page.locator(".cloud").scrollIntoViewIfNeeded();
    const at = await spot(page, 0);
    await page.touchscreen.tap(at.x + 6, at.y + 5);
    await page.locator(".cloud .tip").waitFor();
    await check_card(page, report, report.choice!.configuration, ["choice"]);
  });
});

for (const view of [desktop, phone]) {
  test(`without power, ${view.width} px: time by the setting that matters, and the gap is named`, async () => {
    const report = no_power_report();
    await with_page(report, view, async (page) => {
      assert.equal(await page.getAttribute(".cloud", "data-points"), "32");
      await check_choice(page, report);
      assert.match(await page.locator(".figure.missing").innerText(), /not available[\s\S]*power is not available on this machine/);
      assert.match(await page.locator(".notes").innerText(), /cpu_mhz cannot be set/);
      const options = await page.locator("select").nth(1).locator("option").allTextContents();
      assert.deepEqual(options, ["Time per minibatch", "Time per epoch", "CPU cores", "Loader workers", "Prefetch", "Rank (least first)"]);
      assert.equal(await page.locator("select").nth(1).inputValue(), "axis:cpu_cores");
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|null|Infinity/);
    });
  });
}

test("infeasible: no choice, the reason, the closest and the remedy", async () => {
  await with_page(infeasible_report(), desktop, async (page) => {
    assert.match(plain(await page.locator("h1").textContent()), /^No configuration .* meets the 8 W power budget\.$/);
    assert.match(await page.locator(".answer").innerText(), /lowest power of any mode[\s\S]*Raise --power-budget[\s\S]*closest/i);
    assert.equal(await page.locator(".is-choice").count(), 0);
    assert.equal(await page.getAttribute(".cloud", "data-points"), "864");
    await page.locator(".cloud").focus();
    await page.keyboard.press("Home");
    assert.match(await page.locator(".cloud .tip").innerText(), /closest to the budgets/i);
  });
});

test("18,096 configurations stay fluid", async () => {
  const report = large_report();
  assert.equal(report.configurations.length, 18_096);
  await with_page(report, desktop, async (page) => {
    assert.equal(await page.getAttribute(".cloud", "data-points"), "18096");
    await check_choice(page, report);
    const ink = await page.evaluate(() => {
      let share = 0;
      for (const canvas of document.querySelectorAll<HTMLCanvasElement>(".cloud canvas")) {
        const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 3; i < data.length; i += 4) if (data[i]! > 60) count++;
        share += count / (canvas.width * canvas.height);
      }
      return share;
    });
    assert.ok(ink > 0.08, `the cloud covers ${(ink * 100).toFixed(1)} % of the canvas`);
    const at = await spot(page, 0);
    const milliseconds = await page.evaluate(async ({ x, y }) => {
      const box = document.querySelector(".cloud")!;
      const start = performance.now();
      for (let i = 0; i < 20; i++) box.dispatchEvent(new PointerEvent("pointerdown", { clientX: x + i, clientY: y, bubbles: true }));
      return (performance.now() - start) / 20;
    }, at);
    assert.ok(milliseconds < 50, `a hover takes ${milliseconds.toFixed(1)} ms`);
  });
});

test("a profiled default keeps its symbol", async () => {
  const report = power_report();
  report.profiled[1]!.configuration = report.default!.configuration;
  await with_page(report, desktop, async (page) => {
    const at = await spot(page, 1);
    assert.ok((await painted(page, at, 10, "ink")) > 60, "the diamond is painted");
    const covering = await page.locator(".bubble").evaluateAll((all, at) => all.filter((e) => { const r = e.getBoundingClientRect(); return r.left < at.x && at.x < r.right && r.top < at.y && at.y < r.bottom; }).length, at);
    assert.equal(covering, 0);
  });
});

test("a click on a point reaches its row, and the row its point", async () => {
  const report = power_report();
  await with_page(report, desktop, async (page) => {
    const other = report.default!.configuration; // outside of the budget: not among the rows shown
    assert.equal(await page.locator(`.data tr[data-index="${other}"]`).count(), 0);
    const at = await spot(page, 1);
    await page.mouse.click(at.x, at.y);
    const row = page.locator(`.data tr[data-index="${other}"]`);
    await row.waitFor();
    assert.match((await row.getAttribute("class")) ?? "", /is-shown/);
    assert.equal(await row.evaluate((r) => r === document.activeElement && r.getBoundingClientRect().top > 0 && r.getBoundingClientRect().bottom < innerHeight), true);
    await row.locator(".to-chart").click();
    await page.locator(".cloud .tip", { hasText: "MAXN" }).waitFor();
    assert.equal(await page.locator(".cloud").evaluate((c) => c.getBoundingClientRect().top > -100 && c.getBoundingClientRect().bottom < innerHeight + 100), true);
    // With the keyboard, too.
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["index"]), String(report.choice!.configuration));
    await page.locator(".trial-table .to-chart").nth(2).click();
    await page.locator(".cloud .tip", { hasText: "profiled 3" }).waitFor();
  });
});

test("a second tap on a point reaches its row", async () => {
  const report = power_report();
  await with_page(report, phone, async (page) => {
    await page.locator(".cloud").scrollIntoViewIfNeeded();
    const at = await spot(page, 0);
    await page.touchscreen.tap(at.x, at.y);
    await page.locator(".cloud .tip").waitFor();
    assert.equal(await page.locator(".is-shown").count(), 0);
    await page.touchscreen.tap(at.x, at.y);
    await page.locator(`.is-shown[data-index="${report.choice!.configuration}"]`).waitFor();
  });
});

test("the budget slider says what the predictions give, and marks them as such", async () => {
  const report = power_report();
  await with_page(report, desktop, async (page) => {
    const slider = page.locator(".whatif input");
    assert.match(await page.locator(".whatif-answer").innerText(), /^As asked/);
    await slider.focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 12; i++) await page.keyboard.press("PageUp");
    const limit = parseFloat(plain(await page.locator(".whatif output").textContent()));
    assert.ok(limit > 12 && Math.abs(limit - 30) > 0.5, `${limit} W`);
    const allowed = report.configurations.filter((c) => value(c.power_w) <= limit + 0.05);
    const best = allowed.reduce((a, b) => (value(b.time_ms) < value(a.time_ms) ? b : a));
    const words = plain(await page.locator(".whatif-answer").innerText());
    assert.ok(words.startsWith(`${value(best.time_ms).toPrecision(3)} ms per minibatch`), words);
    assert.ok(words.includes(best.provenance), words);
    assert.equal(/Not measured yet/.test(words), best.provenance === "predicted");
    assert.equal(await page.locator(".mark-name.moved").count() > 0, true);
    assert.deepEqual(await colliding(page), []);
    await page.locator(".whatif button", { hasText: "Its row" }).click();
    assert.equal(await page.locator(".is-shown").getAttribute("data-index"), String(report.configurations.indexOf(best)));
    await page.locator(".whatif button", { hasText: "As asked" }).click();
    assert.match(await page.locator(".whatif-answer").innerText(), /^As asked/);
    assert.equal(await page.locator(".mark-name.moved").count(), 0);
  });
});

test("budgets are drawn where the legend names them", async () => {
  const report = power_report();
  report.request.budgets.push({ quantity: "time", limit: 6, unit: "min", per: "epoch" });
  await with_page(report, desktop, async (page) => {
    const [vertical, horizontal] = [page.locator("select").nth(0), page.locator("select").nth(1)];
    const shown = async () => ({ drawn: await page.getAttribute(".cloud", "data-budgets"), named: await page.locator(".mark-name.limit").count(), legend: await page.locator(".legend").innerText() });
    // The budget of an epoch bounds the minibatch, too.
    let now = await shown();
    assert.equal(now.drawn, "2");
    assert.equal(now.named, 2);
    assert.match(now.legend, /budgets; beyond is shaded/);
    await vertical.selectOption("energy");
    await horizontal.selectOption("axis:gpu_mhz");
    now = await shown();
    assert.equal(now.drawn, "0");
    assert.match(now.legend, /2 budgets are not on these axes/);
    assert.doesNotMatch(now.legend, /beyond/);
  });
});

test("a budget beyond all configurations is in the picture", async () => {
  await with_page(infeasible_report(), desktop, async (page) => {
    const line = (await page.locator(".mark-name.limit").boundingBox())!;
    const chart = (await page.locator(".cloud").boundingBox())!;
    assert.ok(line.x > chart.x && line.x < chart.x + chart.width);
  });
});

test("how to apply the choice, ready to be copied", async () => {
  const report = power_report();
  await with_page(report, desktop, async (page) => {
    assert.equal(await page.locator(".apply code").first().textContent(), report.apply![0]!.code);
    await page.locator(".apply .copy").first().click();
    await page.locator(".apply .copy", { hasText: /Copied|Selected/ }).waitFor();
  });
});

test("what noise explains is no gain: said beside the headline", async () => {
  await with_page(batch_report(false), desktop, async (page) => {
    assert.match(await page.locator(".doubt").innerText(), /difference not established/);
    assert.match(await page.locator('.figure[data-measure="sample_time"] .delta').innerText(), /not established/);
    assert.equal(await page.locator('.figure[data-measure="sample_time"] .delta.better').count(), 0);
    assert.match(await page.locator(".effort").innerText(), /10 trials from run 1, 8 min ago, on a busy machine; --fresh measures again\.$/);
  });
  await with_page(batch_report(true), desktop, async (page) => {
    assert.equal(await page.locator(".doubt").count(), 0);
    // Cards, chart and table: all per sample.
    assert.deepEqual(await page.locator(".figure .figure-label").allTextContents(), ["Time per sample", "Power", "Energy per sample", "Time per epoch", "Found with"]);
    assert.equal(await page.locator("select").first().inputValue(), "sample_time");
    const heads = await page.locator(".table-section .data th").allTextContents();
    assert.ok(heads.some((t) => t.startsWith("Time per sample")) && !heads.some((t) => /minibatch/.test(t)), heads.join());
    assert.match(await page.locator(".consequence").innerText(), /^A sample takes .*: 12\.5 % less time per sample than the default\.$/);
  });
});

test("repeated readings are shown one by one", async () => {
  const report = power_report();
  const choice = report.choice!.configuration;
  report.profiled = [1, 2, 3].map((i) => ({ ...report.profiled[0]!, configuration: choice, minibatch_ms: 100 * i, minibatch_ms_90: null, power_w: 10 * i, power_w_90: null }));
  await with_page(report, desktop, async (page) => {
    assert.deepEqual((await page.locator('.trial-table td[data-label="Time"] b').allTextContents()).map(plain), ["100 ms", "200 ms", "300 ms"]);
  });
});

test("a plan shows its answer, limits and alternatives", async () => {
  await with_page(plan_page(), desktop, async (page) => {
    assert.match(await page.locator("h1").innerText(), /^Set twin to cpu_cores 8/);
    assert.match(plain(await page.locator(".figures").innerText()), /9\.38[\s\S]*29\.1[\s\S]*10/);
    assert.equal(await page.getAttribute(".chart.points", "data-points"), "6");
    assert.deepEqual(await page.locator(".sheet-table h2").allInnerTexts(), ["What it leaves of each limit", "What a little more would buy", "Alternatives at other powers", "What was profiled"]);
    assert.equal(await page.locator(".sheet-data .is-choice").count(), 1);
    await page.locator(".chart.points").focus();
    await page.keyboard.press("Home");
    assert.match(plain(await page.locator(".tip").innerText()), /a mode at 14\.2 W[\s\S]*3\.1 training minibatches\/s/i);
  });
});

test("a run of two sources tells them apart", async () => {
  await with_page(run_page(), desktop, async (page) => {
    assert.deepEqual(await page.locator(".legend li").allTextContents(), ["A", "B"]);
    assert.match(await page.locator(".notes").innerText(), /A and B do not compare: power total/);
    assert.match(await page.locator(".provenance").innerText(), /Source A[\s\S]*LibTorch 1\.13\.1[\s\S]*Source B[\s\S]*LibTorch 2\.6\.0/);
  });
});

test("a profile shows where the time goes", async () => {
  await with_page(profile_page(), desktop, async (page) => {
    assert.equal(await page.getAttribute(".chart.epochs", "data-bars"), "2");
    assert.ok((await pixels(page, ".chart.epochs", "blue")) > 1000);
    assert.equal(await page.locator(".sheet-data tbody tr").count(), 2);
  });
});

test("roofs lie above their points, which tell what they are", async () => {
  for (const view of [desktop, phone, { ...phone, scheme: "dark" } as View]) {
    await with_page(roofline_page(), view, async (page) => {
      assert.deepEqual(await page.locator(".points-section .legend li").allTextContents(), ["gpu_mhz 1300, mem_mhz 3200", "gpu_mhz 300, mem_mhz 700", "net", "det"]);
      assert.ok((await pixels(page, ".chart.points", "ink")) > 300, "the first roof is drawn");
      assert.ok((await pixels(page, ".chart.points", "choice")) > 100, "and the second");
      await page.locator(".chart.points").focus();
      await page.keyboard.press("Home");
      assert.match(plain(await page.locator(".points-section .tip").innerText()), /net infer, batch 16: gpu_mhz 1300[\s\S]*1700 GFLOP\/s[\s\S]*34 FLOP\/B/i);
    });
  }
});

test("a heat map shows any figure over any two axes, others held or at their best", async () => {
  const report = roofline_page();
  const { configurations } = report.tables[0]!;
  await with_page(report, desktop, async (page) => {
    const map = page.locator(".chart.heat");
    const field = (name: string) => page.locator(".heat-section .field").filter({ has: page.locator("span", { hasText: new RegExp(`^${name}$`) }) }).locator("select");
    assert.equal(await map.getAttribute("data-cells"), "24", "6 GPU clocks by 4 numbers of cores");
    assert.ok((await pixels(page, ".chart.heat", "choice")) > 50, "the least cell is framed");
    await field("Across").selectOption({ label: "CPU cores" });
    await field("Upwards").selectOption({ label: "GPU clock" });
    await field("Batch size").selectOption({ label: "whichever is least" });
    await field("Memory clock").selectOption({ label: "whichever is least" });
    assert.equal(await map.getAttribute("data-cells"), "24");
    const least = Math.min(...configurations.map((c) => value(c.energy_j) / c.config[0]!));
    const said = /least, ([\d.]+) mJ/.exec(plain(await page.locator(".heat-section figcaption").innerText()))!;
    assert.ok(Math.abs(Number(said[1]) / (1e3 * least) - 1) < 0.006);
    // A click in the middle of a cell's area tells its figures, however far from its middle.
    await map.hover({ position: { x: 62 + 8, y: 34 + 6 } });
    await map.locator(".tip").waitFor();
    assert.match(plain(await map.locator(".tip").innerText()), /CPU cores\s*2\s[\s\S]*GPU clock\s*1300 MHz/);
    await field("Of").selectOption({ label: "det infer on twin" });
    assert.deepEqual(await field("Show").locator("option").allTextContents(), ["Time per sample"]);
    assert.match(await page.locator(".heat-section figcaption").innerText(), /^Time per sample is least/);
  });
});

test("a tune has the heat map, too", async () => {
  await with_page(power_report(), phone, async (page) => {
    assert.equal(await page.locator(".chart.heat").count(), 1);
    assert.equal(await page.locator(".heat-section .field", { hasText: "Show" }).locator("option").count(), 3);
  });
});

test("the table sorts, filters and turns pages", async () => {
  const report = power_report();
  await with_page(report, desktop, async (page) => {
    const indices = () => page.locator(".data tbody tr").evaluateAll((rows) => rows.map((r) => Number((r as HTMLElement).dataset["index"])));
    const status = () => page.locator(".pager .status").textContent();
    const within = report.configurations.filter((c) => value(c.power_w) <= 30).length;
    assert.equal(await status(), `1–25 of ${within} configurations`);
    assert.equal((await indices())[0], report.choice!.configuration, "the best within the budget comes first");

    const show = page.locator(".table-section .field:not(.order) select");
    await show.selectOption("all");
    assert.equal(await status(), "1–25 of 864 configurations");
    await page.locator(".data th button", { hasText: "Power" }).click();
    const powers = report.configurations.map((c) => value(c.power_w));
    const expected = powers.map((_, i) => i).sort((a, b) => powers[a]! - powers[b]!);
    assert.deepEqual(await indices(), expected.slice(0, 25));
    await page.locator("button", { hasText: "Next" }).click();
    assert.deepEqual(await indices(), expected.slice(25, 50));
    await page.locator(".data th button", { hasText: "Power" }).click();
    assert.equal((await indices())[0], expected[863]);
    assert.equal(await page.locator('.data th[aria-sort="descending"]').innerText().then((t) => t.startsWith("Power")), true);

    await show.selectOption("profiled");
    assert.deepEqual(new Set(await indices()), new Set(report.profiled.map((t) => t.configuration)));
    await show.selectOption("front");
    assert.equal(await status(), `1–25 of ${report.front!.configurations.length} configurations`.replace("1–25", `1–${Math.min(25, report.front!.configurations.length)}`));
  });
});

test("what was asked, and what the program reported of the choice, stand with the answer", async () => {
  const report = power_report();
  report.request.asked = "objective time, power ≤ 30 W, memory ≤ 2 GB";
  report.request.limits = [{ figure: "memory", at_most: 2e9 }];
  report.request.offered = 4368;
  report.choice!.figures = { memory: 1.25e9 };
  await with_page(report, desktop, async (page) => {
    const text = plain(await page.locator(".answer").innerText());
    for (const part of ["Asked: objective time, power ≤ 30 W, memory ≤ 2 GB.", "and limit memory ≤ 2 GB", "1.25"]) assert.ok(text.includes(part), `${part} in ${text}`);
    assert.match(text, /of 4\D?368 configurations/);
  });
});

test("all profiled trials stand in their order, with why, stop rule and flags", async () => {
  const report = power_report();
  await with_page(report, desktop, async (page) => {
    const rows = await page.locator(".trial-table tbody tr").allInnerTexts();
    assert.equal(rows.length, report.profiled.length);
    report.profiled.forEach((trial, i) => {
      const text = plain(rows[i]!);
      assert.match(text, new RegExp(`^${i + 1}\\b`));
      assert.ok(text.includes(trial.reason) && text.includes(trial.stop_reason) && text.includes(`${trial.minibatches} minibatches`), text);
      assert.equal(/^throttled$/m.test(text), trial.throttled === true, text);
      assert.equal(text.includes("nobody looked whether the board throttled"), trial.throttled === null, text);
      assert.equal(/repeated/.test(text), trial.repeat, text);
      assert.equal(/disturbed[\s\S]*beside process 7/.test(text), trial.disturbed !== null, text);
      assert.equal(text.includes("accuracy 0.7125"), trial.figures["accuracy"] !== undefined, text);
    });
    assert.deepEqual(await page.locator(".agreement").evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset["pairs"])), Array(2).fill(String(report.profiled.length)));
    assert.match(await page.locator(".provenance").innerText(), /fixture-7f3a91[\s\S]*Seed\s+7[\s\S]*flyball tune mobilenet_v3/);
  });
});

test("every pair of axes can be shown", async () => {
  await with_page(power_report(), desktop, async (page) => {
    const [vertical, horizontal] = [page.locator("select").nth(0), page.locator("select").nth(1)];
    const values = (s: typeof vertical) => s.locator("option").evaluateAll((all) => all.map((o) => (o as HTMLOptionElement).value));
    for (const y of await values(vertical)) {
      for (const x of await values(horizontal)) {
        await vertical.selectOption(y);
        await horizontal.selectOption(x);
        assert.equal(await page.getAttribute(".cloud", "data-points"), "864", `${y} against ${x}`);
      }
    }
  });
});

test("the theme can be switched, and paper is always light", async () => {
  await with_page(power_report(), { ...desktop, scheme: "dark" }, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await page.locator("button.theme").click();
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
    assert.notEqual(await background(), dark);
    await page.locator("button.theme").click();
    await page.emulateMedia({ media: "print" });
    await page.waitForSelector('html[data-theme="light"]', { timeout: 5000 });
    assert.equal(await page.locator("button.theme").isVisible(), false);
    await page.setViewportSize({ width: 690, height: 1000 }); // A4 within its margins
    await page.waitForTimeout(200);
  });
});

test("the configurations can be saved as CSV", async () => {
  await with_page(power_report(), desktop, async (page) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button", { hasText: "Save as CSV" }).click()]);
    const lines = readFileSync(await download.path(), "utf8").trimEnd().split("\n");
    assert.equal(lines.length, 865);
    assert.match(lines[0]!, /^cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,/);
  });
});

test("text in the data stays text", async () => {
  const report = power_report();
  const attack = `</script><script>document.title="owned"</script><img src="http://example.invalid/x" onerror="document.title='owned'">`;
  report.request.workload = report.notes[0]!.text = report.profiled[0]!.reason = report.default!.name = attack;
  report.comparison!.text = report.comparison!.doubt = report.run.effort = report.oracle!.text = report.apply![0]!.title = report.apply![0]!.code = attack;
  assert.ok(!fill(page_of(report)).includes("document.title=\"owned\"</script>"));
  await with_page(report, desktop, async (page) => {
    assert.equal(await page.locator("main img").count(), 0);
    assert.equal(await page.title(), `${attack} training on twin (simulated) · Flyball`);
    assert.ok((await page.locator(".notes").innerText()).includes("<img src="));
    assert.equal(await page.locator(".apply code").first().textContent(), attack);
  });
  const plan = plan_page();
  const { answer } = plan;
  plan.command = plan.apply[0]!.title = plan.apply[0]!.text = attack;
  answer.choice!.text = answer.front[0]!.text = answer.choice!.value_unit = answer.front[0]!.value_unit = answer.limits[0]!.constraint = answer.limits[0]!.unit = answer.would_buy[0]!.what = attack;
  answer.device.name = answer.device.fingerprint = answer.asked = answer.stopped = answer.request.roles[0]!.workload = answer.profiled[0]!.reason = answer.profiled[1]!.failure = attack;
  await with_page(plan, desktop, async (page) => {
    await page.locator(".chart.points").focus();
    await page.keyboard.press("Home");
    assert.ok((await page.locator(".tip").innerText()).includes("<img src="));
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.equal(await page.title(), `plan concurrent on ${attack} (simulated) · Flyball`);
  });
});

/** Canvas pixels of the named colour of the style sheet inside a chart. */
function pixels(page: Page, chart: string, colour: string): Promise<number> {
  return page.evaluate(({ chart, colour }) => {
    const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue(`--${colour}`).trim().slice(1).match(/../g)!.map((h) => parseInt(h, 16)) as [number, number, number];
    const canvas = document.querySelector<HTMLCanvasElement>(`${chart} canvas`)!;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i]! - r) < 24 && Math.abs(data[i + 1]! - g) < 24 && Math.abs(data[i + 2]! - b) < 24 && data[i + 3]! > 200) count++;
    return count;
  }, { chart, colour });
}

for (const [name, view] of dresses) {
  test(`an experiment shows findings, stacked bars and violins: ${name}`, async () => {
    const report = experiment_page();
    await with_page(report, view, async (page) => {
      assert.equal(await page.locator(".finding-list li").count(), 3);
      assert.equal(await page.locator(".finding-list li.holds").count(), 1);
      assert.equal(await page.locator(".finding-list li.differs").count(), 1);
      assert.equal(await page.getAttribute(".chart.epochs", "data-bars"), "6");
      assert.equal(await page.getAttribute(".chart.violins", "data-violins"), "3");
      // Compute fills more of the bars than the stall does, and both are there.
      const [compute, stall] = [await pixels(page, ".chart.epochs", "blue"), await pixels(page, ".chart.epochs", "choice")];
      assert.ok(stall > 200 && compute > 2 * stall, `compute ${compute} px, stall ${stall} px`);
      assert.ok((await pixels(page, ".chart.violins", "blue")) > 100, "boxes of the violins");
      const row = plain(await page.locator(".experiment-data tbody tr").nth(1).innerText());
      assert.ok(row.startsWith("workers 0") && row.includes("16.1 s") && row.includes("100 %"), row);
      assert.equal(await page.locator(".findings .doubt").innerText(), "some figures deserve doubt");
      assert.match(plain(await page.locator(".experiment-data tbody tr").nth(5).innerText()), /workers 2\s*others took 45 % of a core/);
      assert.ok((await page.locator(".notes").innerText()).includes("power is not available"));
      assert.ok(!(await page.locator("main").innerText()).match(/NaN|undefined|Infinity/));
    });
  });
}

test("an experiment without figures of its epochs says what is wrong", async () => {
  const report = experiment_page();
  report.answer.groups[1]!.epochs = [];
  await with_page(report, phone, async (page) => { assert.match(await page.locator(".failure").innerText(), /groups\[1\] has no epochs/); });
});

test("a page that cannot be shown says why", async () => {
  const message = async (document: unknown) => {
    let text = "";
    await with_page(document, phone, async (page) => { text = await page.locator(".failure").innerText(); });
    return text;
  };
  assert.match(await message({}), /empty template/);
  assert.match(await message({ ...page_of(power_report()), schema: "flyball-report/1" }), /flyball-report\/1/);
  assert.match(await message({ ...page_of(power_report()), kind: "sums" }), /kind "sums" is not known/);
  assert.match(await message(fill({}).replace(">{}</script>", ">{,</script>")), /not JSON/);
});
