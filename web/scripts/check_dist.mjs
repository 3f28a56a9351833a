// Builds the page into a scratch folder and fails when the committed one differs in a single byte.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "flyball-web-"));
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

try {
  const env = { ...process.env, FLYBALL_WEB_OUT: scratch };
  execFileSync("npm", ["run", "--silent", "build", "--", "--logLevel", "warn"], { cwd: root, env, stdio: "inherit" });
  const fresh = readFileSync(join(scratch, "report.html"));
  const committed = readFileSync(join(root, "dist", "report.html"));
  if (!fresh.equals(committed)) {
    console.error(`web/dist/report.html is stale: committed ${digest(committed)}, built ${digest(fresh)}`);
    console.error("hint: cd web && npm run build, then commit web/dist/report.html");
    process.exitCode = 1;
  } else {
    console.log(`web/dist/report.html matches its sources (${fresh.length} bytes, sha256 ${digest(fresh)})`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
