// One line per test and a last line that counts; the built-in reporters end with a duration and differ between versions.
export default async function* reporter(source) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of source) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    const outcome = type === "test:fail" ? "failed" : data.skip !== undefined || data.todo !== undefined ? "skipped" : "passed";
    count[outcome]++;
    const time = data.details?.duration_ms === undefined ? "" : ` (${Math.round(data.details.duration_ms)} ms)`;
    yield `${outcome === "passed" ? "ok     " : outcome === "failed" ? "FAILED " : "skipped"} ${data.name}${time}\n`;
    if (outcome === "failed") {
      const error = data.details?.error;
      yield `${String(error?.cause?.stack ?? error?.cause ?? error?.stack ?? error).replace(/^/gm, "        ")}\n`;
    }
  }
  const total = count.passed + count.failed + count.skipped;
  if (total === 0) process.exitCode = 1;
  yield `this file: ${total} tests, ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`;
}
