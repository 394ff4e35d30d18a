/**
 * All benchmarks, or those named: `npm run bench -- ingest history`. Every other file here that exports `run` is one;
 * each can also be run alone. Prints one table, with what else the machine did meanwhile.
 */
import { readdir, readFile } from "node:fs/promises"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import type { Row } from "./row.ts"

const wanted = process.argv.slice(2)
/** Minutes and gigabytes: only where they are named. */
const large = new Set(["years"])
const files = (await readdir(import.meta.dirname))
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.slice(0, -3))
  .filter((name) => name !== "run" && (wanted.length === 0 ? !large.has(name) : wanted.includes(name)))
  .sort()

const load = () => loadavg()[0]?.toFixed(1)
const table: Array<Row & { readonly bench: string }> = []
const before = load()
for (const bench of files) {
  // The others are servers and loads that begin when they are imported.
  if (!/^export const run\b/m.test(await readFile(join(import.meta.dirname, `${bench}.ts`), "utf8"))) continue
  const { run } = (await import(`./${bench}.ts`)) as { run: () => Promise<ReadonlyArray<Row>> }
  console.error(`${bench} …`)
  const rows: ReadonlyArray<Row> = await run()
  table.push(...rows.map((row) => ({ bench, ...row })))
}
console.table(table)
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}; load ${before} before, ${load()} after`
)
process.exit()
