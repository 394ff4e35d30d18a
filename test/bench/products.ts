/**
 * What each product costs to build on the embedded engine: with 400 networks and 90 days of history under 300 ms, and
 * what one network costs as they grow from 100 to 4,000. Each size has a process and a catalog of its own. Alone:
 * `npx node test/bench/products.ts`.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { networks as catalog, subnetSymbols } from "../../core/catalog/Catalog.ts"
import { Category } from "../../core/plugin/kinds.ts"
import { type Row, rounded } from "./row.ts"

/** Lines of the catalog without the subnets, which no file lists. */
const networks = catalog.filter(({ symbol }) => !subnetSymbols.includes(symbol))
const top = fileURLToPath(new URL("../../", import.meta.url))
const sizes = [100, 400, 1000, 4000] as const
const aim = 300

const link = (from: string, to: string, but: ReadonlyArray<string>) => {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (!but.includes(name)) symlinkSync(join(from, name), join(to, name))
  }
}

/** A checkout whose catalog holds so many networks; all else is this one's. */
const checkout = (folder: string, size: number) => {
  link(top, folder, ["core", ".git"])
  link(join(top, "core"), join(folder, "core"), ["catalog"])
  link(join(top, "core/catalog"), join(folder, "core/catalog"), ["networks"])
  mkdirSync(join(folder, "core/catalog/networks"))
  const more = Array.from({ length: Math.max(0, size - networks.length) }, (_, n) => ({
    ...networks[n % networks.length],
    symbol: `MADE${n}`
  }))
  const all = [...networks.slice(0, size), ...more]
  for (const category of Category.literals) {
    writeFileSync(
      join(folder, `core/catalog/networks/${category}.json`),
      JSON.stringify(all.filter((network) => network.category === category))
    )
  }
}

/** Milliseconds that one build takes; of the processor over all threads, which tells more on a busy machine. */
export interface Timing {
  /** The first build of the process: cold code, and nothing kept of the snapshot or of the days that are sealed. */
  readonly first: number
  readonly wall: number
  readonly cpu: number
}

const measure = async (size: number): Promise<Readonly<Record<string, Timing>>> => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-products-"))
  try {
    checkout(join(folder, "top"), size)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        "--preserve-symlinks",
        "--preserve-symlinks-main",
        join(folder, "top/test/bench/products.size.ts"),
        String(size),
        join(folder, "data")
      ],
      { maxBuffer: 1 << 24 }
    )
    return JSON.parse(stdout) as Readonly<Record<string, Timing>>
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const bySize = new Map<number, Readonly<Record<string, Timing>>>()
  for (const size of sizes) {
    bySize.set(size, await measure(size))
    console.error(`  ${size} networks measured`)
  }
  const timings = Object.entries(bySize.get(400) ?? {})
  const [slowest] = timings.toSorted(([, a], [, b]) => b.first - a.first)
  const first = slowest?.[1].first ?? Number.NaN
  const cold: Row = {
    what: `${slowest?.[0]}, the slowest first build, with nothing kept, 400 networks and 90 days`,
    value: rounded(first),
    unit: "ms",
    ratio: rounded(first / 1000),
    aim: "< 1,000 ms"
  }
  const rows = timings.flatMap(([key, { cpu, wall }]): ReadonlyArray<Row> => {
    const perNetwork = sizes.map((size) => (1000 * (bySize.get(size)?.[key]?.cpu ?? Number.NaN)) / size)
    const [large = Number.NaN] = perNetwork.slice(-1)
    const small = (1000 * cpu) / 400
    return [
      {
        what: `${key}, 400 networks and 90 days (${rounded(cpu)} ms of processor)`,
        value: rounded(wall),
        unit: "ms",
        ratio: rounded(wall / aim),
        aim: `< ${aim} ms`
      },
      {
        what: `${key}, processor time of a network with ${sizes.join(", ")}: ${perNetwork.map(rounded).join(", ")}`,
        value: rounded(large),
        unit: "µs",
        peer: rounded(small),
        ratio: rounded(large / small),
        aim: "<= 1.5 of that with 400"
      }
    ]
  })
  return [...rows, cold]
}

if (import.meta.main) console.table(await run())
