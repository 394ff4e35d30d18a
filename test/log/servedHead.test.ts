/** `WITNESSES=required`: no head is served that witnesses have not cosigned, while the log signs and grows. */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RequiredQuorum } from "../../core/log/heads.ts"
import { Log, LogKey } from "../../core/log/Log.ts"
import { readiness } from "../../core/log/record/readiness.ts"
import { type Witness, Witnesses } from "../../core/log/Witnesses.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { parseBundle } from "../../core/proof/bundle.ts"
import { parseNote, vkey } from "../../core/proof/checkpoint.ts"
import { cosignaturesOf, parseCosigner } from "../../core/proof/cosignature.ts"
import { parseLogHead } from "../../core/proof/logHead.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Http from "../../runtime/outside/witnesses.ts"
import { onBothEngines } from "../support/database.ts"
import { freePort } from "../support/freePort.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { header, json } from "../support/signed.ts"
import { newWitness, runWitness } from "../support/witness.ts"

const at = (day: number, hour = 8) => Date.UTC(2026, 8, day, hour)
const metric = "active_storage_providers"
const path = (date: string, more = "") => `/v1/attest?symbol=FIL&metric=${metric}&date=${date}${more}`

/** Closes the day before `day`, of which one reading came. */
const closed = Effect.fnUntraced(function* (day: number, value: number) {
  const ingest = yield* Ingest
  const reading = Runs.row(value, `2026-09-0${day - 1}T01:00:00Z`, {
    symbol: "FIL",
    metric,
    source: "made-up"
  })
  yield* TestClock.setTime(at(day))
  yield* ingest.write(Runs.delivery(at(day, 7), [reading], "made-up"))
  yield* (yield* DailyClose).run
})

/** A witness in a folder of its own, whose server does not run yet; its address is that of a free port. */
const newcomer = Effect.gen(function* () {
  const { folder, vkey: text } = yield* newWitness([])
  const port = yield* Effect.promise(freePort)
  const witness: Witness = { name: "w1", key: parseCosigner(text), url: `http://127.0.0.1:${port}` }
  return { folder, port, witness }
})

class Setup extends Context.Service<Setup, Effect.Success<typeof newcomer>>()("test/Setup") {}

onBothEngines("a log that serves no head without its witness", (database) => {
  const services = Layer.unwrap(
    Effect.gen(function* () {
      const setup = yield* Effect.orDie(newcomer)
      const quorum = quorumOf([setup.witness.key], 1)
      return Cosignatures.layer.pipe(
        Layer.provideMerge(WitnessHeads.layer),
        Layer.provideMerge(Http.layer(() => ({ all: [setup.witness], quorum }))),
        Layer.provideMerge(Service.layer({ database })),
        Layer.provideMerge(Layer.succeed(RequiredQuorum, () => quorum)),
        Layer.provideMerge(Layer.succeed(Setup, setup))
      )
    })
  )

  layer(services)((it) => {
    const get = (target: string) => Effect.flatMap(Service, ({ call }) => call(target))
    /** The status of an answer, why it has no proof, and the size that its header names. */
    const answered = (target: string) =>
      Effect.map(get(target), (reply) => {
        const head = header(reply, "x-service-log-head")
        const { reason } = reply.status === 200 ? {} : (json(reply) as { readonly reason?: string })
        return [reply.status, reason, head === "" ? 0 : parseLogHead(head).size]
      })
    const round = Effect.gen(function* () {
      const { all } = yield* Witnesses
      yield* TestClock.adjust("1 minute")
      yield* Effect.forEach(all, (yield* Cosignatures).offer, { discard: true })
    })
    const served = Effect.flatMap(Log, (log) => log.served)
    const signed = Effect.flatMap(Log, (log) => log.signed)
    const waits = Effect.map(readiness, ({ warnings }) =>
      warnings.flatMap(({ code, message }) => (code === "head_not_cosigned" ? [message] : []))
    )

    it.effect("says that it is not yet, as long as nobody cosigned, and signs all the same", () =>
      Effect.gen(function* () {
        yield* closed(4, 100)
        yield* round
        assert.isAbove((yield* signed).size, 0)
        assert.strictEqual((yield* served).size, 0)
        const { size } = yield* signed
        assert.deepStrictEqual(yield* answered(path("20260903")), [404, "not_cosigned", 0])
        assert.deepStrictEqual(yield* answered(path("20260903", "&format=bundle")), [404, "not_cosigned", 0])
        for (const target of [
          "/v1/log/checkpoint",
          `/v1/log/checkpoints/${size}`,
          `/v1/log/checkpoints/${size}.ots`,
          "/v1/log/tile/0/000.p/1",
          "/v1/log/batches/2026-09-03/leaves"
        ])
          assert.strictEqual((yield* get(target)).status, 404, target)
        assert.deepInclude(json(yield* get("/v1/attestations")), {
          checkpoint: null,
          log_size: 0,
          attestations: []
        })
        assert.include(String((yield* get("/log")).body), "have not cosigned a head yet")
        yield* TestClock.adjust("4 minutes")
        assert.match((yield* waits).join(), /^No head of the log is served: .* since 2026-09-04T08:00:00Z/)
      })
    )

    it.effect("serves what its witness cosigned, and no more while the witness is away", () =>
      Effect.gen(function* () {
        const { folder, port, witness } = yield* Setup
        const { keys, origin } = yield* LogKey
        const [key] = keys().filter(({ purpose }) => purpose === "log")
        if (key === undefined) return assert.fail("no log key")
        appendFileSync(join(folder, "logs"), `log ${vkey(origin, key.publicKey)}\n`)
        yield* closed(4, 100)
        // The witness rests after what went before.
        yield* TestClock.setTime(at(4, 9))
        const running = yield* Scope.make()
        yield* Scope.provide(runWitness(folder, port), running)
        yield* round
        const first = yield* signed
        assert.deepStrictEqual(yield* served, { ...first, state: "served" })
        assert.deepStrictEqual(yield* answered(path("20260903")), [200, undefined, first.size])
        const note = parseNote(String((yield* get("/v1/log/checkpoint")).body))
        assert.lengthOf(cosignaturesOf(note.text, note.signatures, [witness.key]), 1)
        assert.deepStrictEqual(yield* waits, [])

        yield* Scope.close(running, Exit.void)
        yield* closed(5, 200)
        yield* round
        assert.isAbove((yield* signed).size, first.size)
        // A day that was proved goes on to be, under the older head.
        const older = json(yield* get(path("20260903"))) as {
          readonly log: { readonly tree_size: number }
          readonly checkpoint: string
        }
        assert.strictEqual(older.log.tree_size, first.size)
        assert.strictEqual(older.checkpoint, first.note)
        assert.deepStrictEqual(yield* answered(path("20260904")), [404, "not_cosigned", first.size])
        assert.strictEqual((yield* get(`/v1/log/checkpoints/${(yield* signed).size}`)).status, 404)
        assert.deepStrictEqual((yield* get("/log/2026-09-04")).status, 404)
        const days = json(yield* get("/v1/attestations")) as {
          readonly attestations: ReadonlyArray<{ readonly day: string }>
        }
        assert.deepStrictEqual(
          days.attestations.map(({ day }) => day),
          ["2026-09-03"]
        )
        yield* TestClock.adjust("5 minutes")
        assert.match(
          (yield* waits).join(),
          new RegExp(`has ${first.size} of ${(yield* signed).size} entries`)
        )

        // Another process of the service looks at the same database.
        const other = Context.get(yield* Layer.build(Layer.fresh(Log.layer)), Log)
        assert.strictEqual((yield* other.served).size, first.size)
        yield* runWitness(folder, port)
        yield* round
        assert.strictEqual((yield* served).size, (yield* signed).size)
        yield* other.refresh
        assert.strictEqual((yield* other.served).size, (yield* signed).size)
        assert.deepStrictEqual(yield* waits, [])
        assert.deepStrictEqual(yield* answered(path("20260904")), [200, undefined, (yield* signed).size])
        const bundle = parseBundle(String((yield* get(path("20260904", "&format=bundle"))).body))
        const { checks } = verifyBundle(bundle, {
          witnesses: [witness.key],
          quorum: quorumOf([witness.key], 1)
        })
        assert.isTrue(checks.find(({ name }) => name === "witnesses")?.ok)
      })
    )
  })
})
