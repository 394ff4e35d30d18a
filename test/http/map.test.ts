/** Maps of closed days: how many networks a country appears in, and the nodes of one; never a sum of different networks. */
import { brotliCompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import countries from "../../core/plugin/shapes/countries.json" with { type: "json" }
import { countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { boundsOf, isDrawn, shadeOf, worldMap } from "../../http/explorer/charts/worldMap.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const feed = {
  ...manifest,
  covers: { networks: ["NKN", "FLUX", "MYST"] },
  metrics: countryMetrics("Nodes")
}

type Reading = readonly [symbol: string, country: string, nodes: number, as_of: string]

const write = Effect.fnUntraced(function* (at: number, readings: ReadonlyArray<Reading>) {
  const rows = readings.map(([symbol, country, value, as_of]) =>
    Runs.row(value, as_of, { symbol, metric: `nodes_country_${country}`, source: "made-up" })
  )
  yield* (yield* Ingest).write(Runs.delivery(at, rows, "made-up"))
})

const stored = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  yield* write(Date.UTC(2026, 8, 4, 7), [
    ["NKN", "DE", 40, "2026-09-02T01:00:00Z"],
    ["NKN", "DE", 41, "2026-09-03T01:00:00Z"],
    ["NKN", "SG", 8, "2026-09-03T01:00:00Z"],
    ["NKN", "FR", 0, "2026-09-03T01:00:00Z"],
    ["NKN", "other", 3, "2026-09-03T01:00:00Z"],
    ["FLUX", "DE", 1000, "2026-09-03T01:00:00Z"],
    // The newest reading is the whole map: Japan is in an older one of the day.
    ["FLUX", "JP", 7, "2026-09-03T00:30:00Z"]
  ])
  yield* (yield* DailyClose).run
})

const page = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body, status }) => ({
    status,
    body: body.toString("utf8")
  }))

/** Countries of the table with their first figure. */
const rowsIn = (body: string): ReadonlyArray<string> =>
  [...body.matchAll(/<tr data-country="(\w\w)">.*?<td class="n">([^<]*)</gs)].map(
    ([, code, n]) => `${code} ${n}`
  )

layer(Service.layer({ manifests: [feed] }))("a map", (it) => {
  it("is small, has a place for every country that is one, and shades by quantiles", () => {
    const values = new Map(Object.keys(countries).map((code, n) => [code, n + 1]))
    const whole = worldMap({ id: "m", title: "All", summary: "All of them.", values })
    assert.isAtMost(brotliCompressSync(whole).length, 25_000)
    assert.notInclude(whole, "<text")
    for (const code of ["US", "CN", "SG", "HK", "MT", "CD", "XK", "EH", "CI", "KR"])
      assert.isTrue(isDrawn(code), code)
    assert.isFalse(isDrawn("ZZ"))
    const bounds = boundsOf(
      new Map([
        ["A", 1],
        ["B", 1],
        ["C", 2],
        ["D", 9],
        ["E", 100]
      ])
    )
    assert.deepStrictEqual(
      [1, 2, 9, 100].map((value) => shadeOf(value, bounds)),
      [1, 2, 4, 5]
    )
    assert.strictEqual(shadeOf(3, boundsOf(new Map([["A", 3]]))), 5)
  })

  it.effect("counts the networks in a country, and never adds their nodes", () =>
    Effect.gen(function* () {
      yield* stored
      const { body, status } = yield* page("/map")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(rowsIn(body), ["DE 2", "SG 1"])
      assert.include(body, "2 networks stated the countries of their nodes on 3 Sep 2026: 2 countries.")
      assert.notInclude(body, "1,041")
      assert.include(body, 'class="map"')
      assert.include(body, "/network/NKN/nodes_country_DE")
    })
  )

  it.effect("shows one network, of any closed day by its address, with the nodes of no country apart", () =>
    Effect.gen(function* () {
      yield* stored
      const { body } = yield* page("/map?network=NKN")
      assert.deepStrictEqual(rowsIn(body), ["DE 41", "SG 8"])
      assert.include(body, "3 without a country.")
      assert.deepStrictEqual(rowsIn((yield* page("/map?network=NKN&date=2026-09-02")).body), ["DE 40"])
      assert.deepStrictEqual(rowsIn((yield* page("/map?network=FLUX")).body), ["DE 1,000"])
    })
  )

  it.effect(
    "is refused of an open day, of no day, and of a network that states none, with those that do",
    () =>
      Effect.gen(function* () {
        yield* stored
        for (const query of ["date=2026-09-04", "date=2026-02-31", "date=yesterday"])
          assert.strictEqual((yield* page(`/map?${query}`)).status, 404, query)
        const { body, status } = yield* page("/map?network=MYST")
        assert.strictEqual(status, 404)
        assert.include(body, "FLUX, NKN")
      })
  )

  it.effect("has a frame and a picture", () =>
    Effect.gen(function* () {
      yield* stored
      const frame = yield* page("/embed/map?network=NKN&date=2026-09-03")
      assert.include(frame.body, 'class="map"')
      const picture = yield* ask("/map/picture.png")
      assert.strictEqual(picture.headers["content-type"], "image/png")
    })
  )

  it.effect("is drawn as it was known on a day, and outlines and lists what is different now", () =>
    Effect.gen(function* () {
      yield* stored
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 7))
      yield* write(Date.UTC(2026, 8, 5, 7), [
        ["NKN", "DE", 44, "2026-09-03T01:00:00Z"],
        ["NKN", "US", 5, "2026-09-03T01:00:00Z"]
      ])
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
      yield* (yield* DailyClose).run
      const query = "network=NKN&date=2026-09-03"
      const present = yield* page(`/map?${query}`)
      assert.deepStrictEqual(rowsIn(present.body), ["DE 44", "SG 8", "US 5"])
      assert.notInclude(present.body, "ghost-place")
      assert.match(present.body, /<input type="date" name="as_known_at" value=""[^>]*max="2026-09-04"/)
      const { body } = yield* page(`/map?${query}&as_known_at=2026-09-04`)
      assert.deepStrictEqual(rowsIn(body), ["DE 41", "SG 8"])
      assert.include(body, "As it was known at the end of 4 Sep 2026.")
      assert.include(body, "<li>Germany: 41, now 44</li><li>United States: not on the map, now 5</li>")
      assert.lengthOf(body.match(/class="ghost-place"/g) ?? [], 2)
      // Of all networks the number of networks counts, which is the same in Germany.
      const all = yield* page("/map?date=2026-09-03&as_known_at=2026-09-04")
      assert.include(all.body, "<li>United States: not on the map, now 1</li>")
      assert.notInclude(all.body, "<li>Germany")
      const frame = yield* page(`/embed/map?${query}&as_known_at=2026-09-04`)
      assert.include(
        frame.body,
        "As it was known at the end of 4 Sep 2026. 2 countries have another value now"
      )
      assert.include(frame.body, "ghost-place")
      const [then, now] = yield* Effect.forEach(
        [`/map/picture.png?${query}&as_known_at=2026-09-04`, `/map/picture.png?${query}`],
        (path) => ask(path)
      )
      assert.notDeepEqual(then?.body, now?.body)
    })
  )

  it.effect("is none of a day that was not closed at that time", () =>
    Effect.gen(function* () {
      const { body, status } = yield* page("/map?date=2026-09-03&as_known_at=2026-09-03")
      assert.strictEqual(status, 404)
      assert.include(body, "was not closed at the end of 3 Sep 2026")
    })
  )
})
