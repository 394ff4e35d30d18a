/** Which process collects what, and what is stored of it, as the database knows it. */
import { Context, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Postgres from "../../runtime/database/Postgres.ts"
import type { Fleet, Member } from "./fleet.ts"

/** The database of a fleet. */
export const sqlOf = ({ databaseUrl }: Fleet) =>
  Effect.map(Layer.build(Postgres.layer(Redacted.make(databaseUrl))), (context) =>
    Context.get(context, SqlClient.SqlClient)
  )

export interface Owner {
  readonly plugin: string
  readonly epoch: number
  readonly pid: number
}

export const ownersOf = (sql: SqlClient.SqlClient) =>
  sql<Owner>`select plugin, epoch, substring(runner from 'pid ([0-9]+)')::int as pid from feed_owner order by plugin`

/** Waits until every feed belongs to one of these processes. */
export const untilOwned = (sql: SqlClient.SqlClient, plugins: number, members: ReadonlyArray<Member>) =>
  Effect.repeat(Effect.delay(ownersOf(sql), "100 millis"), {
    until: (owners) =>
      owners.length === plugins && owners.every(({ pid }) => members.some(({ child }) => child.pid === pid))
  })

/** The values that are stored of a plugin: the nth answer of the stand-in says n. */
export const storedValues = (sql: SqlClient.SqlClient, plugin: string) =>
  Effect.map(
    sql<{ value: number }>`
      select value from observation o join series s on s.id = o.series where s.plugin = ${plugin} order by value`,
    (rows) => rows.map(({ value }) => value)
  )
