/** Why Postgres cannot be used at start, and what to do about it, in one line. */
import { Effect, Layer, Redacted, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../../core/sql/rows.ts"
import * as Postgres from "./Postgres.ts"
import { versionFault } from "./serverVersion.ts"

export class DatabaseUnusable extends Schema.TaggedError<DatabaseUnusable>()("DatabaseUnusable", {
  message: Schema.String
}) {}

const versionRows = rowsOf({ number: Schema.String })

/** `SqlClient` on the server at this address, after checking its version. */
export const checked = (url: Redacted.Redacted, options?: Postgres.Options) =>
  Layer.effectDiscard(checkVersion(url)).pipe(
    Layer.provideMerge(
      Layer.catch(Postgres.layer(url, options), (error) =>
        Layer.effectContext(Effect.fail(unusable(url, error)))
      )
    )
  )

const checkVersion = Effect.fn("Database.checkVersion")(function* (url: Redacted.Redacted) {
  const sql = yield* SqlClient.SqlClient
  const [server] = yield* sql`select current_setting('server_version_num') as number`.pipe(
    versionRows,
    Effect.mapError((error) => unusable(url, error))
  )
  const fault = versionFault(Number(server?.number))
  if (fault !== undefined) return yield* new DatabaseUnusable({ message: `DATABASE_URL: ${fault}` })
})

/** Why the server cannot be used. The message omits the password. */
export const unusable = (url: Redacted.Redacted, error: SqlError): DatabaseUnusable => {
  const at = URL.parse(Redacted.value(url))
  if (at === null || !/^postgres(ql)?:$/.test(at.protocol)) {
    return new DatabaseUnusable({
      message: "DATABASE_URL is not a Postgres URL (expected postgres://user:password@host:5432/database)"
    })
  }
  const host = at.searchParams.get("host") ?? (at.hostname || "localhost")
  const server = `${host}:${at.port || "5432"}`
  const user = at.username
  const database = at.pathname.slice(1) || user
  const cause = causeOf(error)
  const advice = adviceOn(cause.code, { server, user, database })
  return new DatabaseUnusable({ message: `DATABASE_URL: ${advice ?? `${server}: ${cause.message}`}` })
}

interface Place {
  readonly server: string
  readonly user: string
  readonly database: string
}

/** Keyed by the code of the system call, or by SQLSTATE. */
const adviceOn = (code: string, { database, server, user }: Place): string | undefined => {
  switch (code) {
    case "ECONNREFUSED":
      return `no server listens at ${server}; start Postgres, or correct the host and port`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `cannot resolve the host of ${server}; correct the host, or check the name server`
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `cannot reach ${server}; check the address and the firewall`
    case "28P01":
    case "28000":
      return `${server} refused user "${user}" (wrong password, or not allowed by pg_hba.conf); correct the user and the password`
    case "3D000":
      return `${server} has no database "${database}"; create it with: createdb -h ${server.replace(/:(\d+)$/, " -p $1")} -O ${user} ${database}`
    case "42501":
      return `user "${user}" may not create tables in database "${database}"; run in that database: grant create on schema public to "${user}"`
    default:
      return undefined
  }
}

/** The innermost cause with a code: what the system or the server said. */
const causeOf = (error: Error): { readonly code: string; readonly message: string } => {
  let cause = { code: "", message: error.message }
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.message !== "") cause = { ...cause, message: at.message.replace(/\s+/g, " ") }
    if ("code" in at && typeof at.code === "string") cause = { ...cause, code: at.code }
  }
  return cause
}
