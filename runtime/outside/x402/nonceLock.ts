/** Whose turn it is to submit with a key: one settlement at a time, from the choice of its nonce to its broadcast. */
import { Effect, Schema, Semaphore } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../../../core/sql/rows.ts"

export interface NonceTurn {
  /** No smaller nonce is free; 0 where only the chain knows. */
  readonly next: number
  /** Says what `next` is from here on. */
  readonly used: (next: number) => Effect.Effect<void, SqlError>
}

export interface NonceLock {
  readonly take: <A, E, R>(
    work: (turn: NonceTurn) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError, R>
}

/** Turns within this process, for an engine that no other process opens. */
export const localNonceLock = (): NonceLock => {
  const turn = Semaphore.makeUnsafe(1)
  let nextNonce = 0
  const used = (next: number) =>
    Effect.sync(() => {
      nextNonce = next
    })
  return { take: (work) => turn.withPermits(1)(Effect.suspend(() => work({ next: nextNonce, used }))) }
}

const nonceRows = rowsOf({ next_nonce: Schema.Int })

/**
 * Turns over all processes on a Postgres database. The lock is held by a session of its own, because what is written in a
 * turn must be committed before the broadcast.
 */
export const databaseNonceLock =
  (sql: SqlClient.SqlClient) =>
  (address: string): NonceLock => {
    const here = Semaphore.makeUnsafe(1)
    const name = `x402 settler ${address.toLowerCase()}`
    const locked = Effect.acquireRelease(
      Effect.tap(sql.reserve, (session) =>
        session.execute("select pg_advisory_lock(hashtextextended($1, 0))", [name], undefined)
      ),
      (session) =>
        Effect.ignore(
          session.execute("select pg_advisory_unlock(hashtextextended($1, 0))", [name], undefined)
        )
    )
    const used = (next: number) =>
      Effect.asVoid(sql`
        insert into x402_turn (address, next_nonce) values (${address}, ${next})
        on conflict (address) do update set next_nonce = excluded.next_nonce`)
    return {
      take: (work) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* locked
            const [row] = yield* sql`
              select next_nonce from x402_turn where address = ${address}`.pipe(nonceRows)
            return yield* work({ next: row?.next_nonce ?? 0, used })
          })
          // A process waits with one session at most.
        ).pipe(here.withPermits(1))
    }
  }
