/**
 * All benchmarks, or those named: `npm run bench -- ingest history`; `--help` names them. Every other file here that exports
 * `run` is one; each can also be run alone. Prints one table, with what else the machine did meanwhile. `--json <file>`
 * writes the same as JSON, and `--page` writes `README.md` beside this file.
 */
import { writeFile } from "node:fs/promises"
import { cpus, loadavg } from "node:os"
import { join } from "node:path"
import { type BenchReport, pageOf } from "./reportPage.ts"
import type { Row } from "./row.ts"
import { Misused, parseCommand, usage } from "./usage.ts"

/** Ends with one line where what was asked for cannot be run; anything else that fails is a bug, with its stack. */
const orExit = async <A>(work: () => A | Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Misused)) throw error
    console.error(`bench: ${error.message}`)
    process.exit(2)
  }
}

const args = process.argv.slice(2)
const command = await orExit(() => parseCommand(args))
if (command.kind === "help") {
  console.log(usage)
  process.exit()
}

const load = () => Number(loadavg()[0]?.toFixed(1))
const rows: Array<Row & { readonly bench: string }> = []
const before = load()
const started = performance.now()
for (const bench of command.names) {
  console.error(`${bench} …`)
  const benchRows = await orExit(async () => {
    const { run } = (await import(`./${bench}.ts`)) as { run: () => Promise<ReadonlyArray<Row>> }
    return run().catch((error: unknown): ReadonlyArray<Row> => {
      if (error instanceof Misused) throw error
      console.error(error)
      // Those before and after it took their minutes, too.
      const nothing = { value: Number.NaN, ratio: Number.NaN, unit: "" }
      return [{ ...nothing, what: "failed, and measured nothing", aim: "runs", met: false }]
    })
  })
  rows.push(...benchRows.map((row) => ({ bench, ...row })))
}
const report: BenchReport = {
  machine: `${cpus().length} × ${cpus()[0]?.model ?? "?"}`,
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  load: [before, load()],
  seconds: (performance.now() - started) / 1000,
  command: ["npm run bench --", ...command.named, "--page"].join(" "),
  rows
}
console.table(rows)
console.log(
  `Node ${report.node}, ${report.machine}; load ${before} before, ${load()} after; ${Math.round(report.seconds)} s`
)
if (command.json !== undefined) await writeFile(command.json, `${JSON.stringify(report, undefined, 2)}\n`)
if (command.page) await writeFile(join(import.meta.dirname, "README.md"), pageOf(report))
process.exit()
