// From docs/schema/report.json: the types of the page (src/contract.ts, committed) and what checks its data (src/validators.ts,
// made by every build). With --check the committed types must be what the schema says.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { compile } from "json-schema-to-typescript";

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const banner = "// Made from docs/schema/report.json by `npm run generate`; change it there.";

/** A comment shows the unit beside the description. */
function with_units(node) {
  if (Array.isArray(node)) return node.map(with_units);
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, with_units(value)]));
  if (typeof node.unit === "string" && typeof node.description === "string") copy.description = `[${node.unit}] ${node.description}`;
  return copy;
}

/** Only what checks: no words. */
function bare(node, in_properties = false) {
  if (Array.isArray(node)) return node.map((item) => bare(item));
  if (typeof node !== "object" || node === null) return node;
  const words = in_properties ? [] : ["title", "description", "unit"];
  return Object.fromEntries(Object.entries(node).filter(([key]) => !words.includes(key)).map(([key, value]) => [key, bare(value, key === "properties" && !in_properties)]));
}

async function contract(schema) {
  const types = await compile(with_units(schema), "Report", {
    bannerComment: banner, additionalProperties: false, enableConstEnums: false, format: true, strictIndexSignatures: false,
    style: { printWidth: 140 },
  });
  const name = JSON.stringify(schema.definitions.Schema.const);
  const short = types.replace(/\/\*\*\n\s*\* (.*)\n\s*\*\//g, "/** $1 */");
  return `${short}\nexport const schema = ${name};\n`;
}

/** Plain code for each kind: nothing is compiled in the page, and it needs no eval. */
function validators(schema) {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, inlineRefs: false, messages: false, code: { source: true, esm: true, optimize: 2 } });
  ajv.addSchema(bare(schema), "report");
  const kinds = { tune: "report#/definitions/TuneReport", experiment: "report#/definitions/ExperimentReport", sheet: "report#/definitions/SheetReport" };
  const code = standalone.default(ajv, kinds);
  if (/\brequire\(|\bimport\b/.test(code)) throw new Error("the checks need a module of their validator at run time");
  return `// @ts-nocheck\n${banner}\n${code}\n`;
}

const schema = JSON.parse(readFileSync(path("../docs/schema/report.json"), "utf8"));
const fresh = await contract(schema);
if (!process.argv.includes("--check")) writeFileSync(path("src/contract.ts"), fresh);
else if (readFileSync(path("src/contract.ts"), "utf8") !== fresh) {
  console.error("web/src/contract.ts is stale: docs/schema/report.json says something else");
  console.error("hint: cd web && npm run build, then commit web/src/contract.ts and web/dist/report.html");
  process.exit(1);
}
writeFileSync(path("src/validators.ts"), validators(schema));
