/** Compares what a run gave that looked again, and stores what came of it. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import type { Comparison } from "../../wire/data/recheck.ts"
import { ints, texts } from "../ingest/arrays.ts"
import { Ingest } from "../ingest/Ingest.ts"
import type { Delivery } from "../ingest/Run.ts"
import type { RunNotes } from "../ingest/runs/notes.ts"
import { Current, type CurrentRow } from "../read/Current.ts"
import { type Again, comparedWith } from "./compared.ts"
import type { Place } from "./places.ts"
import type { RecheckTask } from "./Rechecks.ts"

/** What became of a run: it was made, or it could not be. */
export type Looked =
  | {
      readonly delivery: Delivery
      readonly places: ReadonlyMap<number, Place>
      /** What its notary states of it. */
      readonly notes?: RunNotes
    }
  | { readonly unreachable: string }

/** Stores the run with what its notary states, and each served series of its plugin and target beside what it gave. */
export const keepRecheck = Effect.fn("Rechecks.keepRecheck")(function* (
  task: RecheckTask,
  looked: Looked,
  keepNotes: (notes: RunNotes) => Effect.Effect<void>
) {
  const sql = yield* SqlClient.SqlClient
  const again = yield* againOf(looked)
  // Before the answer is done: it names the notary.
  if ("delivery" in looked && looked.notes !== undefined) yield* keepNotes(looked.notes)
  const served = yield* servedOf(task)
  const compared = served.map((row) => [row.series, comparedWith(row, again)] as const)
  const textOf = (of: (comparison: Comparison) => string) => texts(compared.map(([, one]) => of(one)))
  yield* Effect.andThen(
    sql`
      insert into recheck_series (recheck, series, verdict, comparison)
      select ${task.id}::integer, series, verdict, comparison::jsonb
      from unnest(${ints(compared.map(([series]) => series))}, ${textOf(({ verdict }) => verdict)},
        ${textOf((one) => JSON.stringify(one))}) as t(series, verdict, comparison)
      on conflict do nothing`,
    sql`
      update recheck set done_at = ${new Date(yield* DataClock.now)},
        run = ${"delivery" in looked ? looked.delivery.run.id : null},
        reason = ${"unreachable" in again ? again.unreachable : null}
      where id = ${task.id}`
  ).pipe(sql.withTransaction)
})

const againOf = Effect.fnUntraced(function* (looked: Looked) {
  if ("unreachable" in looked) return looked
  const { delivery, places } = looked
  const rows = yield* (yield* Ingest).keepRecheck(delivery)
  const { error, refused } = delivery.run
  if (error !== undefined) return { unreachable: `${error.tag}: ${error.message}` }
  const again: Again = { rows, refused, places }
  return again
})

const servedOf = Effect.fnUntraced(function* ({ plugin, target }: RecheckTask) {
  const { bySymbol, rows } = yield* (yield* Current).snapshot
  const some: ReadonlyArray<CurrentRow> = target === null ? rows : (bySymbol.get(target) ?? [])
  return some.filter((row) => row.plugin === plugin)
})
