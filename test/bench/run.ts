/**
 * All benchmarks, or those named: `npm run bench -- ingest history`. Every other file here that exports `run` is one;
 * each can also be run alone. Prints one table, with what else the machine did meanwhile. `--json <file>` writes the same
 * as JSON, and `--page` writes `README.md` beside this file.
 */
import { readdir, readFile, writeFile } from "node:fs/promises"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Figures, pageOf } from "./page.ts"
import type { Row } from "./row.ts"

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, page: { type: "boolean", default: false } }
})
/** Minutes and gigabytes: only where they are named. */
const large = new Set(["scale", "years"])
const files = (await readdir(import.meta.dirname))
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.slice(0, -3))
  .filter((name) => name !== "run" && (wanted.length === 0 ? !large.has(name) : wanted.includes(name)))
  .sort()

const load = () => Number(loadavg()[0]?.toFixed(1))
const rows: Array<Row & { readonly bench: string }> = []
const before = load()
const started = performance.now()
for (const bench of files) {
  // The others are servers and loads that begin when they are imported.
  if (!/^export const run\b/m.test(await readFile(join(import.meta.dirname, `${bench}.ts`), "utf8"))) continue
  const { run } = (await import(`./${bench}.ts`)) as { run: () => Promise<ReadonlyArray<Row>> }
  console.error(`${bench} …`)
  const made = await run()
  rows.push(...made.map((row) => ({ bench, ...row })))
}
const figures: Figures = {
  machine: `${cpus().length} × ${cpus()[0]?.model ?? "?"}`,
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  load: [before, load()],
  seconds: (performance.now() - started) / 1000,
  command: ["npm run bench --", ...wanted, "--page"].join(" "),
  rows
}
console.table(rows)
console.log(
  `Node ${figures.node}, ${figures.machine}; load ${before} before, ${load()} after; ${Math.round(figures.seconds)} s`
)
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, undefined, 2)}\n`)
if (values.page) await writeFile(join(import.meta.dirname, "README.md"), pageOf(figures))
process.exit()
