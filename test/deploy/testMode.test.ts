/** What the settings of test mode refuse, and what the doctor finds. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { testModeFindings } from "../../runtime/doctor/testMode.ts"
import * as Service from "../../runtime/service/layers.ts"
import { Settings } from "../../runtime/settings/Settings.ts"

const settingsOf = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Settings, Settings.layer).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const refusal = (env: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(settingsOf(env)), ({ message }) => message)

const ofTest = { TEST_MODE: "true", BASE_URL: "https://data.example.org/test" }
const cards = (key: string) => ({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: "whsec_a" })
const chain = (id: string) => ({ EVM_RPC_URL: "http://127.0.0.1:8545", EVM_CHAIN_ID: id })

describe("a test service", () => {
  it.effect("takes test money alone", () =>
    Effect.gen(function* () {
      for (const key of ["sk_live_a", "rk_live_a", "sk_a", "whatever"])
        assert.include(yield* refusal({ ...ofTest, ...cards(key) }), "STRIPE_SECRET_KEY is not a test key")
      for (const id of ["8453", "1", "137"])
        assert.include(yield* refusal({ ...ofTest, ...chain(id) }), `EVM_CHAIN_ID ${id} is not a test chain`)
      // The chain that is taken without the setting is a real one.
      const { EVM_RPC_URL } = chain("")
      assert.include(yield* refusal({ ...ofTest, EVM_RPC_URL }), "EVM_CHAIN_ID 8453 is not a test chain")
      const { testMode, trustProxy } = yield* settingsOf({
        ...ofTest,
        ...cards("rk_test_a"),
        ...chain("84532")
      })
      assert.deepStrictEqual([testMode, trustProxy], [{ keys: "test" }, 1])
    })
  )

  it.effect("is below /test of the live one, has none behind it, and sells what is simulated", () =>
    Effect.gen(function* () {
      assert.include(yield* refusal({ TEST_MODE: "true" }), "BASE_URL must be")
      assert.include(
        yield* refusal({ TEST_MODE: "true", BASE_URL: "https://data.example.org" }),
        "BASE_URL must be"
      )
      assert.include(yield* refusal({ ...ofTest, TEST_SERVICE: "http://127.0.0.1:1" }), "both set")
      assert.include(yield* refusal({ TEST_SERVICE: "https://a.example/b" }), "TEST_SERVICE must be")
      const launched = Effect.scoped(Effect.provide(Effect.void, Service.live)).pipe(
        Effect.provideService(Settings, yield* settingsOf(ofTest)),
        Effect.flip
      )
      assert.include(String((yield* launched).message), "TEST_MODE needs serve --replay")
    })
  )
})

describe("doctor", () => {
  const findings = (env: Readonly<Record<string, string>>) =>
    Effect.map(Effect.flatMap(settingsOf(env), testModeFindings), (all) =>
      all.map(({ message, state }) => `${state}: ${message}`)
    )

  it.effect("fails where a live service takes test money", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* findings({ ...cards("sk_live_a"), ...chain("8453") }), [])
      assert.deepStrictEqual(yield* findings({ ...cards("sk_test_a"), ...chain("84532") }), [
        "fail: STRIPE_SECRET_KEY is a test key: cards are not charged",
        "fail: EVM_CHAIN_ID 84532 is Base Sepolia: its tokens are worth nothing"
      ])
      assert.match((yield* findings({ ...ofTest, ...chain("84532") })).join(), /^ok: test mode/)
    })
  )

  it.live("fails where what is behind /test is no test service", () =>
    Effect.gen(function* () {
      const headers: Record<string, string> = {}
      const server = createServer((_, response) => void response.writeHead(200, headers).end("{}"))
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close().closeAllConnections())
      )
      const { port } = server.address() as AddressInfo
      const env = { TEST_SERVICE: `http://127.0.0.1:${port}` }
      assert.match((yield* findings(env)).join(), /^fail: .* is not a test service/)
      headers["Plumbline-Mode"] = "test"
      assert.deepStrictEqual(yield* findings(env), [`ok: test service at 127.0.0.1:${port}`])
      assert.match(
        (yield* findings({ TEST_SERVICE: "http://127.0.0.1:9" })).join(),
        /^warn: test mode: no answer/
      )
    }).pipe(Effect.scoped)
  )
})
