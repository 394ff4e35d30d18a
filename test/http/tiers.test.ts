/** What the price list says of each tier is what a key of that tier gets. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { Pricing } from "../../core/wire/credits/pricing.ts"
import { AccountTier, Capability } from "../../core/wire/credits/tiers.ts"
import { Streams } from "../../http/stream/Streams.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { type Call, header, json } from "../support/signed.ts"

const metric = "active_storage_providers"

/** A call for each capability, which is not a 402 with it. */
const calls: Readonly<Record<Capability, Call>> = {
  cross_network: { path: "/v1/digest" },
  engines: { path: "/v1/node-quality" },
  divergence: { path: "/v1/divergence" },
  exports: { path: "/v1/export?dataset=networks" },
  // A target that nobody may have: nothing is made.
  webhooks: {
    method: "POST",
    path: "/v1/webhooks",
    headers: { "content-type": "application/json" },
    body: '{"url": "nothing"}'
  }
}

const publish = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 20, 9))
  const ingest = yield* Ingest
  for (const day of ["2026-08-07", "2026-09-19"]) {
    const at = Date.parse(`${day}T08:00:00Z`)
    yield* ingest.write(
      Runs.delivery(
        at,
        [Runs.row(1, `${day}T07:00:00Z`, { symbol: "FIL", metric, source: "made-up" })],
        "made-up"
      )
    )
  }
})

layer(Service.layer({ limited: true }))("a tier", (it) => {
  /** Asks with a key of a tier. The first call finds the tier, because the limits remember it for some seconds. */
  const keyOf = Effect.fnUntraced(function* (tier: AccountTier, network: string) {
    const accounts = yield* Accounts
    const { call } = yield* Service
    const { api_key } = yield* accounts.register({}, network)
    const { id } = yield* accounts.authenticate(Redacted.make(api_key))
    yield* accounts.setTier(id, tier)
    return (request: Call) => call({ ...request, headers: { ...request.headers, "x-api-key": api_key } })
  })

  const listed = Effect.gen(function* () {
    const { call } = yield* Service
    const { tiers } = json(yield* call("/v1/credits/pricing")) as unknown as typeof Pricing.Type
    return tiers
  })

  it.effect("gives a key what the price list says, and nothing more", () =>
    Effect.gen(function* () {
      yield* publish
      const all = yield* listed
      assert.sameMembers([...new Set(all.map(({ tier }) => tier))], [...AccountTier.literals])
      for (const [n, tier] of AccountTier.literals.entries()) {
        const ask = yield* keyOf(tier, `192.0.2.${n}`)
        for (const { includes } of all.filter((one) => one.tier === tier)) {
          for (const capability of Capability.literals) {
            const { status } = yield* ask(calls[capability])
            assert.strictEqual(
              status !== 402,
              includes.capabilities.includes(capability),
              `${tier} ${capability}`
            )
          }
          const history = yield* ask({ path: `/v1/history?network=FIL&metric=${metric}&days=3650` })
          const { data } = json(history) as { data?: Record<string, Record<string, { first_date: string }>> }
          const first = data?.["FIL"]?.[metric]?.first_date
          assert.strictEqual(first, includes.history_days === null ? "2026-08-07" : "2026-09-19", tier)
          const { networks } = json(yield* ask({ path: "/v1/networks?limit=2000" })) as {
            networks?: Array<object>
          }
          assert.strictEqual((networks?.length ?? 0) > 100, includes.networks === "all", tier)
          const policy = header(history, "ratelimit-policy")
          assert.include(policy, `"burst";q=${includes.burst};`)
          assert.include(policy, `"minute";q=${includes.calls_per_minute};`)
          assert.include(policy, `"day";q=${includes.calls_per_day};`)
          assert.include(policy, `"millis";q=${includes.millis_per_minute};`)
          assert.include(policy, `"bytes";q=${includes.bytes_per_minute};`)
        }
      }
    })
  )

  it.effect("opens as many streams at a time as the price list says", () =>
    Effect.gen(function* () {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const built = yield* Layer.buildWithScope(Streams.layer, scope)
      const { grant } = yield* Effect.provide(Streams, built)
      for (const { includes, tier } of yield* listed) {
        const name = `the account of ${tier} ${includes.streams}`
        const opener = { name, tier: tier as AccountTier }
        const grants = yield* Effect.replicateEffect(grant(opener), includes.streams)
        assert.include((yield* Effect.flip(grant(opener))).message, String(includes.streams))
        for (const { release } of grants) release()
      }
    })
  )

  it.effect("below Institutional is told what the divergence detector takes", () =>
    Effect.gen(function* () {
      const ask = yield* keyOf("design_partner", "192.0.2.20")
      const reply = yield* ask(calls.divergence)
      assert.strictEqual(reply.status, 402)
      assert.deepInclude(json(reply)["how_to_unlock"], {
        required_tier: "Institutional",
        tiers: ["Institutional", "Pro", "Enterprise"],
        price: "from 2,000 USD per month, or 20,000 USD per year"
      })
    })
  )
})
