/** Bodies by hash, from one place to another. What is there already is not read again, so a copy that stopped goes on. */
import { Effect, Option, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { bodiesOfLog } from "../../core/log/namedBodies.ts"
import type { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { bodiesOfRuns } from "../../core/readings/ingest/namedBodies.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { faultOfBody } from "./verifiedBody.ts"

const hashRows = rowsOf({ sha256: Schema.String })

/** Hashes looked for at once. */
const portion = 1000
const concurrency = 4

export interface CopiedBodies {
  readonly copied: number
  /** Of those that the source has. */
  readonly present: number
  /** Hashes of bodies that the source has with other bytes; they are not copied. */
  readonly damaged: ReadonlyArray<string>
}

/**
 * The hashes that the database names, in order: of answers, of targets, of the rows and leaves of runs, of the comparisons with other
 * operators, and of plugins' sources.
 */
export const namedBodies = Stream.unwrap(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // A backup is also made of a database of an earlier version.
    const { hasRuns, select } = yield* bodiesOfLog
    return Stream.paginate("", (after) =>
      sql`
        select sha256 from (
          ${bodiesOfRuns(sql, after, hasRuns)} union ${select(after)}
        ) b order by sha256 limit ${portion}`.pipe(
        hashRows,
        Effect.map((rows) => {
          const hashes = rows.map(({ sha256 }) => sha256)
          const last = hashes.length < portion ? undefined : hashes.at(-1)
          return [[hashes], Option.fromUndefinedOr(last)] as const
        })
      )
    )
  })
)

/** Copies these bodies as far as the source still has them. `say` hears of every thousand that were looked at. */
export const copyBodies = Effect.fn("bodies.copyBodies")(function* <E, R>(
  hashes: Stream.Stream<ReadonlyArray<string>, E, R>,
  from: Blobs["Service"],
  to: Blobs["Service"],
  say: (done: number) => Effect.Effect<void> = () => Effect.void
) {
  const damaged: Array<string> = []
  let [copied, present, looked] = [0, 0, 0]
  const copyOne = Effect.fnUntraced(function* (sha256: string) {
    const body = yield* from.get(sha256)
    if (Option.isNone(body)) return
    if ((yield* faultOfBody(sha256, body.value)) !== undefined) return void damaged.push(sha256)
    yield* to.put(sha256, body.value)
    copied++
  })
  yield* Stream.runForEach(
    hashes,
    Effect.fnUntraced(function* (part: ReadonlyArray<string>) {
      const there = yield* to.stored(part)
      present += there.size
      yield* Effect.forEach(
        part.filter((sha256) => !there.has(sha256)),
        copyOne,
        { concurrency, discard: true }
      )
      const before = looked
      looked += part.length
      if (Math.floor(looked / portion) > Math.floor(before / portion)) yield* say(looked)
    })
  )
  return { copied, present, damaged } satisfies CopiedBodies
})
