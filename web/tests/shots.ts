// Screenshots of every fixture, to look at: npm run shots -- FOLDER [FIXTURE,…] [VIEW,…]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { close_browser, open, type View } from "./browser.ts";
import { fixtures } from "./fixtures.ts";

const folder = process.argv[2] ?? "build/shots";
const only = process.argv[3];
mkdirSync(folder, { recursive: true });
const views: [string, View][] = [360, 768, 1280, 1920].flatMap((width) => (["light", "dark"] as const).map((scheme): [string, View] =>
  [`${width}-${scheme}`, { scheme, width, height: 900, phone: width < 500, scale: width < 500 ? 2 : 1 }]));
const seen = process.argv[4]?.split(",");
for (const [name, make] of Object.entries(fixtures)) {
  if (only && !only.split(",").includes(name)) continue;
  for (const [view_name, view] of views) {
    if (seen && !seen.includes(view_name)) continue;
    const { page, close, errors } = await open(make(), view);
    // In slices, so that nothing is scaled down when looked at.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const step = view.phone ? 1400 : 1300;
    for (let top = 0, n = 1; top < height; top += step, n++) {
      const clip = { x: 0, y: top, width: view.width, height: Math.min(step, height - top) };
      await page.screenshot({ path: join(folder, `${name}-${view_name}-${n}.png`), fullPage: true, clip });
    }
    if (view_name === "1280-dark") {
      await page.setViewportSize({ width: 690, height: 1000 });
      await page.emulateMedia({ media: "print" });
      await page.screenshot({ path: join(folder, `${name}-print.png`), fullPage: true });
      await page.pdf({ path: join(folder, `${name}.pdf`), format: "A4" });
    }
    if (errors.length > 0) console.log(name, view_name, errors);
    await close();
  }
}
await close_browser();
