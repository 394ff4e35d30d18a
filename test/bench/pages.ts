/**
 * The explorer as Lighthouse measures it in Chromium, on a computer and on a phone with a processor slowed fourfold: the speed as
 * the median of three, and once what no load changes. The service is the demo, on data of its own. Alone: `npm run bench -- pages`.
 * `PAGES=log,verify` measures only these pages; `CHROME_PATH` names another Chromium; `PAGES_URL` measures a service that runs
 * already, on this machine only.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { chromium } from "playwright-core"
import { freePort } from "../support/freePort.ts"
import { counterparties, installCommand, missing } from "../support/programs.ts"
import { median, type Row, rounded } from "./row.ts"
import { Misused } from "./usage.ts"

const pages = [
  ["home", "/", 45],
  ["list", "/networks", 45],
  ["network", "/network/FIL", 70],
  ["metric", "/network/FIL/active_storage_providers", 70],
  ["compare", "/compare?a=FIL&b=STORJ&c=AR", 45],
  ["log", "/log", 70],
  ["verify", "/verify", 70],
  ["world", "/world", 45],
  ["status", "/status", 45],
  ["brief", "/brief", 45],
  ["products", "/products", 45],
  ["product", "/products/depin_networks", 45],
  ["account", "/account", 45]
] as const

const categories = ["performance", "accessibility", "best-practices", "seo"] as const
const times = 3
/** What the pages should reach: score, milliseconds, and layout shift. */
const aims = { score: 95, firstPaint: 1000, shift: 0.05 }

/** The pages that are asked for by name, else all. */
const wantedPages = (): ReadonlyArray<(typeof pages)[number]> => {
  const names = process.env["PAGES"]?.split(",")
  const unknown = names?.find((name) => !pages.some(([pageName]) => pageName === name))
  if (unknown !== undefined)
    throw new Misused(`PAGES: there is no ${unknown}; there are ${pages.map(([name]) => name).join(", ")}`)
  return names === undefined ? pages : pages.filter(([name]) => names.includes(name))
}

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync)

/** The demo, once all of its days are closed. */
const started = async () => {
  const url = process.env["PAGES_URL"]
  if (url !== undefined) {
    if (!/^http:\/\/(127\.0\.0\.1|localhost):\d+$/.test(url))
      throw new Misused("PAGES_URL: only this machine")
    return { base: url, stop: async () => {} }
  }
  const folder = mkdtempSync(join(tmpdir(), "plumbline-pages-"))
  const port = await freePort()
  const bin = fileURLToPath(new URL("../../runtime/bin.ts", import.meta.url))
  const child = spawn(process.execPath, [bin, "serve", "--replay"], {
    env: { ...process.env, PORT: String(port), DATA_DIR: join(folder, "data") },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the service did not start")))
    child.stdout.on("data", (chunk: Buffer) => {
      if (chunk.includes("requests to try")) resolve()
    })
  })
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { base: `http://127.0.0.1:${port}`, stop }
}

/** What is used of a report. */
export interface Result {
  readonly audits: Readonly<
    Record<string, { readonly numericValue?: number | undefined; readonly details?: unknown }>
  >
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
}

export interface Lighthouse {
  /** Measures a page in the Chromium that listens for it on this port, in these categories. */
  readonly measured: (
    url: string,
    port: number,
    screen: "desktop" | "mobile",
    only: ReadonlyArray<string>
  ) => Promise<Result>
}

const row = (what: string, value: number, unit: string, limit: number, way: "<=" | ">=" = "<="): Row => ({
  what,
  value: rounded(value),
  unit,
  ratio: rounded(value / limit),
  aim: `${way} ${limit} ${unit}`.trim()
})

const numberOf = ({ audits }: Result, id: string): number => audits[id]?.numericValue ?? Number.NaN

/** What Lighthouse's list of requests has, of which only this is used. */
const Requests = Schema.Struct({
  items: Schema.Array(Schema.Struct({ resourceType: Schema.optionalKey(Schema.String), url: Schema.String }))
})
const decodeRequests = Schema.decodeUnknownSync(Requests)

/** Compressed kB of scripts, without headers. Lighthouse does not see how large the script of a worker is, so each is asked for. */
const scriptsOf = async ({ audits }: Result): Promise<number> => {
  const { items } = decodeRequests(audits["network-requests"]?.details)
  const scripts = new Set(items.flatMap(({ resourceType, url }) => (resourceType === "Script" ? [url] : [])))
  let sum = 0
  for (const url of scripts) {
    const { headers } = await fetch(url, { method: "HEAD", headers: { "accept-encoding": "br" } })
    sum += Number(headers.get("content-length"))
  }
  return sum / 1000
}

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const path = process.env["CHROME_PATH"] ?? installed
  if (path === undefined) throw new Misused("no Chromium: apt-get install chromium, or set CHROME_PATH")
  if (missing("counterparties")) throw new Misused(`no Lighthouse: ${installCommand(["counterparties"])}`)
  const { measured }: Lighthouse = await import(new URL("lighthouse.ts", counterparties).href)
  const selected = wantedPages()
  const service = await started()
  const port = await freePort()
  const browser = await chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-gpu", `--remote-debugging-port=${port}`]
  })
  const rows: Array<Row> = []
  try {
    // The first answer of each page is made, the others come from memory, as nearly all do.
    for (const [, page] of selected) await fetch(`${service.base}${page}`)
    for (const [name, page, scripts] of selected) {
      for (const screen of ["desktop", "mobile"] as const) {
        console.error(`  ${name}, ${screen} …`)
        const runs: Array<Result> = []
        for (let n = 0; n < times; n++) {
          // Only the speed differs from one time to the next.
          const only = n === 0 ? categories : categories.slice(0, 1)
          runs.push(await measured(`${service.base}${page}`, port, screen, only))
          await sleep(200)
        }
        const middle = (of: (run: Result) => number) => median(runs.map(of))
        const of = `${name}, ${screen}`
        for (const category of categories) {
          const scores = runs.flatMap(({ categories: all }) => all[category]?.score ?? [])
          const score = scores.length === 0 ? 0 : median(scores) * 100
          rows.push(row(`${of}: ${category}`, score, "of 100", aims.score, ">="))
        }
        rows.push(
          row(
            `${of}: first paint`,
            middle((one) => numberOf(one, "first-contentful-paint")),
            "ms",
            aims.firstPaint
          ),
          row(
            `${of}: layout shift`,
            middle((one) => numberOf(one, "cumulative-layout-shift")),
            "",
            aims.shift
          ),
          row(`${of}: scripts`, median(await Promise.all(runs.map(scriptsOf))), "kB", scripts)
        )
      }
    }
  } finally {
    await browser.close()
    await service.stop()
  }
  return rows
}

if (import.meta.main) console.table(await run())
