/** Many plugins beside each other, some of them bad: the good ones keep their cadence to the millisecond. */
import { randomBytes } from "node:crypto"
import { zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import * as RunState from "../../runtime/collector/RunState.ts"
import { defaultBackoff } from "../../runtime/collector/runLimits.ts"
import * as Supervisor from "../../runtime/collector/Supervisor.ts"
import { bad, good, upstream } from "./plugins.ts"

const random = Effect.provideService(
  SecureRandom.SecureRandom,
  SecureRandom.make((size) => randomBytes(size))
)

const supervised = (plugins: ReadonlyArray<Plugin>) =>
  plugins.map((plugin) => ({ plugin, codeHash: () => "0".repeat(64) }))

/** Turns the clock a second at a time, so that what a second starts can end within it. */
const pass = (seconds: number) =>
  Effect.forEach(Array.from({ length: seconds }), () => TestClock.adjust("1 second"))

const start = Effect.fnUntraced(function* (
  plugins: ReadonlyArray<Plugin>,
  options: Partial<Supervisor.SupervisorOptions> = {}
) {
  const runs: Array<Delivery> = []
  const supervisor = yield* Supervisor.make({
    plugins: supervised(plugins),
    upstream,
    deliver: (delivery) => Effect.sync(() => runs.push(delivery)),
    ...options
  }).pipe(random)
  yield* supervisor.own(plugins.map(({ manifest }) => ({ plugin: manifest.id })))
  const of = (id: string) => runs.map(({ run }) => run).filter(({ plugin }) => plugin === id)
  return { runs, of, states: supervisor.states }
})

const at = (state: FeedState | undefined) => ({
  state: state?.state,
  next_run: state?.next_run,
  reason: state?.reason
})

describe("200 plugins of which 50 misbehave", () => {
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind}-${n}`)
  const sound = names("good", 150)
  const broken = names("bad", 50).map((id, n) => {
    const [way, tag, make] = bad[n % bad.length] as (typeof bad)[number]
    return { id, way, tag, plugin: make(id) }
  })
  const minutes = 30

  it.effect(
    "the 150 run at every point of their cadence, the 50 are cut off, reported once a run, and left alone",
    () =>
      Effect.gen(function* () {
        assert.isAtLeast(bad.length, 10)
        const reports: Array<string> = []
        const logger = Logger.make(({ fiber, logLevel, message }) => {
          const { cause, error, plugin, request } = fiber.getRef(References.CurrentLogAnnotations)
          assert.isDefined(cause)
          assert.isDefined(request)
          reports.push(`${logLevel} ${plugin} ${error} ${message}`)
        })
        const plugins = [...sound.map((id) => good(id)), ...broken.map(({ plugin }) => plugin)]
        const { of, states } = yield* start(plugins, { limits: { bytes: 100_000 } }).pipe(
          Effect.provide(Logger.layer([logger]))
        )
        yield* pass(minutes * 60)
        const now = yield* states
        for (const id of sound) {
          const { base } = RunState.fresh(id, 60_000, 0, defaultBackoff)
          const due = Array.from({ length: minutes }, (_, k) => base + k * 60_000)
          assert.deepStrictEqual(
            of(id).map(({ started }) => Date.parse(started)),
            due
          )
          assert.isTrue(
            of(id).every(({ observations, status }) => status === "ok" && observations.length === 1)
          )
          assert.strictEqual(now.get(id)?.state, "waiting")
        }
        for (const { id, tag, way } of broken) {
          const runs = of(id)
          // At 0, 1 and 2 minutes; then the breaker lets one run through after 5, 10, 20 minutes.
          assert.isAtLeast(runs.length, 4, way)
          assert.isAtMost(runs.length, 5, way)
          assert.deepStrictEqual([...new Set(runs.map(({ error }) => error?.tag))], [tag], way)
          assert.isTrue(
            runs.every(({ observations, status }) => status === "failed" && observations.length === 0)
          )
          assert.strictEqual(now.get(id)?.state, "open", way)
          assert.strictEqual(now.get(id)?.failures, runs.length)
          const pluginReports = reports.filter((report) => report.includes(` ${id} `))
          assert.lengthOf(pluginReports, runs.length)
          assert.strictEqual(pluginReports[0], `Warn ${id} ${tag} run failed`)
        }
        assert.lengthOf(reports, broken.flatMap(({ id }) => of(id)).length)
      }),
    { timeout: 120_000 }
  )
})

describe("a plugin", () => {
  it.effect("that fails comes back into its cadence with its first success", () =>
    Effect.gen(function* () {
      let sound = false
      const { of, states } = yield* start([good("one", { every: "1 hour" })], {
        upstream: (run) =>
          sound
            ? upstream(run)
            : Effect.map(upstream(run), (form) => ({ ...form, exchange: () => Effect.die("down") }))
      })
      const { base } = RunState.fresh("one", 3_600_000, 0, defaultBackoff)
      yield* pass(600)
      // The second try is after 1 minute, the third after 2 more; then the breaker is open for 5.
      const due = [0, 60, 180, 480].map((seconds) => base + seconds * 1000)
      assert.deepStrictEqual(
        of("one").map(({ started }) => Date.parse(started)),
        due
      )
      const open = (yield* states).get("one")
      assert.strictEqual(open?.state, "open")
      assert.strictEqual(open?.last_error, "Defect: down")
      assert.strictEqual(Date.parse(open?.next_run ?? ""), base + (480 + 600) * 1000)
      sound = true
      yield* pass(3 * 3600)
      const after = of("one")
        .filter(({ status }) => status === "ok")
        .map(({ started }) => Date.parse(started) - base)
      assert.deepStrictEqual(after, [1_080_000, 3_600_000, 7_200_000, 10_800_000])
      assert.strictEqual((yield* states).get("one")?.state, "waiting")
    })
  )

  it.effect("that fails says so from its first failure on, also while it retries", () =>
    Effect.gen(function* () {
      let hangs = false
      const { states } = yield* start([good("one", { every: "1 hour" })], {
        upstream: (run) =>
          Effect.map(upstream(run), (form) => ({
            ...form,
            exchange: () => (hangs ? Effect.never : Effect.die("down"))
          }))
      })
      yield* TestClock.adjust(RunState.fresh("one", 3_600_000, 0, defaultBackoff).base)
      const failed = (yield* states).get("one")
      assert.deepInclude(failed, { state: "failing", reason: "Defect: down", last_error: "Defect: down" })
      hangs = true
      yield* pass(61)
      const again = (yield* states).get("one")
      assert.deepInclude(again, { state: "failing", runs: 2, failures: 1, last_success: null })
    })
  )

  it.effect("whose readings are all refused is no success, and stays in its cadence", () =>
    Effect.gen(function* () {
      let sound = false
      const plugin = good("one")
      const { of, states } = yield* start([
        {
          ...plugin,
          collect: Effect.map(plugin.collect, ({ observations }) => ({
            observations: sound ? observations : [],
            refused: [{ symbol: "SMP", metric: "nodes", reason: "it is negative" }]
          }))
        }
      ])
      yield* pass(5 * 60)
      const error = "the only reading was refused: SMP nodes: it is negative"
      assert.deepInclude((yield* states).get("one"), {
        state: "refusing",
        reason: error,
        last_error: error,
        last_success: null,
        failures: of("one").length
      })
      assert.lengthOf(of("one"), 5)
      sound = true
      yield* pass(60)
      const after = (yield* states).get("one")
      assert.strictEqual(after?.state, "waiting")
      assert.isUndefined(after?.reason)
      assert.isNotNull(after?.last_success)
    })
  )

  it.effect("whose parts are refused is one line of the log, and another when other parts are", () =>
    Effect.gen(function* () {
      let parts = ["nodes"]
      const lines: Array<unknown> = []
      const logger = Logger.make(({ fiber, message }) => {
        const { first, parts, plugin, request } = fiber.getRef(References.CurrentLogAnnotations)
        lines.push([`${message}`, plugin, request, parts, first])
      })
      const plugin = good("one")
      const { of } = yield* start([
        {
          ...plugin,
          collect: Effect.map(plugin.collect, ({ observations }) => ({
            observations,
            refused: parts.map((metric) => ({
              symbol: "SMP",
              metric,
              reason: `GET https://api.sample.test/v2: status 50${observations.length + lines.length}`
            }))
          }))
        }
      ]).pipe(Effect.provide(Logger.layer([logger])))
      const about = (parts: number, first: string) => [
        "parts of a run were refused",
        "one",
        "GET https://api.sample.test/v2",
        parts,
        first
      ]
      yield* pass(5 * 60)
      assert.lengthOf(of("one"), 5)
      assert.deepStrictEqual(lines, [about(1, "SMP nodes")])
      parts = ["nodes", "more"]
      yield* pass(3 * 60)
      assert.deepStrictEqual(lines, [about(1, "SMP nodes"), about(2, "SMP nodes")])
      parts = []
      yield* pass(60)
      parts = ["nodes", "more"]
      yield* pass(60)
      assert.lengthOf(lines, 3)
    })
  )

  it.effect("that needs a key, or is disabled, does not run and says why", () =>
    Effect.gen(function* () {
      const auth = (optional: boolean) => ({
        auth: { "api.sample.test": { setting: "SAMPLE_KEY", as: { query: "key" }, optional } }
      })
      const plugins = [
        good("keyed", auth(false)),
        good("either", auth(true)),
        good("off", { disabled: "not verified" }),
        good("asked-for", { disabled: "not verified" })
      ]
      const { of, states } = yield* start(plugins, { enabled: new Set(["asked-for"]) })
      yield* pass(120)
      const now = yield* states
      assert.deepStrictEqual(at(now.get("keyed")), {
        state: "needs_key",
        next_run: null,
        reason: "SAMPLE_KEY is not set"
      })
      assert.deepStrictEqual(at(now.get("off")), {
        state: "disabled",
        next_run: null,
        reason: "not verified"
      })
      assert.deepStrictEqual(
        plugins.map(({ manifest }) => of(manifest.id).length > 0),
        [false, true, false, true]
      )
    })
  )

  it.effect(
    "whose run takes longer than its cadence starts the next at the next point, never two at once",
    () =>
      Effect.gen(function* () {
        let running = 0
        let most = 0
        const { of } = yield* start([good("slow", { timeout: "10 minutes" })], {
          upstream: (run) =>
            Effect.map(upstream(run), (form) => ({
              ...form,
              exchange: (request) =>
                Effect.gen(function* () {
                  most = Math.max(most, ++running)
                  yield* Effect.sleep("150 seconds")
                  running--
                  return yield* form.exchange(request)
                })
            }))
        })
        const { base } = RunState.fresh("slow", 60_000, 0, defaultBackoff)
        yield* pass(700)
        assert.deepStrictEqual(
          of("slow").map(({ started }) => Date.parse(started) - base),
          [0, 180_000, 360_000]
        )
        assert.strictEqual(most, 1)
      })
  )

  it.effect("waits for its run to be taken before the next", () =>
    Effect.gen(function* () {
      let delivered = 0
      yield* start([good("one")], {
        deliver: () =>
          Effect.suspend(() => {
            delivered++
            return Effect.never
          })
      })
      yield* pass(600)
      assert.strictEqual(delivered, 1)
    })
  )

  it.effect("goes on where it stood before", () =>
    Effect.gen(function* () {
      const before: RunState.RunState = {
        base: 0,
        next: 400_000,
        failing: 3,
        openings: 1,
        runs: 7,
        failures: 3,
        trouble: "failing",
        lastError: "Defect: before"
      }
      const { of, states } = yield* start([good("one")], { before: new Map([["one", before]]) })
      yield* pass(300)
      const state = (yield* states).get("one")
      assert.strictEqual(state?.state, "open")
      assert.strictEqual(state?.reason, "Defect: before")
      assert.lengthOf(of("one"), 0)
      yield* pass(150)
      assert.deepStrictEqual(
        of("one").map(({ started }) => Date.parse(started)),
        [400_000, 420_000]
      )
      assert.strictEqual((yield* states).get("one")?.runs, 9)
    })
  )
})

describe("a run", () => {
  it.effect("that was cut off is interrupted", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const collect = Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
      const { of } = yield* start([{ ...good("one"), collect }], { backoff: { spread: 0 } })
      yield* pass(60)
      assert.strictEqual(of("one")[0]?.error?.tag, "RunTimeout")
      assert.strictEqual(interrupted, 1)
    })
  )

  it.effect("is a plain value with its exchanges, whose bodies are zstd under their hash", () =>
    Effect.gen(function* () {
      const { runs } = yield* start([good("one", { settings: { base: "a", other: "b" } })], {
        settings: { ONE_OTHER: "c", OTHER: "d" }
      })
      yield* pass(60)
      const [delivery] = runs
      const { base } = RunState.fresh("one", 60_000, 0, defaultBackoff)
      const started = new Date(base).toISOString().replace(".000Z", "Z")
      assert.match(
        delivery?.run.id ?? "",
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
      )
      assert.strictEqual(delivery?.run.now, started)
      assert.deepStrictEqual(delivery?.run.settings, { base: "a", other: "c" })
      assert.deepStrictEqual(
        delivery?.run.exchanges.map(({ confirmed, method, n, size, status }) => ({
          confirmed,
          method,
          n,
          size,
          status
        })),
        [{ confirmed: false, method: "GET", n: 0, size: 1000, status: 200 }]
      )
      assert.deepStrictEqual(structuredClone(delivery?.run), delivery?.run)
      const sha256 = delivery?.run.exchanges[0]?.sha256 ?? ""
      assert.strictEqual(
        zstdDecompressSync(delivery?.bodies.get(sha256) ?? Buffer.alloc(0)).toString(),
        "x".repeat(1000)
      )
      assert.strictEqual(
        zstdDecompressSync(delivery?.bodies.get(delivery.run.targets_sha256) ?? Buffer.alloc(0)).toString(),
        "[]"
      )
    })
  )

  it.effect("that was cut off makes no request any more", () =>
    Effect.gen(function* () {
      let requests = 0
      const plugin: Plugin = {
        ...good("one", { timeout: "10 seconds" }),
        collect: Effect.uninterruptible(
          Effect.forever(Effect.flatMap(Effect.sleep("1 second"), () => good("one").collect))
        )
      }
      const { of } = yield* start([plugin], {
        backoff: { open: "1 day", longestOpen: "1 day", failures: 1 },
        upstream: (run) =>
          Effect.map(upstream(run), (form) => ({
            ...form,
            exchange: (request) =>
              Effect.suspend(() => {
                requests++
                return form.exchange(request)
              })
          }))
      })
      yield* pass(600)
      assert.strictEqual(of("one")[0]?.error?.tag, "RunTimeout")
      assert.lengthOf(of("one"), 1)
      assert.isAtMost(requests, 10)
      assert.isAtLeast(requests, 8)
    })
  )
})
