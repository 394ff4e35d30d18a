/** Which of the shipped alerts a week fires: Prometheus evaluates their expressions over what the processes answered to `/metrics`. */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "yaml"
import { freePort } from "../support/freePort.ts"

/** What a process answered at a time; no text if it did not answer. */
export interface Scrape {
  readonly process: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly text: string | undefined
}

/** An alert, from when its expression held for as long as it waits. Epoch milliseconds. */
export interface Fired {
  readonly alert: string
  readonly labels: Readonly<Record<string, string>>
  readonly from: number
  readonly to: number
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
}

/** A rule of the file: an alert, or an expression with a name. */
type AnyRule = Rule | { readonly alert?: undefined; readonly record: string; readonly expr: string }

const rulesFile = new URL("../../runtime/deploy/alerts.yml", import.meta.url)

/** They judge by the monotonic clock, or by minutes: where time jumps, neither says anything. */
const ofMinutes = [
  "PlumblineThreadBlocked",
  "PlumblineDatabaseSlow",
  "PlumblineSlow",
  "PlumblineServerErrors"
]

const unit: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const msOf = (duration = "0s"): number => Number(duration.slice(0, -1)) * (unit[duration.slice(-1)] ?? 0)

/** The alerts, with the expressions that have names in their places: nothing records them here. */
const rules = (): ReadonlyArray<Rule> => {
  const { groups } = parse(readFileSync(rulesFile, "utf8")) as {
    readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<AnyRule> }>
  }
  const all = groups.flatMap((group) => group.rules)
  const named = all.flatMap((rule) => (rule.alert === undefined ? [rule] : []))
  return all
    .flatMap((rule) => (rule.alert === undefined || ofMinutes.includes(rule.alert) ? [] : [rule]))
    .map((rule) => ({
      ...rule,
      expr: named.reduce((expr, { expr: of, record }) => expr.replaceAll(record, `(${of})`), rule.expr)
    }))
}

const linesOf = ({ at, process, text }: Scrape): ReadonlyArray<string> => {
  const own = `job="plumbline",instance="${process}"`
  const time = (at / 1000).toFixed(3)
  const samples = (text ?? "").split("\n").flatMap((line) => {
    const [, name, labels, value] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? []
    return name === undefined ? [] : [`${name}{${own}${labels ? `,${labels}` : ""}} ${value} ${time}`]
  })
  return [`up{${own}} ${text === undefined ? 0 : 1} ${time}`, ...samples]
}

/** Every time at which an alert fired. Each scrape counts until `step` later. */
export const firedIn = async (
  scrapes: ReadonlyArray<Scrape>,
  step: number
): Promise<ReadonlyArray<Fired>> => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-week-alerts-"))
  const data = join(folder, "data")
  mkdirSync(data)
  writeFileSync(join(folder, "samples"), `${scrapes.flatMap(linesOf).join("\n")}\n# EOF\n`)
  writeFileSync(join(folder, "prometheus.yml"), "global: {}\n")
  execFileSync("promtool", ["tsdb", "create-blocks-from", "openmetrics", join(folder, "samples"), data], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  const port = await freePort()
  const server = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${data}`,
      "--storage.tsdb.retention.time=10y",
      `--web.listen-address=127.0.0.1:${port}`,
      `--query.lookback-delta=${Math.round(step / 1000)}s`
    ],
    { stdio: "ignore" }
  )
  const base = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${base}/-/ready`).then(
      ({ ok }) => ok,
      () => false
    )
  try {
    while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 200))
    const times = scrapes.map(({ at }) => at)
    const [start, end] = [Math.min(...times), Math.max(...times)]
    const every = 300_000
    const fired: Array<Fired> = []
    for (const rule of rules()) {
      const query = new URLSearchParams({
        query: rule.expr,
        start: String(start / 1000),
        end: String(end / 1000),
        step: String(every / 1000)
      })
      const answer = (await (await fetch(`${base}/api/v1/query_range?${query}`)).json()) as {
        readonly data: {
          readonly result: ReadonlyArray<{
            readonly metric: Record<string, string>
            readonly values: ReadonlyArray<readonly [number, string]>
          }>
        }
      }
      for (const { metric, values } of answer.data.result) {
        let from = Number.NaN
        let last = Number.NaN
        const note = () => {
          if (last - from >= msOf(rule.for))
            fired.push({ alert: rule.alert, labels: metric, from: from + msOf(rule.for), to: last })
        }
        for (const [seconds] of values) {
          const at = seconds * 1000
          if (!(at - last <= every)) {
            note()
            from = at
          }
          last = at
        }
        note()
      }
    }
    return fired.toSorted((a, b) => a.from - b.from)
  } finally {
    server.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
}
