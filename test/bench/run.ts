/**
 * All benchmarks, or those named: `npm run bench -- ingest history`; `--help` names them. Every other file here that exports
 * `run` is one; each can also be run alone. Prints one table, with what else the machine did meanwhile. `--json <file>`
 * writes the same as JSON, and `--page` writes `README.md` beside this file.
 */
import { writeFile } from "node:fs/promises"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { type Figures, pageOf } from "./page.ts"
import type { Row } from "./row.ts"
import { asked, Misused, usage } from "./usage.ts"

/** Ends with one line where what was asked for cannot be run; anything else that fails is a bug, with its stack. */
const orSay = async <A>(work: () => A | Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Misused)) throw error
    console.error(`bench: ${error.message}`)
    process.exit(2)
  }
}

const words = process.argv.slice(2)
const given = await orSay(() => asked(words))
if (given.kind === "help") {
  console.log(usage)
  process.exit()
}

const load = () => Number(loadavg()[0]?.toFixed(1))
const rows: Array<Row & { readonly bench: string }> = []
const before = load()
const started = performance.now()
for (const bench of given.names) {
  console.error(`${bench} …`)
  const made = await orSay(async () => {
    const { run } = (await import(`./${bench}.ts`)) as { run: () => Promise<ReadonlyArray<Row>> }
    return run()
  })
  rows.push(...made.map((row) => ({ bench, ...row })))
}
const figures: Figures = {
  machine: `${cpus().length} × ${cpus()[0]?.model ?? "?"}`,
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  load: [before, load()],
  seconds: (performance.now() - started) / 1000,
  command: ["npm run bench --", ...given.named, "--page"].join(" "),
  rows
}
console.table(rows)
console.log(
  `Node ${figures.node}, ${figures.machine}; load ${before} before, ${load()} after; ${Math.round(figures.seconds)} s`
)
if (given.json !== undefined) await writeFile(given.json, `${JSON.stringify(figures, undefined, 2)}\n`)
if (given.page) await writeFile(join(import.meta.dirname, "README.md"), pageOf(figures))
process.exit()
