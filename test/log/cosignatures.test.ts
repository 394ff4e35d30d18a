/** Logs and the witnesses that cosign them, over real HTTP: honest, away, slow and lying. */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { KnownHeads } from "../../core/log/KnownHeads.ts"
import { Log, LogKey } from "../../core/log/Log.ts"
import { cosignatureLines } from "../../core/log/record/cosignatures.ts"
import * as Files from "../../core/log/record/files.ts"
import { underHead } from "../../core/log/record/underHead.ts"
import type { Witness } from "../../core/log/Witnesses.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { toBase64 } from "../../core/proof/bytes.ts"
import { parseNote, verifierOf, verifyNote, vkey } from "../../core/proof/checkpoint.ts"
import { cosignatureLine, cosignaturesOf, cosignerOf, parseCosigner } from "../../core/proof/cosignature.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import { Changes } from "../../core/readings/Changes.ts"
import * as Http from "../../runtime/outside/witnesses.ts"
import { captureLog } from "../support/captureLog.ts"
import { postgres } from "../support/database.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import * as LogKeys from "../support/logKey.ts"
import { startScriptedServer } from "../support/scriptedServer.ts"
import { newWitness, runWitness } from "../support/witness.ts"

const start = Date.UTC(2026, 8, 5, 9)

/** The key of the tests under another log's name. */
const keyOf = (origin: string) =>
  Layer.effect(
    LogKey,
    Effect.map(LogKey, (key) => LogKey.of({ ...key, origin }))
  ).pipe(Layer.provide(LogKeys.layer()))

const vkeyOf = (origin: string) => vkey(origin, LogKeys.publicKey)

const newDatabase = Layer.build(Layer.fresh(postgres))

type Database = Effect.Success<typeof newDatabase>

/** A process of a service, as far as its log and its witnesses go. */
const openLog = Effect.fnUntraced(function* (
  witnesses: ReadonlyArray<Witness>,
  options: { readonly origin?: string; readonly database?: Database } = {}
) {
  const database = options.database ?? (yield* newDatabase)
  const quorum = quorumOf(
    witnesses.map(({ key }) => key),
    witnesses.length
  )
  const context = yield* Layer.build(
    Layer.fresh(
      Cosignatures.layer.pipe(
        Layer.provideMerge(Log.layer),
        Layer.provideMerge(WitnessHeads.layer),
        Layer.provideMerge(Http.layer(() => ({ all: witnesses, quorum }))),
        Layer.provideMerge(keyOf(options.origin ?? "log.example/one")),
        Layer.provideMerge(Changes.layer),
        Layer.provideMerge(Layer.succeedContext(database))
      )
    )
  )
  const cosignatures = Context.get(context, Cosignatures)
  const provided = Effect.provideContext(context)
  return {
    database,
    context,
    append: (...subjects: ReadonlyArray<string>) =>
      provided(Effect.forEach(subjects, append, { discard: true })),
    /** One round with every witness. */
    round: Effect.forEach(witnesses, cosignatures.offer, { discard: true }),
    hear: cosignatures.hear,
    states: cosignatures.states,
    checkpoint: provided(Files.checkpoint),
    lines: (size: number) => provided(cosignatureLines(size)),
    /** The log's part of a bundle about its first entry. */
    bundled: provided(
      Effect.flatMap(Log, ({ served }) => Effect.flatMap(served, (head) => underHead(0, head)))
    ),
    known: Context.get(context, KnownHeads)
  }
})

const append = Effect.fnUntraced(function* (subject: string) {
  const log = yield* Log
  const sql = yield* SqlClient.SqlClient
  const entry = {
    v: "service-entry-v2",
    // One over runs alone comes every hour.
    kind: subject.startsWith("hour") ? "runs" : "brief",
    sha256: "0".repeat(64),
    subject,
    recorded_at: "2026-09-05T08:00:00Z"
  } as const
  yield* sql.withTransaction(log.append([entry], start))
  yield* log.refresh
})

/** Takes the log back to its first entries, as a restored backup would. */
const rollBack = (database: Database, size: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`delete from cosignature where size > ${size}`
    yield* sql`delete from checkpoint where size > ${size}`
    yield* sql`delete from log_entry where place >= ${size}`
  }).pipe(Effect.provideContext(database))

const honest = Effect.fnUntraced(function* (name: string, ...origins: ReadonlyArray<string>) {
  const { folder, vkey: text } = yield* newWitness(origins.map(vkeyOf), `witness.example/${name}`)
  const url = yield* runWitness(folder)
  return { folder, witness: { name, key: parseCosigner(text), url } satisfies Witness }
})

const sizesOf = (database: Database) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ size: number }>`select distinct size from cosignature order by size`
    return rows.map(({ size }) => size)
  }).pipe(Effect.provideContext(database))

describe("a witnessed log", () => {
  it.effect("has every head cosigned, and serves the newest with the lines of its witnesses", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const one = yield* honest("w1", "log.example/one")
      const two = yield* honest("w2", "log.example/one")
      const log = yield* openLog([one.witness, two.witness])
      yield* log.round
      yield* log.append("a", "b")
      const { hasQuorum } = yield* log.states
      assert.isFalse(hasQuorum)
      yield* log.round
      yield* log.append("c", "d", "e")
      yield* log.round
      assert.deepStrictEqual(yield* sizesOf(log.database), [1, 2, 3, 4, 5])
      const note = parseNote(yield* log.checkpoint)
      assert.strictEqual(verifyNote(note, [verifierOf("log.example/one", LogKeys.publicKey)])?.length, 1)
      const cosignatures = cosignaturesOf(note.text, note.signatures, [one.witness.key, two.witness.key])
      assert.deepStrictEqual(
        cosignatures.map(({ timestamp }) => timestamp),
        [start / 1000, start / 1000]
      )
      assert.deepStrictEqual(yield* log.states, {
        witnesses: [
          { name: "w1", size: 5, trouble: undefined },
          { name: "w2", size: 5, trouble: undefined }
        ],
        hasQuorum: true
      })
    })
  )

  it.effect("has heads over runs alone cosigned only while they are the newest", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { witness } = yield* honest("w1", "log.example/one")
      const log = yield* openLog([witness])
      yield* log.append("hour 1", "hour 2", "a", "hour 3", "hour 4")
      yield* log.round
      assert.deepStrictEqual(yield* sizesOf(log.database), [3, 5])
      assert.isTrue((yield* log.states).hasQuorum)
    })
  )

  it.effect("says in every process how its witnesses fare, whichever of them offers the heads", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { witness } = yield* honest("w1", "log.example/one")
      const offering = yield* openLog([witness])
      const other = yield* openLog([witness], { database: offering.database })
      yield* offering.append("a", "b")
      const refusing = { ...witness, url: "http://127.0.0.1:9" }
      const away = yield* openLog([refusing], { database: offering.database })
      yield* away.round
      yield* other.hear
      const [troubled] = (yield* other.states).witnesses
      assert.strictEqual(troubled?.trouble?.since, start)
      assert.deepStrictEqual((yield* other.states).witnesses, (yield* away.states).witnesses)
      // The duty comes to a process that reaches the witness.
      yield* offering.hear
      yield* offering.round
      yield* other.hear
      assert.deepStrictEqual((yield* other.states).witnesses, [{ name: "w1", size: 2, trouble: undefined }])
    })
  )

  it.effect("and another log witness each other", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      // Each operator runs a witness that cosigns the other's log.
      const witnessOfOne = yield* honest("ours", "log.example/two")
      const witnessOfTwo = yield* honest("theirs", "log.example/one")
      const one = yield* openLog([witnessOfTwo.witness], { origin: "log.example/one" })
      const two = yield* openLog([witnessOfOne.witness], { origin: "log.example/two" })
      yield* one.append("a", "b", "c")
      yield* two.append("x")
      yield* Effect.all([one.round, two.round], { concurrency: 2 })
      assert.include(yield* one.checkpoint, "witness.example/theirs")
      assert.include(yield* two.checkpoint, "witness.example/ours")
      assert.isTrue((yield* one.states).hasQuorum)
      assert.isTrue((yield* two.states).hasQuorum)
    })
  )

  it.effect("has an unchanged head cosigned again every hour, and keeps the first and the last time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { witness } = yield* honest("w1", "log.example/one")
      const log = yield* openLog([witness])
      yield* log.append("a", "b")
      assert.isUndefined((yield* log.bundled).log.cosignatures)
      yield* log.round
      const [first] = yield* log.lines(2)
      yield* TestClock.adjust("59 minutes")
      yield* log.round
      assert.deepStrictEqual(yield* log.lines(2), [first])
      for (const _ of [1, 2, 3]) {
        yield* TestClock.adjust("61 minutes")
        yield* log.round
      }
      const [last] = yield* log.lines(2)
      assert.notStrictEqual(last, first)
      // The note is the one that was stamped; a bundle proves when it was seen first.
      const { checkpoint, cosignatures } = (yield* log.bundled).log
      assert.deepStrictEqual(cosignatures, [first ?? "none"])
      assert.notInclude(checkpoint, "witness.example")
      assert.include(yield* log.checkpoint, last ?? "none")
      const sql = Context.get(log.database, SqlClient.SqlClient)
      const rows = yield* sql<{ at: Date }>`select at from cosignature where size = 2 order by at`
      assert.deepStrictEqual(
        rows.map(({ at }) => (at.getTime() - start) / 60_000),
        [0, 59 + 3 * 61]
      )
      assert.strictEqual((yield* log.lines(1)).length, 1)
    })
  )

  it.effect("catches up with a witness that was away, and says so once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { folder, vkey: text } = yield* newWitness([vkeyOf("log.example/one")])
      const port = Number(new URL(yield* Effect.scoped(runWitness(folder))).port)
      const witness = { name: "w1", key: parseCosigner(text), url: `http://127.0.0.1:${port}` }
      const { lines, logger } = captureLog()
      yield* Effect.gen(function* () {
        const log = yield* openLog([witness])
        yield* log.append("a", "b")
        yield* log.round
        // It is left alone for a minute.
        yield* log.append("c")
        yield* log.round
        yield* TestClock.adjust("2 minutes")
        yield* log.round
        assert.match((yield* log.states).witnesses[0]?.trouble?.message ?? "", /refused|ECONNREFUSED/)
        assert.isEmpty(yield* log.lines(3))
        yield* runWitness(folder, port)
        yield* TestClock.adjust("2 minutes")
        yield* log.round
        assert.deepStrictEqual(yield* sizesOf(log.database), [1, 2, 3])
        assert.isUndefined((yield* log.states).witnesses[0]?.trouble)
      }).pipe(Effect.provide(logger))
      assert.strictEqual(lines.filter((line) => line.startsWith("a witness does not cosign")).length, 1)
      assert.strictEqual(lines.filter((line) => line.startsWith("a witness follows")).length, 1)
    })
  )

  it.effect("goes on where a witness is, whatever this process remembers", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { witness } = yield* honest("w1", "log.example/one")
      const log = yield* openLog([witness])
      yield* log.append("a", "b", "c")
      yield* log.round
      // The answers were lost: the witness holds more than the table knows.
      const sql = Context.get(log.database, SqlClient.SqlClient)
      yield* sql`delete from cosignature where size > 1`
      const again = yield* openLog([witness], { database: log.database })
      yield* again.append("d")
      yield* again.round
      assert.deepStrictEqual(yield* sizesOf(log.database), [1, 3, 4])
    })
  )

  it.effect("that was forked gets no cosignature, and its process learns what the witness holds", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { witness } = yield* honest("w1", "log.example/one")
      const log = yield* openLog([witness])
      yield* log.append("a", "b", "c")
      yield* log.round
      yield* rollBack(log.database, 2)
      const rolled = yield* openLog([witness], { database: log.database })
      // The start has asked the witness: this log once had three entries.
      const [head] = yield* rolled.known
      assert.strictEqual(head?.size, 3)
      const { message } = yield* Effect.flip(rolled.append("another"))
      assert.match(message, /witness w1 has 3 entries, but the database has only 2/)
      yield* rolled.round
      assert.match((yield* rolled.states).witnesses[0]?.trouble?.message ?? "", /cosigned 3 entries.*has 2/)
      yield* TestClock.adjust("2 minutes")

      // The same number of entries again, with another one at the end.
      const fork = yield* openLog([], { database: log.database })
      yield* fork.append("another", "one more")
      const forked = yield* openLog([witness], { database: log.database })
      yield* forked.round
      const { trouble } = (yield* forked.states).witnesses[0] ?? {}
      assert.match(trouble?.message ?? "", /answered 422/)
      assert.match((yield* Effect.flip(forked.append("more"))).message, /witness w1 has another root/)
      assert.deepStrictEqual(yield* sizesOf(log.database), [1, 2])
      assert.isFalse((yield* forked.states).hasQuorum)
    })
  )

  it.effect("takes nothing from a witness that lies, floods or breaks the protocol", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const secret = new Uint8Array(32).fill(5)
      const key = cosignerOf("witness.example/liar", publicKeyOf(secret))
      const liar = yield* startScriptedServer
      const log = yield* openLog([{ name: "liar", key, url: liar.url }])
      yield* log.append("a", "b", "c")
      const line = cosignatureLine(key, start / 1000, new Uint8Array(64).fill(1))
      const answers: ReadonlyArray<readonly [status: number, body: string | Buffer, expected: RegExp]> = [
        [500, "broken", /answered 500: broken/],
        [403, "unknown \u001b[31mkey\n", /answered 403: unknown \[31mkey$/],
        [302, "", /answered 302/],
        [409, "x\n", /409 without a size/],
        [409, "1", /409 without a size/],
        [409, "99999999999999999999\n", /409 without a size/],
        [409, "7\n", /cosigned 7 entries of this log, which has 3/],
        [409, "0\n", /named the size 0 and then refused/],
        [200, "", /signature line must be/],
        [200, "<html>", /signature line must be/],
        [200, Buffer.from([0xff, 0xfe]), /not UTF-8/],
        [200, line, /does not verify/],
        [200, line.replace("liar", "other"), /no cosignature of its key/],
        [200, `\u2014 witness.example/liar ${toBase64(new Uint8Array(76))}\n`, /no cosignature of its key/],
        [200, Buffer.alloc(200_000, "x"), /bytes|longer|large/]
      ]
      for (const [status, body, expected] of answers) {
        liar.handle = (request, response) => {
          const isOffer = request.method === "POST"
          response.writeHead(isOffer ? status : 404, { location: "http://127.0.0.1:1/" })
          response.end(isOffer ? body : "")
        }
        yield* TestClock.adjust("2 minutes")
        yield* log.round
        const { witnesses } = yield* log.states
        assert.match(witnesses[0]?.trouble?.message ?? "", expected)
        assert.strictEqual(witnesses[0]?.size, 0)
      }
      assert.deepStrictEqual(yield* sizesOf(log.database), [])
      // Nor does it teach the log a head that the log's key never signed.
      const note = yield* log.checkpoint
      liar.handle = (_, response) => response.end(note.replace("\n3\n", "\n9\n"))
      const restarted = yield* openLog([{ name: "liar", key, url: liar.url }], { database: log.database })
      assert.deepStrictEqual(yield* restarted.known, [])
    })
  )

  it.effect("does not wait for a witness that is slow or never ends its answer", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const key = cosignerOf("witness.example/slow", publicKeyOf(new Uint8Array(32).fill(6)))
      const liar = yield* startScriptedServer
      let offered = false
      liar.handle = (request, response) => {
        offered = request.method === "POST"
        if (offered) response.write("\u2014 witness")
        else response.writeHead(404).end()
      }
      const { witness } = yield* honest("w1", "log.example/one")
      const slow = { name: "slow", key, url: liar.url }
      const log = yield* openLog([witness, slow])
      yield* log.append("a")
      const rounds = yield* Effect.forkChild(log.round)
      while (!offered) yield* Effect.yieldNow
      // The log goes on while it hangs.
      yield* log.append("b")
      assert.strictEqual((yield* log.states).witnesses[0]?.size, 1)
      yield* TestClock.adjust("11 seconds")
      yield* Fiber.join(rounds)
      assert.match((yield* log.states).witnesses[1]?.trouble?.message ?? "", /no answer in time/)
    })
  )

  it.effect("gets over a witness whose clock is wrong", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { folder, witness } = yield* honest("w1", "log.example/one")
      appendFileSync(join(folder, "logs"), "# no change\n")
      const log = yield* openLog([witness])
      yield* log.append("a")
      const liar = yield* startScriptedServer
      // It passes on what the honest one said, ten minutes late.
      let lateReply = ""
      liar.handle = (request, response, body) => {
        if (request.method === "GET") response.writeHead(404).end()
        else if (lateReply !== "") response.end(lateReply)
        else {
          fetch(`${witness.url}/add-checkpoint`, { method: "POST", body })
            .then((answer) => answer.text())
            .then((text) => {
              lateReply = text
              response.writeHead(503).end()
            })
        }
      }
      const late = yield* openLog([{ ...witness, url: liar.url }], { database: log.database })
      yield* late.round
      yield* TestClock.adjust("10 minutes")
      yield* late.round
      assert.match((yield* late.states).witnesses[0]?.trouble?.message ?? "", /more than 5 minutes/)
      yield* log.round
      assert.deepStrictEqual(yield* sizesOf(log.database), [1])
    })
  )
})
