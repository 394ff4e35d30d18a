/** The first key of a replay's log: its days lie in the past of the key that an operator made for it on Postgres. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { beginAt, enter, signingKeys } from "../../core/log/signingKeys.ts"
import { onBothEngines } from "../support/database.ts"

const since = Date.parse("2026-08-05T00:00:00Z")
const wallClock = Date.parse("2026-11-28T16:00:00Z")
const rotated = Date.parse("2026-09-03T12:00:00Z")
const ended = Date.parse("2026-09-19T12:00:00Z")
const of = (n: number) => new Uint8Array(32).fill(n)
const [first, second, third] = [of(1), of(2), of(3)]

const periods = Effect.map(signingKeys, (keys) =>
  keys
    .filter(({ purpose }) => purpose === "log")
    .map(({ notAfter, notBefore }) => [notBefore, notAfter])
    .sort()
)

onBothEngines("the first key of a replay", (database) => {
  layer(database)((it) => {
    it.effect("begins with its days, also where an earlier release let it end before it began", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const at = (ms: number) => ({ announcedAt: ms, notBefore: ms, endOfOld: ended })
        yield* sql.withTransaction(enter("log", first, at(wallClock)))
        yield* sql.withTransaction(enter("answers", third, at(wallClock)))
        yield* beginAt("log", since)
        assert.deepStrictEqual(yield* periods, [["2026-08-05T00:00:00Z", null]])

        // As a release before left it: dated by the wall clock, and ended by the demo's.
        yield* sql`update signing_key set not_before = ${new Date(wallClock)} where purpose = 'log'`
        yield* sql.withTransaction(enter("log", second, at(rotated)))
        yield* beginAt("log", since)
        const right = [
          ["2026-08-05T00:00:00Z", "2026-09-19T12:00:00Z"],
          ["2026-09-03T12:00:00Z", null]
        ]
        assert.deepStrictEqual(yield* periods, right)
        // What is right stays, and so does the key of answers, which has the time of the world.
        yield* beginAt("log", since)
        assert.deepStrictEqual(yield* periods, right)
        const answers = (yield* signingKeys).find(({ purpose }) => purpose === "answers")
        assert.strictEqual(answers?.notBefore, "2026-11-28T16:00:00Z")
      })
    )
  })
})
