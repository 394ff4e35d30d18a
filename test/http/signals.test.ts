/** The signal ledger, read over HTTP. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Accounts } from "../../core/credits/Accounts.ts"
import { allHold } from "../../core/proof/check.ts"
import { signalPages, verifySignals } from "../../core/proof/verifySignals.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { register } from "../support/credits.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

layer(Service.layer())((it) => {
  it.effect("the signal ledger is read in pages that check out", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* Accounts
      const { id, key } = yield* register("192.0.2.21")
      yield* accounts.setTier(id, "design_partner")
      const headers = { "x-api-key": Redacted.value(key) }
      const empty = json(yield* ask({ path: "/v1/signals", headers }))
      assert.deepInclude(empty, { head: null, signals: [] })
      for (const symbol of ["FIL", "GEOD", "FIL"]) {
        yield* sql`insert into incident ${sql.insert({
          kind: "automatic",
          symbol,
          metric: "active_storage_providers",
          from_as_of: new Date(0),
          to_as_of: new Date(0),
          reason: "a fall",
          opened_at: new Date(0)
        })}`
      }
      assert.strictEqual(yield* (yield* Signals).run, 3)
      const page = yield* ask({ path: "/v1/signals?limit=2", headers })
      assert.strictEqual(page.status, 200)
      const first = json(page) as { signals: ReadonlyArray<{ n: number }>; next_cursor: string }
      assert.deepStrictEqual(
        first.signals.map(({ n }) => n),
        [3, 2]
      )
      const second = json(yield* ask({ path: `/v1/signals?limit=2&cursor=${first.next_cursor}`, headers }))
      for (const response of [first, second]) assert.isTrue(allHold(verifySignals(signalPages(response))))
      // As it is sent, a row without its hash is the text that was hashed.
      const rows = page.body.toString("utf8").match(/\{"after_[^{}]*\}/g) ?? []
      assert.strictEqual(rows.length, 2)
      for (const row of rows) {
        const [, hash = ""] = /"hash":"([0-9a-f]{64})",/.exec(row) ?? []
        assert.strictEqual(
          createHash("sha256")
            .update(row.replace(`"hash":"${hash}",`, ""))
            .digest("hex"),
          hash
        )
      }
      for (const query of ["limit=0", "limit=501", "cursor=x", "kind=anchor"]) {
        assert.strictEqual((yield* ask({ path: `/v1/signals?${query}`, headers })).status, 400, query)
      }
    })
  )
})
