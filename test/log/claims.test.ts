import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { claimsOf, stampClaimsOf } from "../../core/log/claims.ts"
import { postgres } from "../support/database.ts"

const eight = Date.UTC(2026, 8, 5, 8)

describe("a claim on a day", () => {
  it.effect("is renewed while the close lasts, and ends a minute after its process went silent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [claimsOf(sql, "one"), claimsOf(sql, "other")]
      yield* TestClock.setTime(eight)
      const batch = (yield* one.take("2026-09-04", eight, eight)) ?? 0
      const closing = yield* Effect.forkChild(one.whileRenewing(batch, Effect.never))
      let now = eight
      for (let n = 0; n < 6; n++) {
        yield* TestClock.adjust("20 seconds")
        now += 20_000
        yield* Effect.repeat(sql`select 1 from batch where claimed_until = ${new Date(now + 60_000)}`, {
          until: (rows) => rows.length > 0
        })
      }
      assert.isUndefined(yield* other.take("2026-09-04", eight, now))
      closing.interruptUnsafe()
      assert.isUndefined(yield* other.take("2026-09-04", eight, now + 59_000))
      assert.strictEqual(yield* other.take("2026-09-04", eight, now + 61_000), batch)
      assert.isFalse(yield* one.renewClaim(batch))
    }).pipe(Effect.provide(postgres))
  )
})

describe("a claim on a checkpoint", () => {
  it.effect("keeps other processes out until it is released", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [stampClaimsOf(sql, "one"), stampClaimsOf(sql, "other")]
      assert.isTrue(yield* one.take(5))
      assert.isFalse(yield* other.take(5))
      yield* other.release(5)
      assert.isFalse(yield* other.take(5))
      // A killed process that had a name of its own, which only its successor has, goes on at once.
      assert.isTrue(yield* one.take(5))
      yield* one.release(5)
      assert.isTrue(yield* other.take(5))
    }).pipe(Effect.provide(postgres))
  )
})
