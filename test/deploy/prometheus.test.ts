/** Debian's Prometheus: it reads a running service, fires the shipped alerts when something breaks, and draws the board. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cloneUrl } from "../support/database.ts"
import { fleet, serves } from "../support/fleet.ts"
import { freePort } from "../support/freePort.ts"
import { missing, pathOf } from "../support/programs.ts"
import { tcpGate } from "../support/tcpGate.ts"
import { runToEnd, startProgram } from "../support/tools.ts"
import { until } from "../support/until.ts"

const deploy = new URL("../../runtime/deploy/", import.meta.url).pathname
const rules = readFileSync(join(deploy, "alerts.yml"), "utf8")
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)

interface Board {
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly targets?: ReadonlyArray<{ readonly expr: string }>
  }>
}
const board = JSON.parse(readFileSync(join(deploy, "grafana.json"), "utf8")) as Board

/** What this service has nothing to show for: it never read a value, and has no witness, no chain and no sale. */
const empty = new Set([
  "Last reading",
  "Entries that witnesses lack",
  "Dollars by cause",
  "Rows refused",
  "Newest head",
  "What observers have",
  "Rows stored",
  // No request was refused yet, or could be answered from the cache.
  "Refusals before anything is read"
])

describe("the alerts", () => {
  it.skipIf(missing("promtool"))("are each fired by a test of their own", () => {
    const tests = readFileSync(join(deploy, "alerts.test.yml"), "utf8")
    assert.deepStrictEqual(
      [...tests.matchAll(/- name: (Plumbline\w+)/g)].map(([, name]) => name),
      alerts
    )
    const { out, status } = runToEnd(pathOf("promtool"), ["test", "rules", "alerts.test.yml"], {
      cwd: deploy
    })
    assert.strictEqual(status, 0, out)
  })

  it("use metrics that the service has, and so does the board", () => {
    const registered = [
      "http/metrics/Counts.ts",
      "runtime/metrics/alertMessages.ts",
      "runtime/metrics/chainLooks.ts",
      "runtime/metrics/observers.ts",
      "runtime/metrics/process.ts",
      "runtime/metrics/runs.ts"
    ]
      .map((path) => readFileSync(join(deploy, "../..", path), "utf8"))
      .join("\n")
    const sampled = readFileSync(join(deploy, "../metrics/sampled.ts"), "utf8")
    const ledger = readFileSync(join(deploy, "../../core/credits/Ledger.ts"), "utf8")
    const metricNames = new Set([
      ...[...`${registered}\n${ledger}`.matchAll(/"((?:plumbline|process)_\w+)"/g)].map(([, name]) => name),
      ...[...sampled.matchAll(/gauge\(\s*"(\w+)"/g)].map(([, name]) => `plumbline_${name}`)
    ])
    const exprs = board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const runbooks = readdirSync(join(deploy, "runbooks")).map((name) =>
      readFileSync(join(deploy, "runbooks", name), "utf8")
    )
    const texts = [rules, ...exprs, ...runbooks].join("\n")
    const used = [...texts.matchAll(/\b(?:plumbline|process)_\w+/g)].map(([name]) =>
      name.replace(/_bucket$/, "")
    )
    assert.isAbove(used.length, 40)
    assert.deepStrictEqual(
      [...new Set(used)].filter((name) => !metricNames.has(name)),
      []
    )
  })

  it.skipIf(missing("promtool"))("pass promtool with the example of a configuration", () => {
    const { out, status } = runToEnd(pathOf("promtool"), ["check", "config", "prometheus.yml"], {
      cwd: deploy
    })
    assert.strictEqual(status, 0, out)
  })
})

/** Prometheus with the shipped rules, which wait for nothing. */
const prometheus = Effect.fnUntraced(function* (target: string) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-prometheus-"))
  writeFileSync(join(folder, "alerts.yml"), rules.replaceAll(/for: \w+/g, "for: 0s"))
  writeFileSync(
    join(folder, "prometheus.yml"),
    readFileSync(join(deploy, "prometheus.yml"), "utf8")
      .replaceAll("15s", "1s")
      .replace("127.0.0.1:9464", target)
  )
  const port = yield* Effect.promise(freePort)
  const { output } = yield* startProgram(pathOf("prometheus"), [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`
  ])
  const ask = (path: string) =>
    Effect.promise(async (): Promise<unknown> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined)
      return answer === undefined ? undefined : ((await answer.json()) as { readonly data: unknown }).data
    })
  const firing = Effect.map(ask("alerts"), (data) =>
    (
      (data as { alerts?: ReadonlyArray<{ state: string; labels: Record<string, string> }> })?.alerts ?? []
    ).flatMap(({ labels, state }) => (state === "firing" ? [labels["alertname"] ?? ""] : []))
  )
  const until = (...names: ReadonlyArray<string>): Effect.Effect<void> =>
    Effect.flatMap(firing, (alerts) =>
      names.every((name) => alerts.includes(name))
        ? Effect.void
        : Effect.andThen(Effect.sleep("100 millis"), until(...names))
    )
  const quiet = (...names: ReadonlyArray<string>) =>
    Effect.map(firing, (alerts) =>
      assert.deepStrictEqual(
        alerts.filter((alert) => names.includes(alert)),
        []
      )
    )
  const series = (expr: string) =>
    Effect.map(ask(`query?query=${encodeURIComponent(expr)}`), (data) =>
      data === undefined ? undefined : (data as { result: ReadonlyArray<unknown> }).result
    )
  const shows = (expr: string): Effect.Effect<void> =>
    Effect.flatMap(series(expr), (result) =>
      result !== undefined && result.length > 0
        ? Effect.void
        : Effect.andThen(Effect.sleep("200 millis"), shows(expr))
    ).pipe(
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.die(`nothing shows for ${expr}`) })
    )
  return { until, quiet, series, shows, output }
})

describe.skipIf(missing("prometheus"))("a service that breaks", () => {
  it.live(
    "is told by the alerts: its upstreams fail, its database is away, it is killed",
    () =>
      Effect.gen(function* () {
        const url = new URL(yield* cloneUrl)
        const gate = yield* tcpGate(Number(url.port))
        url.port = String(gate.port)
        const group = yield* fleet(url.href, { plugins: 2 })
        const metrics = yield* Effect.promise(freePort)
        const watching = yield* prometheus(`127.0.0.1:${metrics}`)
        const nothingListens = "http://127.0.0.1:9"
        const member = yield* group.start("a", {
          METRICS_PORT: String(metrics),
          UPSTREAM_MAP: `stand-in-0.example=${nothingListens}`
        })
        yield* serves(member)
        const get = (path: string) => Effect.promise(() => fetch(`${member.base}${path}`))
        // It has a port of its own for this.
        assert.strictEqual((yield* get("/metrics")).status, 404)
        yield* watching.shows("plumbline_feed_failing == 1")
        yield* watching.until("PlumblineReadingsOld")
        // All feeds fail at once, and nobody wants a message of each.
        yield* watching.quiet("PlumblineFeedFailing", "PlumblineManyFeedsFailing")

        for (const { targets = [], title } of board.panels) {
          for (const { expr } of targets) {
            yield* get("/try")
            const query = expr.replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m")
            const result = yield* watching.series(query)
            assert.isArray(result, `${title}: ${query}`)
            // A rate needs two scrapes of a series.
            if (!empty.has(title)) yield* watching.shows(query)
          }
        }

        gate.shut()
        yield* watching.until("PlumblineDatabaseAway")
        // It answers from memory, and a load balancer must not take it out.
        assert.strictEqual((yield* get("/readyz")).status, 200)
        // What follows from it says nothing of its own.
        yield* watching.quiet("PlumblineReadingsOld", "PlumblineWritesFail")
        member.child.kill("SIGKILL")
        yield* watching.until("PlumblineDown")
        yield* until(() => member.child.signalCode === "SIGKILL")
      }),
    240_000
  )
})
