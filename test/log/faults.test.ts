/** Values that one run holds back for one cause are one incident, which lists its series and is over by itself. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { endOver } from "../../core/log/settled.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { faultsOf, withheld } from "../../core/readings/read/held.ts"
import type { IncidentsResponse } from "../../core/wire/log/incidents.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const start = Date.UTC(2026, 8, 5, 9)
const hour = 3_600_000

onBothEngines("a fault of several series", (database) => {
  layer(Service.layer({ database, manifests: [Runs.manifest] }))((it) => {
    const read = Effect.fnUntraced(function* (time: number, fil: number, storj: number) {
      yield* TestClock.setTime(time)
      const as_of = isoTime(time)
      const rows = [Runs.row(fil, as_of), Runs.row(storj, as_of, { symbol: "STORJ" })]
      yield* (yield* Ingest).write(Runs.delivery(time, rows))
    })
    const listed = Effect.fnUntraced(function* (query = "") {
      const { body } = yield* (yield* Service).call(`/v1/incidents${query}`)
      return (JSON.parse(body.toString("utf8")) as IncidentsResponse).incidents
    })

    it.effect(
      "is one incident that lists them, is found by each of them, and is over when all of them are",
      () =>
        Effect.gen(function* () {
          yield* read(start, 900, 30_000)
          yield* read(start + hour, 900_000, 30_000_000)
          const [fault, ...others] = yield* listed()
          assert.deepStrictEqual(others, [])
          assert.deepStrictEqual(
            fault?.series?.map(({ symbol }) => symbol),
            ["FIL", "STORJ"]
          )
          const [first, second] = fault?.series ?? []
          assert.deepStrictEqual([fault?.id, fault?.symbol], [first?.incident, "FIL"])
          const [ofStorj] = yield* listed("?symbol=STORJ&open=true")
          assert.deepStrictEqual([ofStorj?.id, ofStorj?.symbol], [second?.incident, "STORJ"])
          assert.strictEqual(faultsOf(yield* withheld(100)).length, 1)
          const page = (yield* (yield* Service).call("/status")).body.toString("utf8")
          assert.match(page, /Open incidents<\/dt><dd>1</)

          for (let run = 2; run < 5; run++) yield* read(start + run * hour, 901 + run, 30_010 + run)
          yield* endOver
          assert.deepStrictEqual(yield* listed("?open=true"), [])
          const [over] = yield* listed()
          assert.isDefined(over?.over_at)
          assert.isUndefined(over?.closed_at)
          assert.deepStrictEqual(yield* withheld(100), [])

          yield* (yield* Incidents).close(first?.incident ?? 0, "it was right")
          const [half] = yield* listed()
          assert.isUndefined(half?.closed_at)
          assert.isDefined(half?.series?.[0]?.closed_at)
          yield* (yield* Incidents).close(second?.incident ?? 0, "it was right")
          assert.isDefined((yield* listed())[0]?.closed_at)
        })
    )

    it.effect("is another one in the next run, and by itself where it has one series", () =>
      Effect.gen(function* () {
        const later = start + 24 * hour
        yield* read(later, 905, 30_020)
        yield* read(later + hour, 905_000, 30_021)
        yield* read(later + 2 * hour, 906, 30_022_000)
        const [storj, fil] = yield* listed("?open=true")
        assert.deepStrictEqual([storj?.symbol, fil?.symbol], ["STORJ", "FIL"])
        assert.isUndefined(storj?.series)
        const { body } = yield* (yield* Service).call("/v1/incidents?limit=1")
        const page = JSON.parse(body.toString("utf8")) as IncidentsResponse
        assert.strictEqual(page.incidents[0]?.id, storj?.id)
        assert.strictEqual(page.next_cursor, String(storj?.id))
        assert.strictEqual((yield* listed(`?limit=1&cursor=${page.next_cursor}`))[0]?.id, fil?.id)
      })
    )
  })
})
