// Builds the pages into a scratch folder and fails when a committed one differs in a single byte.
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
  for (const page of ["report.html", "live.html"]) {
    const fresh = readFileSync(join(scratch, page));
    const committed = readFileSync(join(root, "dist", page));
    if (fresh.equals(committed)) {
      console.log(`web/dist/${page} matches its sources (${fresh.length} bytes, sha256 ${digest(fresh)})`);
      continue;
    }
    console.error(`web/dist/${page} is stale: committed ${digest(committed)}, built ${digest(fresh)}`);
    console.error(`hint: cd web && npm run build, then commit web/dist/${page}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
