/** What a start of this version would do to a database: found out before anything is changed. */
import { Effect } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { storedFormat } from "../../core/log/format.ts"
import { hasTable } from "../../core/sql/hasTable.ts"
import { type Unreadable, unreadable } from "./formats.ts"
import { codeLevels, levelsOf, tablesTooNew } from "./migrate.ts"

/** The tables of a room, by the number of the last migration: what the database has, and what this code knows. */
export interface Step {
  readonly room: string
  readonly from: number
  readonly to: number
}

export type Upgrade =
  | { readonly state: "empty" }
  /** A start would change nothing, and end. */
  | { readonly state: "refused"; readonly why: Unreadable }
  /**
   * `steps` that go down are of a newer version, whose additions this one can do without. `log` is the format of the first leaf,
   * entry and checkpoint; undefined if there is none.
   */
  | { readonly state: "opens"; readonly steps: ReadonlyArray<Step>; readonly log: number | undefined }

/** Changes nothing. */
export const upgradeOf: Effect.Effect<Upgrade, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  if (!(yield* hasTable("fact"))) return { state: "empty" } as const
  const why = (yield* tablesTooNew) ?? (yield* unreadable)
  if (why !== undefined) return { state: "refused", why } as const
  const steps = Object.entries(yield* levelsOf).flatMap(([room, from]) => {
    const to = codeLevels[room] ?? 0
    return from === to ? [] : [{ room, from, to }]
  })
  return { state: "opens", steps, log: yield* storedFormat } as const
})
