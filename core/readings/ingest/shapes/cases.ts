/**
 * Answers that are kept as cases of their feeds: one of each feed, and another when the shape of its answers has changed. A few a feed:
 * the first, and the newest.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../../clock/DataClock.ts"
import { day } from "../../../plugin/time.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { collectedWell } from "../collected.ts"

/** Cases of one feed. */
export const mostCases = 5

/** A feed is looked at once a day at most: a contract grows member by member. */
const notBefore = day

const dueRows = rowsOf({ plugin: Schema.String, run: Schema.String })
const caseRows = rowsOf({
  plugin: Schema.String,
  run: Schema.String,
  looked_at: Schema.Date,
  tape: Schema.Uint8Array
})
const shapeRows = rowsOf({ run: Schema.String, shape: Schema.String })

/** Feeds whose answers took another shape since they were looked at, each with its newest good run; those that never were come first. */
export const dueCases = Effect.fn("cases.dueCases")(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  const before = new Date((yield* DataClock.now) - notBefore)
  return yield* sql`
    select moved.plugin, r.id as run
    from (select plugin, max(greatest(changed_at, broken_at)) as at from answer_shape group by plugin) moved
      cross join lateral (
        select id from run
        where plugin = moved.plugin and ${sql.literal(collectedWell("run"))} and not simulated and n_rows > 0
        order by id desc limit 1
      ) r
      left join lateral (
        select max(c.looked_at) as at from answer_case c where c.plugin = moved.plugin
      ) looked on true
    where looked.at is null or (moved.at > looked.at and looked.at < ${before})
    order by looked.at nulls first, moved.plugin limit ${limit}`.pipe(dueRows)
})

/** What a run is kept with: its answers, compressed, and a name of their shape. */
export interface AnswerCase {
  readonly shape: string
  readonly tape: Uint8Array
}

/**
 * Notes that a run was looked at, and keeps its answers if their shape is none that the feed has a case of. Without `answers` there was
 * nothing to keep. Returns whether it was kept.
 */
export const keepCase = Effect.fn("cases.keepCase")(function* (
  { plugin, run }: { readonly plugin: string; readonly run: string },
  answers: AnswerCase | undefined
) {
  const sql = yield* SqlClient.SqlClient
  const looked_at = new Date(yield* DataClock.now)
  return yield* Effect.gen(function* () {
    const cases = yield* sql`
      select run, shape from answer_case where plugin = ${plugin} and tape is not null order by run limit 100`.pipe(
      shapeRows
    )
    const isNew = answers !== undefined && cases.every(({ shape }) => shape !== answers.shape)
    yield* sql`delete from answer_case where plugin = ${plugin} and tape is null`
    yield* sql`
      insert into answer_case (plugin, run, looked_at, shape, tape)
      values (${plugin}, ${run}, ${looked_at}, ${answers?.shape ?? ""}, ${isNew ? answers.tape : null}::bytea)
      on conflict (plugin, run) do update set looked_at = excluded.looked_at`
    const [, ...later] = cases
    const over = later.slice(0, Math.max(0, cases.length + (isNew ? 1 : 0) - mostCases))
    for (const { run } of over) yield* sql`delete from answer_case where plugin = ${plugin} and run = ${run}`
    return isNew
  }).pipe(sql.withTransaction)
})

/** All kept cases, by feed and age. */
export const allCases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select plugin, run, looked_at, tape from answer_case where tape is not null order by plugin, run limit 10000`.pipe(
    caseRows
  )
})
