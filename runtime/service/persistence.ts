/** What is stored: the database, and the keys, secret and clock that it knows. */
import { Duration, Effect, Layer, Option } from "effect"
import * as DatabaseClock from "../../core/clock/DatabaseClock.ts"
import { Witnesses } from "../../core/readings/TrustedClock.ts"
import * as Database from "../database/Database.ts"
import * as Postgres from "../database/Postgres.ts"
import { Settings } from "../settings/Settings.ts"
import { identity } from "./operating.ts"

/** The database that the settings name, and its clock where it is a server. */
export const database = (mode: Database.Mode) =>
  Layer.unwrap(
    Effect.map(Settings, (settings) =>
      Layer.provideMerge(
        Option.isNone(settings.databaseUrl) ? Layer.empty : DatabaseClock.layer,
        Database.layer(settings, mode, Postgres.usual)
      )
    )
  )

/** A process that starts waits to hear the time from its upstreams, which answer within minutes. */
const hearingTheTime = Layer.effect(
  Witnesses,
  Effect.map(Witnesses, (witnesses) => ({ ...witnesses, patience: Duration.toMillis("10 minutes") }))
)

/** The database with the identity that it was claimed for. */
export const persistence = (mode: Database.Mode) =>
  identity(mode).pipe(
    Layer.provideMerge(mode === "replay" ? Layer.empty : hearingTheTime),
    Layer.provideMerge(database(mode))
  )
