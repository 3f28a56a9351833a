// The pages of plans, runs, profiles and roofs.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close_browser, desktop, fill, phone, with_page, type View } from "./browser.ts";
import { campaign_page } from "./fixtures/fleet.ts";
import { plan_page, profile_page, roofline_page, run_page } from "./fixtures/sheets.ts";
import { power_report } from "./fixtures/tune.ts";
import { plain, value, pixels } from "./looks.ts";
import { page_of } from "./tune_page.ts";

after(close_browser);

test("a plan shows its answer, limits and alternatives", async () => {
  await with_page(plan_page(), desktop, async (page) => {
    assert.match(await page.locator("h1").innerText(), /^Train net and serve det on twin with 8 CPU cores/);
    assert.match(plain(await page.locator(".figures").innerText()), /9\.38[\s\S]*29\.1[\s\S]*10/);
    assert.equal(await page.getAttribute(".chart.points", "data-points"), "7", "six alternatives, and a predicted one with more power");
    assert.deepEqual(await page.locator(".sheet-table h2").allInnerTexts(), ["What it leaves of each limit", "What a little more would buy", "Alternatives at other powers", "What was profiled"]);
    assert.equal(await page.locator(".sheet-data .is-choice").count(), 1);
    await page.locator(".chart.points").focus();
    await page.keyboard.press("Home");
    assert.match(plain(await page.locator(".tip").innerText()), /8 CPU cores and GPU at 426 MHz[\s\S]*3\.1 training minibatches\/s/i);
  });
});

test("a campaign shows first what somebody should look at", async () => {
  for (const view of [desktop, phone]) {
    await with_page(campaign_page(), view, async (page) => {
      assert.equal(await page.locator("h1").innerText(), "2 of 6 cells have an answer, 1 failed, 1 running, 1 queued, 1 missing.");
      const rows = (await page.locator(".sheet-table tbody tr").allInnerTexts()).map(plain);
      assert.match(rows[0]!, /nano-3\.resnet18\.tune\.10W[\s\S]*failed[\s\S]*the dataset \/data\/cifar is not there/);
      assert.match(rows[1]!, /running[\s\S]*process 12/);
      assert.match(rows[2]!, /PENDING \(Resources\)/);
      assert.equal(rows.length, 6);
      assert.match(await page.locator(".notes").innerText(), /cooled down/);
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity|null/);
    });
  }
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
    assert.equal(await page.locator(".sheet-data thead th").count(), 3, "one for each epoch beside their names");
  });
});

test("roofs lie above their points, which tell what they are", async () => {
  for (const view of [desktop, phone, { ...phone, scheme: "dark" } as View]) {
    await with_page(roofline_page(), view, async (page) => {
      assert.deepEqual(await page.locator(".points-section .legend li").allTextContents().then((all) => all.map(plain)), ["GPU at 1300 MHz, memory at 3200 MHz", "GPU at 300 MHz, memory at 700 MHz", "net", "det"]);
      assert.ok((await pixels(page, ".chart.points", "ink")) > 300, "the first roof is drawn");
      assert.ok((await pixels(page, ".chart.points", "choice")) > 100, "and the second");
      await page.locator(".chart.points").focus();
      await page.keyboard.press("Home");
      assert.match(plain(await page.locator(".points-section .tip").innerText()), /net infer, batch 16: GPU at 1300 MHz[\s\S]*1700 GFLOP\/s[\s\S]*34 FLOP\/B/i);
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
