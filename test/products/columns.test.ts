/** Daily columns out of sealed rows, kept until a batch closes, and of open ones: always those of the table as it is. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { columns } from "../../core/products/shared/columns.ts"
import { sealRows, services, storeReadings, storeSeries } from "../support/views.ts"

const day = 86_400_000
const first = Date.UTC(2026, 7, 10)
const dateOf = (n: number) => new Date(first + n * day).toISOString().slice(0, 10)

interface DayOptions {
  readonly version?: number
  readonly n?: number
  /** The batch that seals this row, and every other open one. */
  readonly sealed?: number
  readonly incident?: number
}

layer(services)("daily columns", (it) => {
  const put = Effect.fnUntraced(function* (series: number, n: number, value: number, more: DayOptions = {}) {
    const sql = yield* SqlClient.SqlClient
    const at = new Date(first + n * day + 3_600_000)
    yield* sql`insert into daily ${sql.insert({
      series,
      day: dateOf(n),
      incident: more.incident ?? 0,
      version: more.version ?? 1,
      as_of: at,
      value,
      n_observations: more.n ?? 1,
      verify_url: `https://stats.example.net/${n}/${more.version ?? 1}`,
      recorded_at: at,
      simulated: false
    })}`
    yield* storeReadings
    if (more.sealed !== undefined) yield* sealRows(more.sealed)
  })
  const batch = Effect.fnUntraced(function* (n: number) {
    const sql = yield* SqlClient.SqlClient
    const at = new Date(first + (n + 1) * day)
    const [inserted] = yield* sql<{ id: number }>`
      insert into batch (day, cut_off, claimed_by, claimed_until) values (${dateOf(n)}::date, ${at}, 'test', ${at})
      returning id`
    return inserted?.id ?? 0
  })
  const close = (id: number) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update batch set closed_at = cut_off where id = ${id}`)
  const seal = (id: number, n: number) => sealRows(id, dateOf(n))
  const summary = Effect.gen(function* () {
    const series = yield* columns({ metrics: ["nodes_online"], from: first, to: first + 9 * day })
    return series.map(({ as_of, dates, symbol, values, verify_url }) => ({
      symbol,
      points: Object.fromEntries(dates.map((date, n) => [date.slice(-2), values[n]])),
      newest: `${as_of.slice(8, 10)} ${verify_url.slice(26)}`
    }))
  })

  it.effect("are those of every row, whatever is sealed meanwhile", () =>
    Effect.gen(function* () {
      const [akt, fil] = [
        yield* storeSeries({ symbol: "AKT", metric: "nodes_online" }),
        yield* storeSeries({ symbol: "FIL", metric: "nodes_online" })
      ]
      yield* put(akt, 0, 5)
      yield* put(akt, 1, 6)
      assert.deepStrictEqual(yield* summary, [{ symbol: "AKT", points: { 10: 5, 11: 6 }, newest: "11 1/1" }])

      // Half way through a close one row is sealed and the other is not.
      const one = yield* batch(1)
      yield* seal(one, 0)
      assert.deepStrictEqual((yield* summary)[0]?.points, { 10: 5, 11: 6 })
      yield* seal(one, 1)
      assert.deepStrictEqual((yield* summary)[0]?.points, { 10: 5, 11: 6 })
      yield* close(one)
      assert.deepStrictEqual((yield* summary)[0]?.points, { 10: 5, 11: 6 })

      // Kept now: what comes after is a new day, another network, and a day that is told anew.
      yield* put(akt, 2, 7)
      yield* put(fil, 1, 100)
      yield* put(akt, 0, 50, { version: 2 })
      const after = [
        { symbol: "AKT", points: { 10: 50, 11: 6, 12: 7 }, newest: "12 2/1" },
        { symbol: "FIL", points: { 11: 100 }, newest: "11 1/1" }
      ]
      assert.deepStrictEqual(yield* summary, after)
      const two = yield* batch(2)
      yield* seal(two, 2)
      assert.deepStrictEqual(yield* summary, after)
      yield* close(two)
      assert.deepStrictEqual(yield* summary, after)
      assert.deepStrictEqual(yield* summary, after)
    })
  )

  it.effect("leave out a day that is taken back, and what an incident excludes", () =>
    Effect.gen(function* () {
      const hnt = yield* storeSeries({ symbol: "HNT", metric: "nodes_online" })
      const three = yield* batch(3)
      yield* put(hnt, 1, 8, { sealed: three })
      yield* put(hnt, 2, 9, { sealed: three })
      yield* close(three)
      const points = Effect.map(summary, (all) => all.find(({ symbol }) => symbol === "HNT"))
      assert.deepStrictEqual((yield* points)?.points, { 11: 8, 12: 9 })
      yield* put(hnt, 2, 9, { version: 2, n: 0 })
      yield* put(hnt, 2, 9, { incident: 7 })
      assert.deepStrictEqual(yield* points, { symbol: "HNT", points: { 11: 8 }, newest: "11 1/1" })
      const four = yield* batch(4)
      yield* seal(four, 4)
      yield* close(four)
      assert.deepStrictEqual((yield* points)?.points, { 11: 8 })
    })
  )
})
