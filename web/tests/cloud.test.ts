// The cloud of the built page with fixture data, opened from disk in Chromium: points, names, budgets, in every dress.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close_browser, desktop, phone, poor_contrast, with_page } from "./browser.ts";
import { plan_page, profile_page, run_page } from "./fixtures/sheets.ts";
import { experiment_page } from "./fixtures/studies.ts";
import { batch_report, infeasible_report, large_report, no_power_report, power_report, wide_report } from "./fixtures/tune.ts";
import { plain, value, spot, painted, check_choice, check_card, dresses, cut_off, colliding, crowded } from "./looks.ts";

after(close_browser);

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
    assert.equal(/Not tried yet/.test(words), best.provenance === "predicted");
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
