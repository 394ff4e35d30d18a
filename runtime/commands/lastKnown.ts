/** The last known values for a command outside the service: it changes nothing, and creates no database. */
import { existsSync } from "node:fs"
import { Effect, Option, Schema } from "effect"
import { type RangesBySeries, seriesKey } from "../contributor/probe/probe.ts"
import * as Database from "../database/Database.ts"
import { forward } from "../database/ownership.ts"
import { embeddedIn } from "../settings/dataDir.ts"
import { Settings } from "../settings/Settings.ts"
import { Ranges, ranges } from "./ranges.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Ranges))

const rangesBySeries = (rows: Ranges): RangesBySeries =>
  new Map(rows.map(({ high, low, ...series }) => [seriesKey(series), { low, high }]))

/**
 * From the database of the settings, through the service if one owns it; undefined if there is none. A database that
 * cannot be read is an error: the command would compare nothing and look as if all were well.
 */
export const lastKnown = Effect.gen(function* () {
  const settings = yield* Settings
  if (Option.isNone(settings.databaseUrl)) {
    if (!existsSync(embeddedIn(settings.dataDir))) return undefined
    const output: Array<string> = []
    const exit = yield* forward(settings.dataDir, ["status", "--values"], (text) => output.push(text))
    if (exit !== undefined) return rangesBySeries(yield* decode(output.join("")))
  }
  return rangesBySeries(yield* Effect.provide(ranges, Database.engine(settings)))
}).pipe(Effect.provide(Settings.layer))
