// From docs/schema: the types of the pages (committed) and what checks a report's data (src/validators.ts, made by every build). With
// --check the committed types must be what the schemas say.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import Ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { compile } from "json-schema-to-typescript";

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const banner = (schema) => `// Made from docs/schema/${schema} by \`npm run generate\`; change it there.`;
const contracts = [
  { schema: "report.json", types: "src/contract.ts", page: "report.html" },
  { schema: "live.json", types: "src/live/contract.ts", page: "live.html" },
];

const read = (file) => JSON.parse(readFileSync(path(`../docs/schema/${file}`), "utf8"));

/** The schema with all that it takes from other files as definitions of its own: `Answer` of roofline.json is `RooflineAnswer`. */
function bundled(file) {
  const { definitions: own, ...root } = read(file);
  const definitions = {};
  const take = (of, name) => {
    const prefix = of === file ? "" : of.charAt(0).toUpperCase() + of.slice(1).replace(".json", "");
    const key = name.startsWith(prefix) ? name : prefix + name;
    if (!(key in definitions)) {
      definitions[key] = null;
      const { definitions: theirs, $schema, title, ...whole } = read(of);
      definitions[key] = local(name === "" ? whole : theirs[name], of);
    }
    return `#/definitions/${key}`;
  };
  const local = (node, of) => {
    if (Array.isArray(node)) return node.map((item) => local(item, of));
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => {
      if (key !== "$ref") return [key, local(value, of)];
      const [other, pointer = ""] = value.split("#");
      return [key, take(other || of, pointer.split("/").pop())];
    }));
  };
  Object.keys(own).forEach((name) => take(file, name));
  return { ...local(root, file), definitions };
}

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

async function types_of(schema, file) {
  const types = await compile(with_units(schema), schema.title, {
    bannerComment: banner(file), additionalProperties: false, enableConstEnums: false, format: true, strictIndexSignatures: false,
    style: { printWidth: 140 },
  });
  const short = types.replace(/\/\*\*\n\s*\* (.*)\n\s*\*\//g, "/** $1 */");
  const name = schema.definitions.Schema?.const;
  return name === undefined ? short : `${short}\nexport const schema = ${JSON.stringify(name)};\n`;
}

/** Plain code for each kind: nothing is compiled in the page, and it needs no eval. */
function validators(schema) {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, inlineRefs: false, messages: false, code: { source: true, esm: true, optimize: 2 } });
  ajv.addSchema(bare(schema), "report");
  const forms = schema.oneOf.map(({ $ref }) => $ref);
  const kinds = Object.fromEntries(forms.map((form) => [schema.definitions[form.split("/").pop()].properties.kind.const, `report${form}`]));
  const code = standalone.default(ajv, kinds);
  if (/\brequire\(|\bimport\b/.test(code)) throw new Error("the checks need a module of their validator at run time");
  return `// @ts-nocheck\n${banner("report.json")}\n${code}\n`;
}

for (const { schema, types, page } of contracts) {
  const fresh = await types_of(bundled(schema), schema);
  if (!process.argv.includes("--check")) writeFileSync(path(types), fresh);
  else if (!existsSync(path(types)) || readFileSync(path(types), "utf8") !== fresh) {
    console.error(`web/${types} is stale: docs/schema/${schema} says something else`);
    console.error(`hint: cd web && npm run build, then commit web/${types} and web/dist/${page}`);
    process.exit(1);
  }
}
writeFileSync(path("src/validators.ts"), validators(bundled("report.json")));
