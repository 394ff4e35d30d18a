/** A process whose machine has a wrong clock, beside Postgres with the right one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { rowsOf } from "../../core/sql/rows.ts"
import { cloneUrl } from "../support/database.ts"
import { fleet, readyz } from "../support/fleet.ts"
import { sqlOf, storedValues, untilOwned } from "../support/owners.ts"
import { until } from "../support/until.ts"

/** Times of what is to come: until when something holds, or is to be done. */
const ofFuture = /_until$|^series_standing\.until$|\.expires_at$|\.not_before$|\.not_after$|\.next_/

const columnRows = rowsOf({ table: Schema.String, column: Schema.String })
const aheadRows = rowsOf({ ahead: Schema.NullOr(Schema.Finite) })

const ahead = 300_000
const wrong = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const right = Date.now; Date.now = () => right() + ${ahead}; const Real = Date;
   globalThis.Date = class extends Real { constructor(...of) { super(...(of.length === 0 ? [Real.now()] : of)) } }`
  )}`
}

describe("a process whose clock is five minutes ahead", () => {
  it.live(
    "is not ready and says why; what it writes, and what others sign of it, has the time of Postgres",
    () =>
      Effect.gen(function* () {
        const ships = yield* fleet(yield* cloneUrl, { plugins: 2, every: "2 seconds" })
        const sql = yield* sqlOf(ships)
        const off = yield* ships.join("off", wrong)
        yield* untilOwned(sql, 2, [off])
        const right = yield* ships.join("right", { ROLES: "http" })
        const { reasons, status } = yield* readyz(off)
        assert.strictEqual(status, 503)
        assert.deepStrictEqual(
          reasons.map(({ code }) => code),
          ["clock_differs"]
        )
        assert.match(
          reasons[0]?.message ?? "",
          /^The clock of this machine is (299|300)\.\d s ahead of that of its database/
        )
        assert.strictEqual((yield* readyz(right)).status, 200)

        yield* Effect.repeat(Effect.delay(storedValues(sql, "made-up-0"), "250 millis"), {
          until: (values) => values.length > 2
        })
        const columns = yield* sql`
          select table_name as table, column_name as column from information_schema.columns
          join information_schema.tables using (table_schema, table_name)
          where table_schema = 'public' and table_type = 'BASE TABLE'
            and data_type like 'timestamp%'`.pipe(columnRows)
        const checkedTables: Array<string> = []
        for (const { column, table } of columns) {
          if (ofFuture.test(`${table}.${column}`)) continue
          const [row] = yield* sql`
            select (extract(epoch from max(${sql(column)}) - clock_timestamp()))::float8 as ahead
            from ${sql(table)}`.pipe(aheadRows)
          if (row?.ahead == null) continue
          checkedTables.push(table)
          assert.isBelow(row.ahead, 1, `${table}.${column}`)
        }
        for (const table of ["run", "latest", "version", "uptime", "feed_state", "signing_key"])
          assert.include(checkedTables, table)

        const uptime = yield* Effect.promise(async () =>
          (await fetch(`${right.base}/v1/uptime`)).json()
        ) as Effect.Effect<{
          readonly generated_utc: string
          readonly measured_until: string | null
          readonly answering: { readonly n_gaps: number }
        }>
        assert.isAtMost(Date.parse(uptime.measured_until ?? ""), Date.parse(uptime.generated_utc))
        assert.strictEqual(uptime.answering.n_gaps, 0)
        const health = yield* Effect.promise(async () => (await fetch(`${off.base}/health`)).headers)
        const created = Number(/;created=(\d+)/.exec(health.get("signature-input") ?? "")?.[1])
        assert.isBelow(created, Date.now() / 1000 + 2)
        yield* until(() => off.output().includes("The clock of this machine is"))
      }).pipe(Effect.scoped),
    180_000
  )
})
