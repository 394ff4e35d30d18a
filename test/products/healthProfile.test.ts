/** The network offered as the health-profile product: FIL, or what the operator sets. */
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { TestClock } from "effect/testing"
import { products } from "../../core/products/builds.ts"
import { profiledNetwork } from "../../runtime/service/credits.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { fixtureNow, fixtureServices, setFixtureSnapshot } from "../support/fixtureRows.ts"

const profileBy = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const sold = yield* products.pipe(
    Effect.provide(profiledNetwork),
    Effect.provide(Settings.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
  )
  const profile = sold.find(({ key }) => key === "depin_health_profile")
  return yield* Effect.map(
    profile?.build({ id: "pur_test", inputs: {} }) ?? Effect.die("it is not sold"),
    (payload) => (payload as { readonly symbol: string }).symbol
  )
})

layer(fixtureServices)("the network of depin_health_profile", (it) => {
  it.effect("is FIL, or the setting's; what the catalog does not have stops the start", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setFixtureSnapshot()
      assert.strictEqual(yield* profileBy({}), "FIL")
      assert.strictEqual(yield* profileBy({ HEALTH_PROFILE_NETWORK: "STORJ" }), "STORJ")
      assert.strictEqual(yield* profileBy({ HEALTH_PROFILE_NETWORK: "storj" }), "STORJ")
      for (const wrong of ["STORJJ", "qqzz", "__proto__"]) {
        const { message } = yield* Effect.flip(profileBy({ HEALTH_PROFILE_NETWORK: wrong }))
        assert.include(message, `HEALTH_PROFILE_NETWORK: unknown symbol ${wrong} (expected e.g. FIL)`)
        assert.strictEqual(message.includes("Did you mean STORJ"), wrong === "STORJJ", message)
      }
    })
  )
})
