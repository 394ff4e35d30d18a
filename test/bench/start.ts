/**
 * Start to the first served byte on existing data, and resident memory once it is idle, of the whole service with 400
 * plugins of one series, and with 160 of 38, on Postgres and embedded: of its package, which is what the image runs, with that of
 * the sources beside it. The plugins are made up and read a stand-in on this machine. Alone: `npx node test/bench/start.ts`.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { makeService, native } from "../../runtime/release/service.ts"
import { answers, checkout } from "../support/checkout.ts"
import * as Server from "./postgres.ts"
import { median, type Row, rounded } from "./row.ts"

/** Many small plugins, and as many as there are with 6,000 series. */
const sizes = [
  { plugins: 400, series: 1 },
  { plugins: 160, series: 38 }
] as const

const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const top = new URL("../../", import.meta.url).pathname

/** Words that start the sources. */
const ofSources = (program: string) => [
  "--preserve-symlinks",
  "--preserve-symlinks-main",
  join(program, "runtime/bin.ts")
]

/** Makes the package of the service with the plugins of a checkout. Words that start it. */
const ofPackage = async (program: string, folder: string) => {
  await makeService(folder)
  rmSync(join(folder, "plugins"), { recursive: true })
  cpSync(join(program, "plugins"), join(folder, "plugins"), { recursive: true })
  for (const scope of new Set(native.map((name) => name.split("/")[0] ?? "")))
    symlinkSync(join(top, "node_modules", scope), join(folder, "node_modules", scope))
  return [join(folder, "runtime/plumbline.js")]
}

/** One life of the service. Seconds to the first byte, MiB when it has been idle for a while. */
const life = async (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  idle: number
) => {
  const port = Number(environment["PORT"])
  const started = performance.now()
  const child = spawn(process.execPath, [...words, "serve"], {
    cwd: environment["HOME"],
    env: environment,
    stdio: ["ignore", "ignore", "inherit"]
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  while (!(await answers(port, "/v1/supply"))) {
    if (child.exitCode !== null) throw new Error("the service did not start")
    await sleep(5)
  }
  const seconds = (performance.now() - started) / 1000
  await sleep(idle)
  const resident = residentMib(child.pid ?? 0)
  child.kill("SIGTERM")
  await ended
  return { seconds, resident }
}

const limits = { Postgres: { seconds: 1.5, resident: 250 }, embedded: { seconds: 3, resident: 450 } } as const

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const size of sizes) rows.push(...(await ofSize(size)))
  return rows
}

const ofSize = async ({ plugins, series }: (typeof sizes)[number]): Promise<ReadonlyArray<Row>> => {
  const program = checkout(plugins, "15 minutes", { series })
  const folder = mkdtempSync(join(tmpdir(), "plumbline-start-"))
  const [sources, installed] = [ofSources(program), await ofPackage(program, join(folder, "package"))]
  const standIn = createServer((_, response) => response.end('{"nodes": 42}'))
  await new Promise<void>((resolve) => standIn.listen(0, "127.0.0.1", resolve))
  const address = standIn.address()
  const upstream = typeof address === "object" && address !== null ? address.port : 0
  const server = await Server.start()
  await server.createDatabase("start")
  writeFileSync(join(folder, "secret"), "0".repeat(64), { mode: 0o600 })
  const shared = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    UPSTREAM_MAP: `stand-in.example=http://127.0.0.1:${upstream}`,
    OTS_CALENDARS: "http://127.0.0.1:9",
    ESPLORA_URL: "http://127.0.0.1:9"
  }
  const embedded = { ...shared, PORT: "18471", DATA_DIR: join(folder, "data") }
  const rows: Array<Row> = []
  try {
    for (const engine of ["embedded", "Postgres"] as const) {
      const environment =
        engine === "embedded"
          ? embedded
          : {
              ...embedded,
              PORT: "18472",
              DATA_DIR: join(folder, "data-of-postgres"),
              DATABASE_URL: `${server.url}/start`,
              SIGNING_KEY_FILE: join(folder, "signing-key.pem"),
              LOG_KEY_FILE: join(folder, "log-key.pem"),
              SERVER_SECRET_FILE: join(folder, "secret")
            }
      if (engine === "Postgres") {
        execFileSync(process.execPath, [...sources, "key", "new"], { cwd: folder, env: environment })
      }
      // The first life makes the data that the others find, and each program compiles itself once.
      await life(sources, environment, 30_000)
      await life(installed, environment, 0)
      const lives = []
      for (let n = 0; n < 3; n++)
        lives.push([
          await life(installed, environment, 10_000),
          await life(sources, environment, 10_000)
        ] as const)
      for (const [figure, unit, what] of [
        ["seconds", "s", "start to the first byte"],
        ["resident", "MiB", "resident memory when idle"]
      ] as const) {
        const [value, peer] = [
          median(lives.map(([each]) => each[figure])),
          median(lives.map(([, each]) => each[figure]))
        ]
        const limit = limits[engine][figure]
        rows.push({
          what: `${what}, ${plugins} plugins, ${plugins * series} series, ${engine}, beside the sources`,
          value: rounded(value),
          unit,
          peer: rounded(peer),
          ratio: rounded(value / peer),
          aim: `<= ${limit} ${unit}`,
          met: value <= limit
        })
      }
    }
  } finally {
    await server.stop()
    standIn.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return rows
}

if (import.meta.main) console.table(await run())
