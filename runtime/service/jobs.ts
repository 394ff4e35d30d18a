/** Work that nobody calls for: each job has its own loop, so none waits for another or fails with it. */
import { Effect, Layer } from "effect"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { Anchors } from "../../core/log/Anchors.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { AgreementLog } from "../../core/log/observers/AgreementLog.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { endOver, releaseSettled } from "../../core/log/settled.ts"
import { inBackground } from "../../core/process/loop.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { ChainLooksLog } from "../../core/publications/looks/ChainLooksLog.ts"
import { noteCodes } from "../../core/publications/looks/codesOfChains.ts"
import { SalesLog } from "../../core/publications/SalesLog.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { Anomalies } from "../../core/readings/anomalies/Anomalies.ts"
import { heartbeat, heartbeatEvery } from "../../core/readings/heartbeat.ts"
import { RecentDays } from "../../core/readings/read/RecentDays.ts"
import { removing } from "../../core/readings/removing.ts"
import { ifTrusted, TrustedClock } from "../../core/readings/TrustedClock.ts"
import { beatEvery, Uptime } from "../../core/readings/Uptime.ts"
import { Http } from "../../http/server.ts"
import { onDuty } from "../cluster/Duties.ts"
import * as SampledMetrics from "../metrics/sampled.ts"
import { capturing } from "./capturing.ts"
import { maintenance, movingRuns, removingBodies } from "./maintenance.ts"
import { Readiness } from "./Readiness.ts"
import * as Witnessing from "./witnessing.ts"

/**
 * Work that begins once the service listens: what it first does, a vacuum among it, would keep an embedded database from
 * the first caller. Whoever builds it before has no `Http`, and does not compile.
 */
const onceListening = <A, E, R>(work: Layer.Layer<A, E, R>) => Layer.unwrap(Effect.as(Http, work))

/** Scheduled work. Each job has its own loop, so none waits for another or fails with it. */
export const schedules = onceListening(
  Layer.effectDiscard(
    Effect.gen(function* () {
      const recent = yield* RecentDays
      // Before a caller needs it, who would wait for it, and try again if it failed.
      yield* Effect.forkScoped(Effect.ignoreCause(recent.memory))
      // The past of a replay closes its own days, in their order (`demo/pastEvents.ts`).
      const { past } = yield* Readiness
      const afterPast = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.andThen(past, work)
      yield* onDuty("the daily close", "1 minute", afterPast((yield* DailyClose).run))
      yield* onDuty("levels that nothing contradicted", "1 hour", afterPast(ifTrusted(releaseSettled)))
      yield* onDuty("held readings that are over", "5 minutes", afterPast(ifTrusted(endOver)))
      // What the log says with a time stays in it permanently, so that a clock in doubt says nothing there.
      yield* onDuty("the archive", "1 minute", afterPast(ifTrusted((yield* Archive).run)))
      yield* onDuty("the incident log", "1 minute", afterPast(ifTrusted((yield* IncidentLog).run)))
      yield* onDuty("the log of runs", "1 minute", afterPast(ifTrusted((yield* RunLog).run)))
      yield* onDuty("the log of sales", "1 minute", afterPast(ifTrusted((yield* SalesLog).run)))
      const anomalies = yield* Anomalies
      // The brief reports the unusual values of its week. A failure to judge is logged by the duty of its own.
      const judged = Effect.andThen(Effect.ignoreCause(anomalies.run), (yield* Brief).run)
      yield* onDuty("the weekly brief", "1 minute", afterPast(ifTrusted(judged)))
      yield* onDuty("the signal ledger", "1 minute", afterPast(ifTrusted((yield* Signals).run)))
      yield* onDuty("unusual values", "1 minute", afterPast(anomalies.run))
      yield* onDuty("comparing with observers", "5 minutes", afterPast(ifTrusted((yield* AgreementLog).run)))
      yield* onDuty(
        "asking operators for blocks",
        "5 minutes",
        afterPast(ifTrusted((yield* ChainLooksLog).run))
      )
      yield* onDuty("the codes of chains", "10 minutes", afterPast(noteCodes))
      yield* onDuty("the warranty of sales", "1 minute", afterPast(ifTrusted((yield* Warranty).run)))
      // A service with a doubtful clock sends no money.
      yield* onDuty("checking what is served", "10 minutes", afterPast((yield* ServedSample).run))
      const events = yield* EventLog
      yield* onDuty("the feed of events", "1 second", afterPast(events.runIfDue))
      yield* onDuty("removing old events", "1 hour", removing("events", events.removeOld))
      // A stamp that is old counts as lost.
      yield* onDuty("anchoring", "5 minutes", ifTrusted((yield* Anchors).run))
      yield* onDuty("removing expired bodies", "6 hours", afterPast(removingBodies))
      yield* onDuty("moving runs to files", "6 hours", afterPast(movingRuns))
      yield* capturing
      yield* maintenance
    })
  )
)

const sampledMetrics = onceListening(SampledMetrics.layer)

/** Compares the clocks in every process, also where nothing irreversible is due: an operator should hear of a doubt soon. */
const comparingClocks = Layer.effectDiscard(
  Effect.flatMap(TrustedClock, ({ trusted }) => inBackground("comparing the clocks", "1 minute", trusted))
)

/** Records that the service is up, from when it listens. */
const recordingUptime = onceListening(
  Layer.effectDiscard(
    Effect.flatMap(Uptime, ({ beat }) => inBackground("the record of uptime", beatEvery, beat))
  )
)

/** From before the service listens: until the first is stored, `/readyz?for=writes` is 503. */
const beating = Layer.effectDiscard(
  Effect.flatMap(heartbeat, (beat) => inBackground("the heartbeat", heartbeatEvery, beat))
)

/** After the address is printed, so that nothing stands before it. */
const warningOfNoWitness = onceListening(Witnessing.warning)

/** Everything that runs by itself. */
export const jobs = Layer.mergeAll(
  beating,
  recordingUptime,
  comparingClocks,
  schedules,
  sampledMetrics,
  warningOfNoWitness
)
