/** The address of a row: a POST says what was posted, and a candle is found again when newer ones have come. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import { itemAt } from "../../core/plugin/shapes/substrate.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import daily from "../../plugins/ohlcv-daily/index.ts"

import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://rpc.example.net/v1"
const request = Upstream.post(url, { method: "count", params: ["#1 é"] })

describe("the address of a request", () => {
  it("is the URL of a GET", () => {
    assert.strictEqual(Upstream.addressOf({ method: "GET", url }), url)
  })

  it("names what a POST sends, after the #, so that it can be read back", () => {
    const address = Upstream.addressOf(request)
    assert.isTrue(URL.canParse(address))
    const { hash } = new URL(address)
    assert.strictEqual(address.slice(0, -hash.length), url)
    assert.strictEqual(decodeURIComponent(hash.slice(1)), request.body)
  })

  it("leaves out a body of more than 2,000 characters", () => {
    assert.strictEqual(Upstream.addressOf(Upstream.post(url, "x".repeat(2000))), url)
    assert.notStrictEqual(Upstream.addressOf(Upstream.post(url, "x".repeat(1998))), url)
  })

  it.effect("is where a row of a POST is compared, and what was read beside another page", () =>
    Effect.gen(function* () {
      const collected = (facts: Plugin.Facts) =>
        Plugin.define({
          id: "example",
          title: "Example",
          covers: { networks: ["EXN"] },
          source: "example",
          tier: "supply_telemetry",
          hosts: ["rpc.example.net"],
          every: "1 hour",
          grade: "K",
          metrics: { n: metric("count", "A count.") },
          collect: (observe) =>
            Effect.map(Upstream.json(request, Schema.Unknown), (answer) => observe(answer, { n: 7 }, facts))
        }).collect.pipe(Effect.provide(answers([{ request, body: {} }])))
      const address = Upstream.addressOf(request)
      const [bare] = (yield* collected({})).observations
      assert.strictEqual(bare?.verify_url, address)
      assert.notProperty(bare ?? {}, "read_url")
      const page = { verify_url: "https://explorer.example.net/block/7" }
      assert.deepInclude((yield* collected(page)).observations[0], { ...page, read_url: address })
      const item = { ...page, read_url: itemAt(url, "0x00") }
      assert.deepInclude((yield* collected(item)).observations[0], item)
    })
  )
})

describe("the address of a price bar", () => {
  it.effect.each([
    ["ok", /^https:\/\/api\.binance\.com\/.*&startTime=(\d+)&limit=1$/, 1],
    ["other-market", /^https:\/\/api\.exchange\.coinbase\.com\/.*&start=([^&]+)&end=\1$/, 0],
    ["third-market", /^https:\/\/api\.kraken\.com\/.*&since=(\d+)$/, 1000]
  ] as const)("names the bar itself: %s", ([name, form, unit]) =>
    Effect.gen(function* () {
      const { tape } = yield* Fixtures.load(`${Fixtures.root}/ohlcv-daily/${name}`)
      const rows = yield* Fixtures.replay(daily, tape)
      assert.property(rows, "observations")
      const matching = "observations" in rows ? rows.observations : []
      const bars = matching.flatMap(({ as_of, verify_url }) => {
        const timestamp = form.exec(verify_url)?.[1]
        return timestamp === undefined ? [] : [{ as_of, timestamp }]
      })
      assert.isAbove(bars.length, 0)
      for (const { as_of, timestamp } of bars) {
        const start = Date.parse(`${as_of.slice(0, 10)}T00:00:00Z`)
        // Kraken gives what is after the second; the others begin with the bar.
        const actual =
          unit === 0
            ? Date.parse(timestamp)
            : unit === 1000
              ? (Number(timestamp) + 1) * unit
              : Number(timestamp)
        assert.strictEqual(actual, start)
      }
    })
  )
})
