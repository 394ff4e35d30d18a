/** Those whom the demo plays beside itself: what they sign verifies, says that it is simulated, and is refused as anything else. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { addCheckpointText } from "../../core/log/addCheckpoint.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { treeAt } from "../../core/log/heads.ts"
import { Log } from "../../core/log/Log.ts"
import { AgreementLog } from "../../core/log/observers/AgreementLog.ts"
import { Observers } from "../../core/log/observers/Observers.ts"
import { readDay } from "../../core/log/observers/readDay.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { agreementLeaves } from "../../core/log/record/files.ts"
import { hour } from "../../core/plugin/time.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { parseAgreementLeaves, verdictOf } from "../../core/proof/agreementLeaf.ts"
import { parseNote } from "../../core/proof/checkpoint.ts"
import { cosignaturesOf, parseLines } from "../../core/proof/cosignature.ts"
import { consistencyProof } from "../../core/proof/merkle.ts"
import { readNotarisation } from "../../core/proof/notarisation.ts"
import { coverageOf } from "../../core/proof/notarised.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { keepNotes } from "../../core/readings/ingest/runs/notes.ts"
import { otherNumber } from "../../runtime/demo/script.ts"
import { notary as restarted } from "../../runtime/demo/seats/notary.ts"
import { layer as played } from "../../runtime/demo/seats/seats.ts"
import { SimulatedSeats } from "../../runtime/outside/simulatedSeats.ts"
import { postgres } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const days = ["2026-09-04", "2026-09-05"] as const

/** A feed whose sessions the notary carries. */
const carried = "filecoin"

const seats = Effect.flatMap(SimulatedSeats, (all) =>
  all === undefined ? Effect.die("nobody plays the seats") : Effect.succeed(all)
)

/** A simulated run in the evening of a day, of one figure that the second operator has otherwise, one that he has, and one that he lacks. */
const runOf = (day: string) => {
  const at = Date.parse(`${day}T20:00:00Z`)
  const rows = [otherNumber.symbol, "FIL", "STORJ"].map((symbol) =>
    Runs.row(1000, isoTime(at), { symbol, simulated: true } as object)
  )
  const { bodies, run } = Runs.delivery(at, rows, carried)
  return { at, delivery: { bodies, run: { ...run, simulated: true as const } } }
}

const closed = Effect.fnUntraced(function* (day: string) {
  const { at, delivery } = runOf(day)
  yield* TestClock.setTime(at)
  yield* (yield* Ingest).write(delivery)
  const { notary } = yield* seats
  const notes = notary.notes(delivery.run)
  assert(notes !== undefined)
  assert.isTrue(yield* keepNotes(notes, [notary.verifier]))
  yield* TestClock.setTime(at + 13 * hour)
  yield* (yield* RunLog).run
  yield* (yield* DailyClose).run
  return { notes, run: delivery.run }
})

const services = Layer.mergeAll(RunLog.layer, AgreementLog.layer).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(seats, ({ observers }) => Layer.succeed(Observers, observers)))),
  Layer.provideMerge(played),
  Layer.provideMerge(
    Service.layer({
      database: postgres,
      mode: "replay",
      manifests: [
        { ...Runs.manifest, id: carried, covers: { networks: [otherNumber.symbol, "FIL", "STORJ"] } }
      ]
    })
  )
)

layer(services)("the seats beside the demo", (it) => {
  it.effect("are a notary, a witness and a second operator whose documents hold", () =>
    Effect.gen(function* () {
      const { notary, observers, witness } = yield* seats
      const { notes, run } = yield* closed(days[0])

      // The notary: his note covers the exchange, and says that it is simulated.
      const signed = readNotarisation(notes.notes[0] ?? "", [notary.verifier])
      assert.include(signed?.statement, { simulated: true, v: "service-notarisation-v1-demo" })
      const [{ at, method, sha256, status, url }] = run.exchanges as unknown as readonly [
        (typeof run.exchanges)[number]
      ]
      assert.isDefined(
        coverageOf({ at, method, sha256, status, url }, signed === undefined ? [] : [signed.statement])
      )

      // The witness: he cosigns what extends what he has, and nothing else.
      const { refresh } = yield* Log
      const { note, size, tree } = yield* refresh
      assert(note !== null)
      const offer = (oldSize: number) =>
        witness.offer(
          witness.named,
          addCheckpointText({ oldSize, path: consistencyProof(treeAt(tree, size), oldSize), note })
        )
      const cosigned = yield* offer(0)
      assert("lines" in cosigned)
      const { text } = parseNote(note)
      assert.lengthOf(
        cosignaturesOf(text, parseLines(cosigned.lines.trimEnd().split("\n")), [witness.named.key]),
        1
      )
      assert.deepStrictEqual(yield* offer(0), { holds: size })

      // The second operator: one value as ours, one otherwise, and none of what he does not read.
      assert.strictEqual(yield* (yield* AgreementLog).run, 1)
      const relations = parseAgreementLeaves(yield* agreementLeaves(days[0])).map(
        (leaf) => `${leaf.symbol} ${verdictOf(leaf)}`
      )
      assert.deepStrictEqual(relations, ["FIL equal", "FLUX differs", "STORJ silent"])
      const [observer] = observers.all
      assert(observer !== undefined)
      const read = readDay(
        (path, most) => observers.read(observer, path, most),
        observer.key,
        days[0],
        undefined,
        false
      )
      assert.include(yield* Effect.flip(read), { state: "invalid", why: "its log is that of a demo" })
    })
  )

  it.effect("go on after a restart: the notary gives no number of a session of a day twice", () =>
    Effect.gen(function* () {
      const { delivery } = runOf(days[0])
      const again = yield* restarted
      const notes = again.notes({ ...delivery.run, id: "another run" })
      const signed = readNotarisation(notes?.notes[0] ?? "", [again.verifier])
      assert.include(signed?.statement, { day: days[0], n: 2 })
    })
  )

  it.effect("go on with the next day: the log of the second operator only grows", () =>
    Effect.gen(function* () {
      yield* closed(days[1])
      assert.strictEqual(yield* (yield* AgreementLog).run, 1)
      const sql = yield* SqlClient.SqlClient
      const states = yield* sql<{ state: string; size: number }>`
        select o.state, h.size::int as size from agreement_observer o, observer_head h order by o.day`
      assert.deepStrictEqual(states, [
        { state: "read", size: 2 },
        { state: "read", size: 2 }
      ])
    })
  )
})
