/** What a database knows of upstreams, for a command outside the service: it changes nothing, and creates no database. */
import { existsSync } from "node:fs"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { AddressContract, allContracts } from "../../core/readings/ingest/shapes/contracts.ts"
import { type RangesBySeries, seriesKey } from "../contributor/probe/probe.ts"
import * as Database from "../database/Database.ts"
import { forward } from "../database/ownership.ts"
import { embeddedIn } from "../settings/dataDir.ts"
import { Settings } from "../settings/Settings.ts"
import { Ranges, ranges } from "./ranges.ts"

const decodeRanges = Schema.decodeUnknownEffect(Schema.fromJsonString(Ranges))
const decodeContracts = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(AddressContract)))

const rangesBySeries = (rows: Ranges): RangesBySeries =>
  new Map(rows.map(({ high, low, ...series }) => [seriesKey(series), { low, high }]))

/**
 * The ranges of the last values, and what answers held, from the database of the settings, through the service if one owns it;
 * undefined if there is none. A database that cannot be read is an error: the command would compare nothing and look as if all were
 * well. A service of an earlier version knows no shapes.
 */
export const lastKnown = Effect.gen(function* () {
  const settings = yield* Settings
  if (Option.isNone(settings.databaseUrl)) {
    if (!existsSync(embeddedIn(settings.dataDir))) return undefined
    const values = yield* printed(settings.dataDir, "--values")
    if (values !== undefined) {
      const shapes = yield* printed(settings.dataDir, "--shapes")
      return {
        ranges: rangesBySeries(yield* decodeRanges(values.text)),
        contracts: shapes?.exit === 0 ? yield* decodeContracts(shapes.text) : []
      }
    }
  }
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // The database is read as it is, be it that of an earlier version.
    const tables = yield* sql`select 1 where to_regclass('answer_shape') is not null`
    return {
      ranges: rangesBySeries(yield* ranges),
      contracts: tables.length === 0 ? [] : yield* allContracts
    }
  }).pipe(Effect.provide(Database.engine(settings)))
}).pipe(Effect.provide(Settings.layer))

/** What the service that owns the folder prints; undefined where none does. */
export const printed = Effect.fnUntraced(function* (dataDir: string, flag: string) {
  const output: Array<string> = []
  const exit = yield* forward(dataDir, ["status", flag], (text) => output.push(text))
  return exit === undefined ? undefined : { exit, text: output.join("") }
})
