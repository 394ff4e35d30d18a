import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import dagManifold from "../../core/products/dag_manifold_30d/build.ts"
import { credits, grant, register } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"

/** A process of its own: nothing is left of another but the database and the secret. */
const replica = Layer.build(Layer.fresh(EncoderKeys.layer)).pipe(
  Effect.map((context) => Context.get(context, EncoderKeys))
)

onBothEngines("encoder keys", (database) => {
  layer(
    credits(
      database,
      Effect.map(dagManifold.sale, (product) => [product])
    )
  )((it) => {
    it.effect("count exactly, also at once, between replicas and over a restart", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* replica, yield* replica]
        const caller = yield* one.identify(undefined, "198.51.100.1")
        assert.strictEqual(caller.perDay, 10)
        const counted = yield* Effect.forEach(
          Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? one : other)),
          (keys) => keys.count(caller),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          counted.filter(({ retryAfter }) => retryAfter === undefined),
          10
        )
        const restarted = yield* replica
        assert.strictEqual((yield* restarted.count(caller)).retryAfter, 86_400)
        const elsewhere = yield* restarted.identify(undefined, "198.51.100.2")
        assert.isUndefined((yield* restarted.count(elsewhere)).retryAfter)
        yield* TestClock.adjust("1 day")
        assert.isUndefined((yield* restarted.count(caller)).retryAfter)
      })
    )

    it.effect("hold for 30 days from their purchase, whoever asks for them", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const buyer = yield* register("198.51.100.3")
        yield* grant(buyer.id, 99_000_000n, "keys")
        const bought = yield* purchases.buy(yield* buyer.current, { product_key: "dag_manifold_30d" })
        const { data, purchase_id } = JSON.parse(new TextDecoder().decode(bought))
        const restarted = yield* replica
        assert.strictEqual(restarted.ofPurchase(purchase_id), data.api_key)
        const key = Redacted.make(String(data.api_key))
        assert.strictEqual((yield* restarted.identify(key, "")).perDay, 1000)
        yield* TestClock.adjust("30 days")
        assert.include((yield* Effect.flip(restarted.identify(key, ""))).message, "expired at")
        const derived = Redacted.make(restarted.ofPurchase(`pur_${"0".repeat(32)}`))
        assert.include(
          (yield* Effect.flip(restarted.identify(derived, ""))).message,
          "not a key of the encoder API"
        )
      })
    )
  })
})
