// The page of an experiment, and what stands in the place of a page that cannot be shown.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close_browser, fill, phone, with_page } from "./browser.ts";
import { experiment_page } from "./fixtures/studies.ts";
import { power_report } from "./fixtures/tune.ts";
import { plain, dresses, pixels } from "./looks.ts";
import { page_of } from "./tune_page.ts";

after(close_browser);

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
