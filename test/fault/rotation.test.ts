/** Both keys are rotated under load, on Postgres, with two processes: everything that was ever signed still verifies. */
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sha256 } from "../../core/log/leaves.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { fromHex, fromUtf8, toHex, utf8 } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote, verifyNote } from "../../core/proof/checkpoint.ts"
import { parseEntry } from "../../core/proof/entry.ts"
import { parseKeyDocument } from "../../core/proof/keys.ts"
import { leafHash, verifyInclusion } from "../../core/proof/merkle.ts"
import { parseRotation } from "../../core/proof/rotation.ts"
import { type SavedResponse, verifyResponse } from "../../core/proof/verifyResponse.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"
import { fleet } from "../support/fleet.ts"
import { plumbline } from "../support/plumbline.ts"
import * as Runs from "../support/runs.ts"

const day = 86_400_000
const authority = "plumbline.test"

const fetched = async (base: string, path: string): Promise<SavedResponse> => {
  const answer = await fetch(base + path)
  const body = new Uint8Array(await answer.arrayBuffer())
  const [pathname = "", query] = path.split("?")
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body,
    request: { method: "GET", authority, path: pathname, query: `?${query ?? ""}` }
  }
}

const text = (base: string, path: string) =>
  Effect.map(
    Effect.promise(() => fetched(base, path)),
    ({ body, status }) => {
      assert.strictEqual(status, 200, `${path}: ${fromUtf8(body)}`)
      return fromUtf8(body)
    }
  )

/** Two days with a reading each; another process has begun to close the second. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ingest = yield* Ingest
  const today = Math.floor(Date.now() / day) * day
  yield* partitions.ensure(today)
  for (const ago of [4, 3]) {
    const at = today - ago * day + day / 2
    const { bodies, run } = Runs.delivery(at, [Runs.row(ago, isoTime(at))])
    yield* ingest.write({ bodies, run: { ...run, id: `run-rotation-${ago}`, simulated: true } })
  }
  // Its process ran until now; one that was off since those readings would wait to hear the time.
  yield* sql`insert into fact ${sql.insert({ name: "clock_confirmed", value: String(Date.now()) })}`
  const claimedDay = new Date(today - 3 * day)
  yield* sql`insert into batch ${sql.insert({
    day: claimedDay,
    cut_off: claimedDay,
    claimed_by: "another",
    claimed_until: new Date(Date.now() + day)
  })}`
})

/**
 * Locks the batch that is being closed until `rotated`, and releases its claim then: the close of a process that runs all
 * along waits for it, and signs with both keys at once. What it gives ends with the transaction, and fails with it.
 */
const heldUntil = Effect.fnUntraced(function* (rotated: Effect.Effect<void>) {
  const sql = yield* SqlClient.SqlClient
  const locked = yield* Deferred.make<void>()
  const holding = yield* Effect.gen(function* () {
    // It says nothing while four processes start, which on a loaded machine takes longer than the server allows.
    yield* sql`set local idle_in_transaction_session_timeout to 0`
    yield* sql`select id from batch where closed_at is null for update`
    yield* Deferred.succeed(locked, undefined)
    yield* rotated
    yield* sql`update batch set claimed_until = to_timestamp(0) where closed_at is null`
  }).pipe(sql.withTransaction, Effect.forkScoped)
  yield* Effect.raceFirst(Deferred.await(locked), Fiber.join(holding))
  return Fiber.join(holding)
})

describe("a rotation under load", () => {
  it.live(
    "leaves every answer and every head verifiable, without a restart",
    () =>
      Effect.gen(function* () {
        const url = yield* cloneUrl
        const ships = yield* fleet(url, {
          settings: {
            BASE_URL: `http://${authority}`,
            // Less than the switch takes to reach every process: the grace is for that.
            KEY_NOTICE_SECONDS: "2"
          }
        })
        const operator = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
          const { code, err, out } = yield* plumbline(ships.folder, ships.settings, ...args)
          assert.strictEqual(code, 0, err)
          return out
        })
        const database = Postgres.layer(Redacted.make(url))
        yield* Effect.provide(
          fill,
          Ingest.layer.pipe(
            Layer.provideMerge(Current.layer),
            Layer.provideMerge(Runs.feeds),
            Layer.provideMerge(Blobs.layerTable),
            Layer.provideMerge(database)
          )
        )
        const rotated = yield* Deferred.make<void>()
        const context = yield* Layer.build(database)
        const letGo = yield* heldUntil(Deferred.await(rotated)).pipe(Effect.provideContext(context))
        const members = yield* Effect.forEach(["one", "two"], (name) => ships.join(name), {
          concurrency: "unbounded"
        })
        const bases = members.map(({ base }) => base)
        const [base = ""] = bases
        const keyPath = "/.well-known/service-signing-key.json"
        const keysAt = (base: string) =>
          Effect.map(text(base, keyPath), (body) => JSON.parse(body) as unknown)
        const before = parseKeyDocument(yield* keysAt(base))

        // The load: both processes, fresh and cached answers, until the end.
        const received: Array<{ readonly base: string; readonly answer: SavedResponse }> = []
        let over = false
        const load = bases.map(async (base, of) => {
          for (let n = 0; !over; n++) {
            const path =
              ["/v1/supply", `/try?n=${of}-${n}`, "/v1/network/FIL", keyPath, "/v1/network/NOPE"][n % 5] ??
              "/"
            received.push({ base, answer: await fetched(base, path) })
            await pause(100)
          }
        })
        const until = Effect.fnUntraced(function* (what: string, holds: Effect.Effect<boolean>) {
          for (let n = 0; n < 1200; n++) {
            if (yield* holds) return
            yield* Effect.sleep("100 millis")
          }
          assert.fail(`${what} did not come`)
        })
        const closes = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [row] = yield* sql<{ n: number }>`
            select count(*)::int as n from batch where closed_at is not null`
          return row?.n ?? 0
        }).pipe(Effect.provideContext(context), Effect.orDie)
        const size = Effect.map(
          Effect.promise(() => fetched(base, "/v1/log/checkpoint")),
          ({ body, status }) => (status === 200 ? parseCheckpointText(parseNote(body).text).size : 0)
        )
        yield* until(
          "the first close",
          Effect.map(size, (size) => size > 0)
        )
        assert.match(yield* operator("key", "rotate", "--purpose", "answers"), /signs answers from 20/)
        assert.match(yield* operator("key", "rotate", "--purpose", "log"), /signs the log beside the old one/)
        yield* Deferred.succeed(rotated, undefined)
        yield* letGo
        yield* until(
          "a close after the rotation",
          Effect.map(closes, (n) => n > 1)
        )
        const signedBy = (base: string) =>
          new Set(
            received.flatMap((each) =>
              each.base === base
                ? (/keyid="([^"]*)"/.exec(each.answer.headers["signature-input"] ?? "")?.[1] ?? [])
                : []
            )
          )
        yield* until(
          "the switch",
          Effect.sync(() => bases.every((base) => signedBy(base).size === 2))
        )
        // The process that did not sign the rotation is told of it.
        yield* until(
          "the rotation's proof",
          Effect.map(keysAt(base), (keys) => {
            const { log, rotations } = parseKeyDocument(keys)
            return log.length === 2 && rotations.length === 1
          })
        )
        yield* until(
          "an event of the close",
          Effect.map(text(base, "/v1/events?kind=day_closed"), (body) => body.includes('"day_closed"'))
        )
        over = true
        yield* Effect.promise(() => Promise.all(load))

        const keys = yield* keysAt(base)
        const document = parseKeyDocument(keys)
        const [next, old] = document.answers
        assert.deepStrictEqual([old?.kid, old?.notAfter === null], [before.answers[0]?.kid, false])
        assert.strictEqual(next?.notAfter, null)
        for (const base of bases)
          assert.deepStrictEqual(signedBy(base), new Set([old?.kid ?? "", next?.kid ?? ""]))
        for (const { answer } of received) {
          assert.deepStrictEqual(
            verifyResponse(answer, { keys }).filter(({ ok }) => ok === false),
            [],
            `${answer.request.path} of ${answer.headers["x-service-timestamp"]}`
          )
        }

        // Whoever pinned the old log key believes each head; whoever pins the new one, each since the rotation.
        const oldLog = before.log.map(({ verifier }) => verifier)
        const newLog = document.log
          .filter(({ kid }) => kid !== before.log[0]?.kid)
          .map(({ verifier }) => verifier)
        assert.lengthOf(newLog, 1)
        const [rotation] = document.rotations
        assert.isDefined(rotation)
        if (rotation === undefined) return
        const head = parseCheckpointText(parseNote(rotation.checkpoint).text)
        const sizes = yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          return yield* sql<{ size: number }>`select size from checkpoint order by size`
        }).pipe(Effect.provideContext(context))
        assert.isAtLeast(sizes.length, 3)
        assert.isBelow(sizes[0]?.size ?? 0, head.size)
        for (const { size } of sizes) {
          const note = parseNote(yield* text(base, `/v1/log/checkpoints/${size}`))
          assert.lengthOf(verifyNote(note, oldLog) ?? [], 1)
          assert.lengthOf(
            verifyNote(note, newLog) ?? [],
            size >= head.size ? 1 : 0,
            `the head of ${size} entries`
          )
        }
        const signed = parseRotation(rotation.document)
        assert.deepStrictEqual([signed.old, signed.new], [...oldLog, ...newLog])
        const entry = parseEntry(rotation.entry)
        assert.isTrue("kind" in entry && entry.kind === "rotation")
        assert.strictEqual("sha256" in entry ? entry.sha256 : "", toHex(sha256(utf8(rotation.document))))
        // The document of the keys is under the same head.
        assert.strictEqual(head.size, rotation.index + 2)
        assert.isTrue(
          verifyInclusion({
            leaf: leafHash(utf8(rotation.entry)),
            index: rotation.index,
            size: rotation.size,
            path: rotation.path.map((hash) => fromHex(hash, 32)),
            root: head.root
          })
        )
      }),
    200_000
  )
})
