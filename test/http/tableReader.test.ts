/** Tables of purchased payloads: a long one is read in a thread, some rows at a time, and is the same table. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Worked } from "../../core/process/threads/Worked.ts"
import { tablesOf } from "../../core/products/tables.ts"
import { csv } from "../../core/readings/csv.ts"
import { TableReader } from "../../http/explorer/TableReader.ts"

/** So many series of two days, with a text that a spreadsheet would run. */
const payloadOf = (n: number) => {
  const series = Array.from({ length: n }, (_, place) => ({
    symbol: `S${place}`,
    metric: "=price\n_usd",
    verify_url: "https://upstream.test/a,b",
    dates: ["2026-09-01", "2026-09-02"],
    values: [place, place / 3]
  }))
  const bytes = new TextEncoder().encode(JSON.stringify({ series, methodology: { rules: ["a"] } }))
  return { bytes, id: createHash("sha256").update(bytes).digest("hex") }
}

const readAll = Effect.fnUntraced(function* (payload: ReturnType<typeof payloadOf>, table?: string) {
  const read = (yield* TableReader).of(payload)
  const texts: Array<string> = []
  let chunk = yield* read({ table, from: 0 })
  texts.push(chunk.text)
  while (chunk.next !== undefined) {
    chunk = yield* read({ table, from: chunk.next })
    texts.push(chunk.text)
  }
  return { texts, table: chunk.table, names: chunk.names }
})

layer(TableReader.layer)("the tables of a payload", (it) => {
  it.effect("are the same from a thread, in chunks, as at once", () =>
    Effect.gen(function* () {
      for (const [n, inThread] of [
        [3, false],
        [9000, true]
      ] as const) {
        const payload = payloadOf(n)
        const worked = { millis: 0 }
        const { names, table, texts } = yield* Effect.provideService(readAll(payload), Worked, worked)
        const [whole] = tablesOf(JSON.parse(new TextDecoder().decode(payload.bytes)))
        const expected = yield* Stream.mkString(
          csv(whole?.columns ?? [])(Stream.fromIterable(whole?.rows ?? []))
        )
        assert.strictEqual(texts.join(""), expected)
        assert.deepStrictEqual([table, names], ["series", ["series"]])
        assert.strictEqual(texts.length > 1, inThread)
        // The time of the thread is charged to the caller.
        assert.strictEqual(worked.millis > 0, inThread)
      }
    })
  )

  it.effect("that are not there are named by those that are, and two readers do not mix", () =>
    Effect.gen(function* () {
      const [one, two] = [payloadOf(9000), payloadOf(9001)]
      const { names, table, texts } = yield* readAll(one, "nothing")
      assert.deepStrictEqual([table, names, texts.join("").trim()], [undefined, ["series"], ""])
      const [first, second] = yield* Effect.all([readAll(one), readAll(two)], { concurrency: 2 })
      assert.strictEqual(first.texts.join("").split("S8999,").length, 3)
      assert.strictEqual(second.texts.join("").split("S9000,").length, 3)
    })
  )
})
