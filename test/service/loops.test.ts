/** Each loop of the service with a defect in its first round: it is logged whole, and the second round comes. */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Queue, SubscriptionRef } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { AlertLimits } from "../../core/alerts/AlertLimits.ts"
import { AlertSender } from "../../core/alerts/AlertSender.ts"
import { AlertWatch } from "../../core/alerts/AlertWatch.ts"
import { MorningSender } from "../../core/alerts/MorningSender.ts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import { Limits } from "../../core/credits/Limits.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { Anchors } from "../../core/log/Anchors.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { AgreementLog } from "../../core/log/observers/AgreementLog.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { Analyses } from "../../core/products/shared/analyst.ts"
import { cosignerOf } from "../../core/proof/cosignature.ts"
import { noQuorum } from "../../core/proof/policy.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { ChainLooksLog } from "../../core/publications/looks/ChainLooksLog.ts"
import { SalesLog } from "../../core/publications/SalesLog.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { Anomalies } from "../../core/readings/anomalies/Anomalies.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { RecentDays } from "../../core/readings/read/RecentDays.ts"
import { refreshed } from "../../core/readings/read/refreshed.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { Deliverer } from "../../core/webhooks/Deliverer.ts"
import { Http } from "../../http/server.ts"
import { Duties } from "../../runtime/cluster/Duties.ts"
import { type ReceivedRun, storeRuns } from "../../runtime/collector/storeRuns.ts"
import * as Alerting from "../../runtime/service/alerts.ts"
import * as Analysing from "../../runtime/service/analyses.ts"
import { watching } from "../../runtime/service/credits.ts"
import { schedules } from "../../runtime/service/jobs.ts"
import { Readiness } from "../../runtime/service/Readiness.ts"
import { delivering } from "../../runtime/service/webhooks.ts"
import { offering, type Policy, WitnessPolicy } from "../../runtime/service/witnessing.ts"
import { completing } from "../../runtime/service/x402.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { captureLog } from "../support/captureLog.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"
import { trustedClock } from "../support/trustedClock.ts"

const counted = new Map<string, number>()

/** Work whose first rounds die. */
const dying = <A>(name: string, value: A, rounds = 1): Effect.Effect<A> =>
  Effect.suspend(() => {
    const round = (counted.get(name) ?? 0) + 1
    counted.set(name, round)
    return round <= rounds ? Effect.die(new Error(`a defect of ${name}`)) : Effect.succeed(value)
  })

const settings = Settings.layer.pipe(
  Layer.provide(
    Layer.succeed(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({
        DATABASE_URL: "postgres://h/d",
        SIGNING_KEY_FILE: "k",
        LOG_KEY_FILE: "l",
        SERVER_SECRET_FILE: "s"
      })
    )
  )
)

const unused = (): never => {
  throw new Error("this is not asked for")
}

/** Every loop of the service in the background, each over work that dies at first. */
const loops = Layer.mergeAll(
  schedules,
  watching,
  completing,
  Analysing.writing,
  delivering,
  offering,
  Limits.layerWriting,
  Layer.effectDiscard(refreshed("a figure", "5 minutes", dying("a figure", 1)))
).pipe(
  Layer.provide([
    Layer.mock(DailyClose)({ run: dying("close", []) }),
    Layer.mock(IncidentLog)({ run: dying("incidents", 0) }),
    Layer.mock(RunLog)({ run: dying("runs", 0) }),
    Layer.mock(AgreementLog)({ run: dying("agreement", 0) }),
    Layer.mock(ChainLooksLog)({ run: dying("looks", 0) }),
    // Its first statement dies, for there is no database.
    Layer.mock(Incidents)({}),
    Layer.mock(ServedSample)({ run: dying("served", 0) }),
    Layer.mock(Brief)({ run: dying("brief", []) }),
    Layer.mock(SalesLog)({ run: dying("sales", []) }),
    Layer.mock(Signals)({ run: dying("signals", 0) }),
    // The brief has them judged too, and leaves it to their own loop to tell of a defect.
    Layer.mock(Anomalies)({ run: dying("unusual", 0, 2) }),
    Layer.mock(Warranty)({ run: dying("warranty", undefined) }),
    Layer.mock(Deliverer)({ run: dying("webhooks", undefined), removeOld: () => dying("old deliveries", 0) }),
    Layer.mock(EventLog)({ runIfDue: dying("events", 0), removeOld: () => dying("old events", 0) }),
    Layer.mock(Anchors)({ run: dying("anchors", undefined) }),
    Layer.mock(Cosignatures)({ offer: () => dying("cosigning", undefined) }),
    Layer.effect(
      WitnessPolicy,
      Effect.map(
        SubscriptionRef.make<Policy>({
          text: "",
          all: [{ name: "w1", key: cosignerOf("w", new Uint8Array(32)), url: "http://127.0.0.1" }],
          quorum: noQuorum,
          isRequired: false
        }),
        (current) => WitnessPolicy.of({ current, read: () => Effect.die("not read here") })
      )
    ),
    Layer.mock(RecentDays)({ memory: Effect.never }),
    Layer.mock(Watch)({ look: dying("watch", undefined) }),
    Layer.mock(Archive)({ run: dying("archive", []) }),
    Layer.mock(ArchiveFiles)({ folder: undefined, holdsToHashes: false }),
    LogKeys.layer(),
    Layer.mock(X402)({ complete: dying("x402", undefined) }),
    Layer.mock(Analyses)({ run: dying("analyses", 0) }),
    Layer.mock(Limits)({
      flush: dying("usage", undefined),
      keyless: unused,
      keyed: unused,
      encoder: unused,
      account: unused,
      payment: unused,
      log: unused,
      pages: unused,
      lookUp: unused,
      undoLookUp: unused
    }),
    Layer.succeed(TrustedClock, trustedClock),
    Layer.mock(Changes)({ me: "me", elsewhere: () => [], withVersion: () => [], unapplied: () => [] }),
    Layer.mock(Current)({ symbolsOf: () => [], changedBy: () => [] }),
    Layer.mock(Blobs)({}),
    Layer.succeed(Readiness, Readiness.of({ newest: Effect.void, past: Effect.void })),
    // There is no database at all: its maintenance fails in every round.
    Layer.succeed(SqlClient.SqlClient, Object.create(null)),
    Runs.feeds,
    Duties.layerAlone,
    Layer.succeed(Http, Http.of({ host: "127.0.0.1", port: 0 })),
    settings
  ])
)

/** Those of alerts, whose rounds are too many for the hours of the others. */
const alertLoops = Alerting.watching.pipe(
  Layer.provide([
    Layer.mock(AlertWatch)({
      run: dying("alerts", 0),
      runAges: dying("ages", 0),
      removeOld: () => dying("old crossings", 0)
    }),
    Layer.mock(AlertLimits)({ apply: dying("limits", 0) }),
    Layer.mock(AlertSender)({ run: dying("messages", 0) }),
    Layer.mock(MorningSender)({ run: dying("mornings", 0), removeOld: () => Effect.void }),
    Layer.succeed(TrustedClock, trustedClock),
    Layer.succeed(SqlClient.SqlClient, Object.create(null)),
    Duties.layerAlone
  ])
)

const names = {
  close: "the daily close",
  archive: "the archive",
  incidents: "the incident log",
  runs: "the log of runs",
  agreement: "comparing with observers",
  looks: "asking operators for blocks",
  served: "checking what is served",
  brief: "the weekly brief",
  sales: "the log of sales",
  signals: "the signal ledger",
  unusual: "unusual values",
  warranty: "the warranty of sales",
  events: "the feed of events",
  webhooks: "sending webhooks",
  alerts: "looking at alerts",
  ages: "looking at ages for alerts",
  limits: "holding alerts to their tiers",
  messages: "sending alerts",
  mornings: "sending yesterday by mail",
  anchors: "anchoring",
  cosigning: "cosigning by witness w1",
  watch: "reading the chain's transfers",
  x402: "following up x402 sales",
  analyses: "writing analyses",
  usage: "writing usage",
  "a figure": "refreshing a figure"
}

describe("every loop of the service", () => {
  it("begins once the service listens, if it is scheduled work", () => {
    // The compiler holds the order: what is built before the server listens has no `Http` to be built with.
    expectTypeOf<Extract<Layer.Services<typeof schedules>, Http>>().toEqualTypeOf<Http>()
  })

  it.effect("goes on after a defect, and its cause is logged", () =>
    Effect.gen(function* () {
      const { lines, logger } = captureLog()
      yield* Layer.build(alertLoops).pipe(
        Effect.andThen(TestClock.adjust("10 minutes")),
        Effect.scoped,
        Effect.provide(logger)
      )
      yield* Layer.build(loops).pipe(Effect.provide(logger))
      yield* TestClock.adjust("10 minutes")
      for (const [work, name] of Object.entries(names)) {
        assert.isAtLeast(counted.get(work) ?? 0, 2, name)
        const about = lines.filter((line) => line.startsWith(`${name} failed; retrying in`))
        assert.strictEqual(about.length, 1, name)
        assert.include(about[0], `Error: a defect of ${work}`)
      }
      yield* TestClock.adjust("12 hours")
      for (const name of ["database maintenance", "removing expired bodies", "moving runs to files"]) {
        assert.strictEqual(lines.filter((line) => line.startsWith(`${name} failed`)).length, 3, name)
      }
    })
  )

  it.effect("takes the runs after one that cannot be kept, and after a thread that cannot be told", () =>
    Effect.gen(function* () {
      const { lines, logger } = captureLog()
      const inbox = yield* Queue.unbounded<ReceivedRun>()
      const storedIds = yield* Queue.unbounded<string>()
      let acknowledgements = 0
      yield* storeRuns(inbox, ({ run }) =>
        run.id === "lost" ? Effect.die(new Error("a full disk")) : Queue.offer(storedIds, run.id)
      ).pipe(Effect.provide(logger))
      const arrived = (id: string): ReceivedRun => {
        const { bodies, run } = Runs.delivery(0, [])
        return {
          delivery: { bodies, run: { ...run, id } },
          acknowledge: () => {
            acknowledgements++
            if (id === "untold") throw new Error("the thread is gone")
          }
        }
      }
      yield* Queue.offerAll(inbox, ["first", "lost", "untold", "last"].map(arrived))
      assert.deepStrictEqual(
        [yield* Queue.take(storedIds), yield* Queue.take(storedIds)],
        ["first", "untold"]
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Queue.take(storedIds), "last")
      assert.isAtLeast(acknowledgements, 3)
      assert.match(lines[0] ?? "", /could not store a run[\s\S]*a full disk/)
      assert.match(lines[1] ?? "", /receiving runs from a thread failed[\s\S]*the thread is gone/)
    })
  )
})
