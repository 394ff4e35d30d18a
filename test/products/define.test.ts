/** A product over measured values: what its computation may end in, and what a sale sees of it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { sold } from "../../core/products/build.ts"
import { pglite } from "../support/database.ts"
import { servicesOn } from "../support/views.ts"

const order = { id: "pur_1", inputs: {} }

layer(servicesOn(pglite))("a product", (it) => {
  it.effect("whose statement fails hands the failure on, so that the service says what it means", () =>
    Effect.gen(function* () {
      const { build } = yield* sold(
        { key: "depin_networks" },
        () => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select nothing`),
        { holds: () => true }
      )
      assert.isTrue(isSqlError(yield* Effect.flip(build(order))))
    })
  )

  it.effect("without anything measured is not sold", () =>
    Effect.gen(function* () {
      const { build } = yield* sold({ key: "depin_networks" }, () => Effect.succeed([]), {
        holds: (rows) => rows.length > 0
      })
      const refused = yield* Effect.flip(build(order))
      assert.strictEqual(refused._tag, "ProductUnavailable")
    })
  )
})
