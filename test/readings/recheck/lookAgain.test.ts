/** An upstream that is asked again, by the real collector thread: what it says beside what is served, and what is left of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { rechecks } from "../../../core/readings/recheck/drawnOutcomes.ts"
import { type RecheckParams, Rechecks } from "../../../core/readings/recheck/Rechecks.ts"
import { rowsOf } from "../../../core/sql/rows.ts"
import { Duties } from "../../../runtime/cluster/Duties.ts"
import { Collector } from "../../../runtime/collector/Collector.ts"
import { lookingAgain } from "../../../runtime/service/lookingAgain.ts"
import { Settings } from "../../../runtime/settings/Settings.ts"
import { onBothEngines } from "../../support/database.ts"

const core = new URL("../../../core/plugin", import.meta.url).pathname

const source = `
import { Effect } from "effect"
import * as Plugin from "${core}/Plugin.ts"
import * as Upstreams from "${core}/Upstream.ts"

export default Plugin.define({
  id: "looked", source: "looked", title: "Looked at", covers: { networks: ["FIL"] },
  tier: "supply_telemetry", hosts: ["api.sample.test"], every: "1 hour", grade: "A", owner: "plumbline",
  metrics: { nodes_online: { unit: "count", meaning: "Nodes." }, nodes_registered: { unit: "count", meaning: "All." } },
  collect: (observe) =>
    Effect.map(Upstreams.text("https://api.sample.test/v1"), (answer) => {
      const { online, all } = JSON.parse(answer.body)
      return observe(answer, { nodes_online: online, ...(all === undefined ? {} : { nodes_registered: all }) })
    })
})
`

/** An upstream that gives what the test says, and how often it was asked. */
const upstream = Effect.acquireRelease(
  Effect.promise(async () => {
    const state = { status: 200, body: '{"online": 41, "all": 50}', asked: 0 }
    const server = createServer((_, answer) => {
      state.asked++
      answer.writeHead(state.status, { "content-type": "application/json" }).end(state.body)
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    return { state, server, url: new URL(`http://127.0.0.1:${port}`) }
  }),
  ({ server }) =>
    Effect.promise(async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    })
)

const pluginFolder = Effect.acquireRelease(
  Effect.sync(() => {
    // In the checkout, so that the plugin finds its packages.
    const folder = mkdtempSync(join(new URL("..", import.meta.url).pathname, "looked-"))
    mkdirSync(join(folder, "looked"))
    writeFileSync(join(folder, "looked", "index.ts"), source)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const runRows = rowsOf({
  outcome: Schema.NullOr(Schema.String),
  complete: Schema.Boolean,
  n_rows: Schema.Int,
  due_at: Schema.NullOr(Schema.Date)
})
const readingRows = rowsOf({ n: Schema.Int })

onBothEngines("looking again", (database) => {
  it.live(
    "gives the upstream's figure beside the served one, and leaves a run without readings",
    () =>
      Effect.gen(function* () {
        const { state, url } = yield* upstream
        const folder = yield* pluginFolder
        const collector = Layer.unwrap(
          Effect.gen(function* () {
            const ingest = yield* Ingest
            return Collector.layer({
              folder: pathToFileURL(`${folder}/`),
              deliver: (delivery) => Effect.orDie(Effect.asVoid(ingest.write(delivery))),
              map: new Map([["api.sample.test", url]]),
              backoff: { spread: 0 },
              limits: { perSecond: 1000, retries: 0 }
            })
          })
        )
        const manifest: Manifest = {
          id: "looked",
          source: "looked",
          title: "Looked at",
          covers: { networks: ["FIL"] },
          tier: "supply_telemetry",
          hosts: ["api.sample.test"],
          every: "1 hour",
          grade: "A",
          owner: "plumbline",
          metrics: {
            nodes_online: { unit: "count", meaning: "Nodes." },
            nodes_registered: { unit: "count", meaning: "All." }
          }
        }
        const services = lookingAgain({ draws: false }).pipe(
          Layer.provide(
            Settings.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({}))))
          ),
          Layer.provideMerge(collector),
          Layer.provideMerge(Layer.merge(Rechecks.layer, Duties.layerAlone)),
          Layer.provideMerge(Ingest.layer),
          Layer.provideMerge(Current.layer),
          Layer.provideMerge(Blobs.layerTable),
          Layer.provideMerge(
            Layer.succeed(Feeds, Feeds.of({ manifests: [manifest], states: Effect.succeed(new Map()) }))
          ),
          Layer.provideMerge(Layer.effectDiscard(partitions.ensure(Date.now()))),
          Layer.provideMerge(database)
        )
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const service = yield* Rechecks
          let askers = 0
          /** Each of another network. */
          const ask = (params: RecheckParams) => service.ask(params, `192.0.2.${askers++}`)
          const current = yield* Current
          yield* (yield* Collector).own([{ plugin: "looked" }])
          yield* Effect.repeat(Effect.delay(current.snapshot, "20 millis"), {
            until: ({ rows }) => rows.length === 2
          })
          const lookAt = (metric: string) =>
            Effect.repeat(Effect.delay(ask({ symbol: "fil", metric }), "20 millis"), {
              until: (answer) => answer.state === "done"
            })
          const tenMinutesLater = sql`update recheck set asked_at = asked_at - interval '10 minutes'`
          const first = yield* ask({ symbol: "FIL", metric: "nodes_online" })
          assert.deepInclude(first, { state: "running", retry_after: 2 })
          assert.isUndefined(first.comparison)

          const exact = yield* lookAt("nodes_online")
          assert.strictEqual(exact.comparison?.verdict, "exact")
          assert.deepInclude(exact.comparison?.place, { kind: "in_body", pointer: "/online" })
          assert.strictEqual(exact.comparison?.served.value, 41)
          // One run is for all series of the plugin, and the next is ten minutes later.
          assert.strictEqual(state.asked, 2)
          const other = yield* lookAt("nodes_registered")
          assert.deepStrictEqual([other.run, other.comparison?.again?.value], [exact.run, 50])
          assert.strictEqual(state.asked, 2)

          // The upstream says something else by now: the answer says it, and what is served stays.
          state.body = '{"online": 82}'
          yield* tenMinutesLater
          const moved = yield* lookAt("nodes_online")
          assert.deepInclude(moved.comparison, { verdict: "moved", difference_pct: 100 })
          assert.deepInclude((yield* lookAt("nodes_registered")).comparison, {
            verdict: "gone",
            reason: "the answer has no such figure"
          })
          const snapshot = yield* current.snapshot
          assert.deepStrictEqual(
            snapshot.rows.map(({ row }) => row.value),
            [41, 50]
          )
          state.status = 404
          yield* tenMinutesLater
          const gone = yield* lookAt("nodes_online")
          assert.strictEqual(gone.comparison?.verdict, "unreachable")
          assert.include(gone.comparison?.reason, "404")

          const runs = yield* sql`
            select outcome, complete, n_rows, due_at from run order by id`.pipe(runRows)
          assert.deepStrictEqual(
            runs.map(({ outcome, n_rows }) => [outcome, n_rows]),
            [
              ["stored", 2],
              ["recheck", 2],
              ["recheck", 1],
              ["recheck", 0]
            ]
          )
          assert.isTrue(runs.every(({ complete }) => complete))
          assert.deepStrictEqual(
            runs.slice(1).map(({ due_at }) => due_at),
            [null, null, null]
          )
          const [readings] = yield* sql`select count(*)::int as n from observation`.pipe(readingRows)
          assert.strictEqual(readings?.n, 2)

          // One whose process ended is over after five minutes, and says why.
          yield* tenMinutesLater
          yield* sql`
            insert into recheck (plugin, asked_at, taken_at)
            values ('looked', now() - interval '6 minutes', now() - interval '6 minutes')`
          const lost = yield* ask({ symbol: "FIL", metric: "nodes_online" })
          assert.deepInclude(lost, { state: "done" })
          assert.deepInclude(lost.comparison, {
            verdict: "unreachable",
            reason: "nobody looked: the process that collects it is away or has ended"
          })

          // The share of a network: three runs in an hour, of the twelve that all have.
          yield* sql`delete from recheck_series`
          yield* sql`delete from recheck`
          const ofOne = (network: string) => service.ask({ symbol: "FIL", metric: "nodes_online" }, network)
          for (let n = 0; n < 3; n++) {
            yield* ofOne("198.51.100.1")
            yield* Effect.repeat(Effect.delay(ofOne("198.51.100.1"), "20 millis"), {
              until: (answer) => answer.state === "done"
            })
            yield* tenMinutesLater
          }
          const share = yield* Effect.flip(ofOne("198.51.100.1"))
          assert.strictEqual(share._tag, "TooManyRequests")
          assert.include(share.message, "one network may have the feed looked asked again 3 times an hour")
          assert.strictEqual((yield* ofOne("2001:db8:1:2::/64")).state, "running")
          yield* lookAt("nodes_online")
          const [stored] = yield* sql`
            select count(*)::int as n from recheck where asked_by like '%198.51%' or asked_by like '%2001:db8%'`.pipe(
            readingRows
          )
          assert.strictEqual(stored?.n, 0)

          // The share of the plugin: twelve runs in an hour, whoever asks.
          yield* sql`
            insert into recheck (plugin, asked_at, done_at) select 'looked', now(), now() from generate_series(1, 9)`
          yield* sql`update recheck set asked_at = asked_at - interval '11 minutes'`
          const refused = yield* Effect.flip(ask({ symbol: "FIL", metric: "nodes_online" }))
          assert.strictEqual(refused._tag, "TooManyRequests")
          assert.strictEqual(
            (yield* Effect.flip(ask({ symbol: "FIL", metric: "nodes" })))._tag,
            "BadParameter"
          )
          assert.strictEqual(
            (yield* Effect.flip(ask({ symbol: "STORJ", metric: "nodes_online" })))._tag,
            "NotFound"
          )

          // What the lot falls on counts for the published share; what callers ask for does not.
          assert.isNull((yield* rechecks()).agreement)
          state.status = 200
          state.body = '{"online": 41, "all": 60}'
          const { draw } = yield* Rechecks
          yield* draw(snapshot.rows)
          const shares = yield* Effect.repeat(Effect.delay(rechecks(), "20 millis"), {
            until: ({ newest }) => newest.length === 2
          })
          assert.deepInclude(shares.agreement, {
            n_series: 2,
            n_exact: 1,
            n_moved: 1,
            n_unreachable: 0,
            agreement_pct: 50
          })
        }).pipe(Effect.provide(services))
      }).pipe(Effect.scoped),
    60_000
  )
})
