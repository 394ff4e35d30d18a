import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { Settings } from "../../runtime/settings/Settings.ts"

const all = {
  WARRANTY_DAYS: "30",
  WARRANTY_MAX_AGE_HOURS: "24",
  WARRANTY_SHARE: "50",
  WARRANTY_PER_SALE: "5",
  WARRANTY_PER_DAY: "50.5",
  WARRANTY_TOTAL: "1000"
}

const read = (settings: Readonly<Record<string, string>>) =>
  Effect.flatMap(Settings, (values) => Effect.succeed(values.warranty)).pipe(
    Effect.provide(Settings.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings))
  )

const refusal = (settings: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(read(settings)), ({ message }) => message)

describe("the settings of the warranty", () => {
  it.effect("are none, or all six", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* read({}))
      assert.deepStrictEqual(yield* read(all), {
        days: 30,
        greatestAgeHours: 24,
        share: 50,
        perSale: "5",
        perDay: "50.5",
        inTotal: "1000"
      })
      const { WARRANTY_TOTAL: _, ...some } = all
      assert.include(yield* refusal(some), "set also WARRANTY_TOTAL")
    })
  )

  it.effect("are refused by name where they cannot be kept", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
        [{ WARRANTY_DAYS: "61" }, "a whole number from 1 to 60"],
        [{ WARRANTY_SHARE: "0" }, "a whole number from 1 to 100"],
        [{ WARRANTY_PER_SALE: "-1" }, "an amount in USD above 0"],
        [{ WARRANTY_PER_SALE: "51" }, "WARRANTY_PER_SALE (51) must be at most WARRANTY_PER_DAY (50.5)"],
        [{ WARRANTY_TOTAL: "50" }, "WARRANTY_PER_DAY (50.5) must be at most WARRANTY_TOTAL (50)"],
        [{ KEEP_READINGS_DAYS: "30" }, "KEEP_READINGS_DAYS must be at least 33"],
        [{ X402_PAY_TO: `0x${"11".repeat(20)}` }, "needs DEPOSIT_ADDRESS and EVM_RPC_URL"]
      ]
      for (const [settings, message] of wrong)
        assert.include(yield* refusal({ ...all, ...settings }), message)
    })
  )
})
