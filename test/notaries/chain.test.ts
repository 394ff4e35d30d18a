/** A service with `NOTARIES`, its collector thread, a real notary and a genuine host: from the run to what a reader verifies. */
import { assert, layer } from "@effect/vitest"
import { Clock, ConfigProvider, Context, Deferred, Effect, Layer, Queue, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { describe, vi } from "vitest"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { noteOf as servedNote } from "../../core/log/record/derivation.ts"
import { document, runLeaves } from "../../core/log/record/files.ts"
import { parseVkey, vkey } from "../../core/proof/checkpoint.ts"
import { notaryListHash } from "../../core/proof/lot.ts"
import { parseNotarisation } from "../../core/proof/notarisation.ts"
import { parseRunLeaves, type RanLeaf } from "../../core/proof/runLeaf.ts"
import { parseRuns } from "../../core/proof/runs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { recheckSentence } from "../../http/explorer/html/recheck.ts"
import { Duties } from "../../runtime/cluster/Duties.ts"
import { Collector } from "../../runtime/collector/Collector.ts"
import { portable } from "../../runtime/collector/load.ts"
import { lookingAgain } from "../../runtime/service/lookingAgain.ts"
import { configured, drawing, noteStorage } from "../../runtime/service/notarising.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { onBothEngines } from "../support/database.ts"
import { client } from "../support/monitorOnce.ts"
import { authority, upstreamHost } from "../support/notary/certificates.ts"
import { statingNotary } from "../support/notary/statements.ts"
import { nodeServer } from "../support/notary/upstreams.ts"
import { runNotary, type TestNotary } from "../support/notary/world.ts"
import { missing } from "../support/programs.ts"
import { baseUrl, Service } from "../support/service.ts"
import carried from "./carried/carried/index.ts"

const folder = new URL("carried/", import.meta.url)
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const hourAfter = (time: string) => (Math.floor(Date.parse(time) / hour) + 1) * hour
const closingOf = (time: string) => (Math.floor(Date.parse(time) / day) + 1) * day + 8 * hour

/** The command at a time: what it prints, and how it ends. It reads the machine's clock. */
const verify = Effect.fnUntraced(function* (at: number, ...args: ReadonlyArray<string>) {
  const { get } = yield* client
  const lines: Array<string> = []
  const exit = yield* Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["Date"], now: at })),
    () =>
      Effect.promise(() =>
        main([...args, "--url", baseUrl, "--pins", "none"], {
          print: (line) => lines.push(line),
          env: {},
          get
        })
      ),
    () => Effect.sync(() => vi.useRealTimers())
  )
  return { exit, text: lines.join("\n") }
})

/** What a collector with these notaries gives, once it owns its feed. */
const collecting = Effect.fnUntraced(function* (notaries: ReadonlyArray<TestNotary>) {
  const list = notaries.map(({ text }) => `${text.vkey} ${text.address}`).join(", ")
  const settings = Settings.layer.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ NOTARIES: list })))
  )
  const all = yield* Effect.provide(configured, settings)
  const keepNotes = yield* noteStorage(all)
  const { write } = yield* Ingest
  const runs = yield* Queue.unbounded<Delivery>()
  const notes = yield* Queue.unbounded<RunNotes>()
  const built = yield* Layer.build(
    Collector.layer({
      folder,
      deliver: Effect.fnUntraced(function* (delivery: Delivery) {
        // The collector thread runs by the machine's clock: however slow the machine, nothing is recorded before its run ended.
        const now = yield* Clock.currentTimeMillis
        yield* TestClock.setTime(Math.max(now, Date.parse(delivery.run.finished)))
        yield* Effect.orDie(write(delivery))
        return yield* Queue.offer(runs, delivery)
      }),
      deliverNotes: (some) => Effect.andThen(keepNotes(some), Queue.offer(notes, some)),
      settings: { CARRIED_AUTHORITY: authority().at("root.pem") },
      notaries: Redacted.make(all),
      backoff: { spread: 0 }
    })
  )
  const collector = Context.get(built, Collector)
  // Until a head is named, runs have no notary.
  const named = yield* Deferred.make<void>()
  const listening = Collector.of({
    ...collector,
    drawBy: (head) => Effect.andThen(collector.drawBy(head), Deferred.succeed(named, undefined))
  })
  yield* Layer.build(
    drawing.pipe(Layer.provide(Layer.succeed(Collector, listening)), Layer.provide(settings))
  )
  yield* Layer.build(
    lookingAgain({ draws: false }).pipe(
      Layer.provide([Layer.succeed(Collector, listening), settings, Duties.layerAlone])
    )
  )
  yield* Deferred.await(named)
  yield* collector.own([{ plugin: "carried" }])
  return { run: Queue.take(runs), notes: Queue.take(notes) }
})

/** The newest hour's document, and its leaves. */
const newestHour = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    document: string
  }>`select document from runs_hour order by hour desc limit 1`
  const runs = parseRuns((yield* document(row?.document ?? "")).body)
  const leaves = parseRunLeaves(yield* runLeaves(runs.hour))
  return { runs, leaves: leaves.filter((leaf): leaf is RanLeaf => leaf.outcome !== "skipped") }
})

describe.skipIf(missing("openssl"))("a service with notaries", () => {
  onBothEngines("whose collector thread reads a host", (database) => {
    layer(
      Layer.merge(RunLog.layer, IncidentLog.layer).pipe(
        Layer.provideMerge(Service.layer({ manifests: [portable(carried.manifest)], database }))
      )
    )((it) => {
      it.effect("proves who carried a value, from the run to the command of a stranger", () =>
        Effect.gen(function* () {
          let requests = 0
          const port = yield* nodeServer((_request, answer) => {
            requests++
            answer.end('{"nodes":3817}')
          })
          // The certificates are made by now: none is of the future by the notary's clock.
          const now = Date.now() + 1000
          yield* TestClock.setTime(now)
          yield* Effect.forEach([0, 1, 2], (n) => partitions.ensure(now + n * day))
          // The service's keys are its first entry, and give the first head.
          yield* (yield* IncidentLog).run
          const notary = yield* runNotary({ [upstreamHost]: port })
          const { notes, run } = yield* collecting([notary])
          const delivery = yield* run
          const { exchanges, finished, lot, observations } = delivery.run
          assert.deepStrictEqual([requests, lot?.notary], [1, notary.vkey])
          const stated = yield* notes
          assert.lengthOf(stated.notes, 1)
          const [note = ""] = stated.notes
          assert.deepStrictEqual(
            parseNotarisation(note).exchanges.map(({ request, response }) => [
              request?.target,
              response.sha256
            ]),
            [["/nodes", exchanges[0]?.sha256]]
          )

          // Whoever asks for the figure again is told who carried that answer, too.
          const { ask: lookAgain } = yield* Rechecks
          const looked = yield* Effect.repeat(
            lookAgain({ symbol: "FIL", metric: "active_storage_providers" }, "192.0.2.1"),
            { until: ({ state }) => state === "done" }
          )
          assert.deepStrictEqual([looked.comparison?.verdict, requests], ["exact", 2])
          assert.strictEqual(looked.notary?.key, notary.vkey)
          assert.lengthOf(looked.notary?.notes ?? [], 1)
          assert.notDeepEqual(looked.notary?.notes, stated.exchanges[0]?.notes)
          assert.include(recheckSentence(looked), "The notary notary.test/n1 carried this answer.")
          const [notedAgain = ""] = looked.notary?.notes ?? []
          assert.strictEqual(parseNotarisation(yield* servedNote(notedAgain)).n, 2)

          yield* TestClock.setTime(hourAfter(finished) + 6 * minute)
          yield* (yield* RunLog).run
          const { leaves, runs } = yield* newestHour
          assert.deepStrictEqual([runs.n_exchanges, runs.n_notarised], [2, 2])
          assert.deepStrictEqual(runs.notaries, [notary.vkey])
          assert.deepStrictEqual(runs.drawn_from, [[notary.vkey]])
          assert.deepStrictEqual(leaves[0]?.lot, {
            head: lot?.head ?? "",
            notary: notary.vkey,
            from: notaryListHash([notary.vkey])
          })
          assert.deepStrictEqual(leaves[0]?.exchanges[0]?.notes, stated.exchanges[0]?.notes)

          const [row] = observations
          assert.isDefined(row)
          const closing = closingOf(row.as_of)
          yield* TestClock.setTime(closing)
          yield* (yield* DailyClose).run
          const date = row.as_of.slice(0, 10).replaceAll("-", "")
          const ask = (...more: ReadonlyArray<string>) =>
            verify(closing, "value", "--symbol", "FIL", "--metric", row.metric, "--date", date, ...more)
          const unvouched = yield* ask("--notary", notary.vkey, "--notaries", "1")
          assert.strictEqual(unvouched.exit, 2, unvouched.text)
          const kid =
            /not proved +operator's key: nobody vouches for key (\S+):/.exec(unvouched.text)?.[1] ?? ""
          const proved = yield* ask("--notary", notary.vkey, "--notaries", "1", `--key=${kid}`)
          assert.strictEqual(proved.exit, 0, proved.text)
          assert.match(proved.text, new RegExp(`ok +run: run ${delivery.run.id} gave this value`))
          // The head is signed; that it is of this log needs the log, and that it was the newest nobody can say.
          assert.match(
            proved.text,
            /not checked +drawn: from 1 by the signed head of \d+ entries; that it is of this log `\S.* monitor` checks/
          )
          assert.match(
            proved.text,
            /ok +notaries: 1 notary \(notary\.test\/n1\) carried this answer from the holder of the host's certificate \(api\.upstream\.test\); it remains to be trusted that no collector controls a notary/
          )

          const stranger = statingNotary(2).vkey
          const wrong = yield* ask("--notary", stranger, "--notaries", "1", `--key=${kid}`)
          assert.strictEqual(wrong.exit, 2, wrong.text)
          assert.match(
            wrong.text,
            /not proved +notaries: 0 notaries of the 1 that you ask for carried what the value was read from/
          )
          const both = yield* ask(
            "--notary",
            stranger,
            "--notary",
            notary.vkey,
            "--notaries",
            "2",
            `--key=${kid}`
          )
          assert.strictEqual(both.exit, 2, both.text)
          assert.match(both.text, /1 notary of the 2 that you ask for/)
          // The right name with another key: no signature of it is there.
          const renamed = vkey("notary.test/n1", parseVkey(stranger).publicKey)
          assert.strictEqual((yield* ask("--notary", renamed, `--key=${kid}`)).exit, 2)
        })
      )
    })
  })
})
