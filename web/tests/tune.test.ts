// The page of a tune beside its cloud: the answer, how to apply it, trials, table, theme.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { close_browser, desktop, phone, with_page } from "./browser.ts";
import { batch_report, infeasible_report, power_report } from "./fixtures/tune.ts";
import { plain, value } from "./looks.ts";

after(close_browser);

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

test("a tune has the heat map, too", async () => {
  await with_page(power_report(), phone, async (page) => {
    assert.equal(await page.locator(".chart.heat").count(), 1);
    const show = page.locator(".heat-section .field", { hasText: "Show" }).locator("select");
    assert.equal(await show.locator("option").count(), 3);
    // It opens on what was asked: time, within the power budget, through the answer.
    assert.equal(await show.inputValue(), "time");
    assert.match(await page.locator(".heat-section figcaption").innerText(), /is least within the budgets.*Hatched cells break a budget\.$/);
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
  // One that ran, which could have been watched; the others are simulated.
  Object.assign(report.profiled[8]!, { provenance: "measured", origin: "live" });
  await with_page(report, desktop, async (page) => {
    const rows = await page.locator(".trial-table tbody tr").allInnerTexts();
    assert.equal(rows.length, report.profiled.length);
    report.profiled.forEach((trial, i) => {
      const text = plain(rows[i]!);
      assert.match(text, new RegExp(`^${i + 1}\\b`));
      assert.ok(text.includes(trial.reason) && text.includes(trial.stop_reason) && text.includes(`${trial.minibatches} minibatches`), text);
      assert.equal(/^throttled$/m.test(text), trial.throttled === true, text);
      assert.equal(text.includes("nobody looked whether the board throttled"), trial.throttled === null && trial.provenance === "measured", text);
      assert.equal(/repeated/.test(text), trial.repeat, text);
      assert.equal(/disturbed[\s\S]*beside process 7/.test(text), trial.disturbed !== null, text);
      assert.equal(text.includes("accuracy 0.7125"), trial.figures["accuracy"] !== undefined, text);
    });
    assert.deepEqual(await page.locator(".agreement").evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset["pairs"])), Array(2).fill(String(report.profiled.length)));
    assert.match(await page.locator(".provenance").innerText(), /fixture-7f3a91[\s\S]*Seed\s+7[\s\S]*flyball tune mobilenet_v3/);
  });
});

test("what is simulated is never called measured, nor blamed on who did not look", async () => {
  const report = power_report();
  for (const trial of report.profiled) trial.throttled = null;
  await with_page(report, desktop, async (page) => {
    assert.doesNotMatch(await page.locator("#trials, .trials").first().innerText(), /measured|nobody looked/i);
  });
});

test("a block of code that overflows shows that it scrolls", async () => {
  const report = power_report();
  report.apply = [{ title: "Long", text: "", code: Array.from({ length: 40 }, (_, i) => `LINE ${i}`).join("\n") }];
  await with_page(report, desktop, async (page) => {
    const pre = page.locator(".apply-steps pre");
    // A browser without a screen hides scroll bars: what can be asked of it are the hidden lines and the shades over them.
    const [hides, shades] = await pre.evaluate((e) => [e.scrollHeight > e.clientHeight + 40, getComputedStyle(e).backgroundImage.split("linear-gradient").length - 1]);
    assert.deepEqual([hides, shades], [true, 4]);
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
