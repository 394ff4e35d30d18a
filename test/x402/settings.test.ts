/** What an operator may set for payments on a chain, and what stops the start: on a real chain. */
import { generateKeyPairSync } from "node:crypto"
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Deposits } from "../../core/credits/chain/Deposits.ts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import { depositChain } from "../../runtime/service/credits.ts"
import { settler } from "../../runtime/service/x402.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { Chain, usdc } from "../support/base.ts"
import { credits } from "../support/credits.ts"
import { postgres } from "../support/database.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { products } from "../support/shop.ts"
import { json } from "../support/signed.ts"

const payTo = `0x${"11".repeat(20)}`
const key = `0x${"2b".repeat(32)}` as const

/** A directory with a signing key; gives the raw private half, too. */
const directory = Effect.sync(() => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-x402-"))
  const { privateKey } = generateKeyPairSync("ed25519")
  const file = join(folder, "signing-key.pem")
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }))
  chmodSync(file, 0o600)
  const raw = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url").toString("hex")
  return { folder, raw: `0x${raw}` as const }
})

const by = <A, E>(effect: Effect.Effect<A, E, Settings | SqlClient.SqlClient>) =>
  Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
    const { folder } = yield* directory
    return yield* effect.pipe(
      Effect.provide(Settings.layer),
      // On the embedded engine nobody else uses the key.
      Effect.provideService(SqlClient.SqlClient, Object.create(null)),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ DATA_DIR: folder, ...env })
      )
    )
  })

const withSettings = by(settler)

layerNeeding("counterparties")(Chain.layer, { excludeTestServices: true })("x402 by the settings", (it) => {
  it.effect("is off unless it is set up, and says its terms as the contract does", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Chain
      assert.isNull(yield* withSettings({}))
      assert.isNull(yield* withSettings({ EVM_RPC_URL: rpcUrl }))
      for (const way of [{ X402_SETTLER_KEY: key }, { X402_FACILITATOR_URL: "http://127.0.0.1:9" }]) {
        const settler = yield* withSettings({ EVM_RPC_URL: rpcUrl, X402_PAY_TO: payTo, ...way })
        if (settler === null) return assert.fail("no settler")
        assert.deepStrictEqual(yield* settler.terms, {
          network: "eip155:8453",
          networkV1: "base",
          asset: usdc,
          payTo,
          domain: { name: "USD Coin", version: "2" }
        })
      }
    })
  )

  it.effect("stops the start with one line that names what is wrong", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Chain
      const whole = { EVM_RPC_URL: rpcUrl, X402_PAY_TO: payTo, X402_SETTLER_KEY: key }
      const cases: ReadonlyArray<readonly [RegExp, Readonly<Record<string, string>>]> = [
        [/^X402_PAY_TO needs X402_SETTLER_KEY/, { X402_PAY_TO: payTo }],
        [/^X402_PAY_TO must be set/, { EVM_RPC_URL: rpcUrl, X402_SETTLER_KEY: key }],
        [/^EVM_RPC_URL must be set/, { X402_PAY_TO: payTo, X402_SETTLER_KEY: key }],
        [/both set/, { ...whole, X402_FACILITATOR_URL: "http://127.0.0.1:9" }],
        [/^X402_SETTLER_KEY is not a private key/, { ...whole, X402_SETTLER_KEY: "0x1234" }],
        [/X402_PAY_TO/, { ...whole, X402_PAY_TO: "0x12" }],
        [/^X402_PAY_TO and DEPOSIT_ADDRESS are the same/, { ...whole, DEPOSIT_ADDRESS: payTo }],
        [/^EVM_CHAIN_ID is 84532/, { ...whole, EVM_CHAIN_ID: "84532" }],
        [/^USDC_ADDRESS .* no contract/, { ...whole, USDC_ADDRESS: payTo }]
      ]
      for (const [line, env] of cases) {
        const { message } = yield* Effect.flip(withSettings(env))
        assert.match(message, line)
        assert.notInclude(message, "\n")
        assert.notInclude(message, key)
      }
    })
  )

  it.effect("never takes the signing key to pay gas with", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Chain
      const { folder, raw } = yield* directory
      const { message } = yield* Effect.flip(
        withSettings({ DATA_DIR: folder, EVM_RPC_URL: rpcUrl, X402_PAY_TO: payTo, X402_SETTLER_KEY: raw })
      )
      assert.match(message, /^X402_SETTLER_KEY is a signing key/)
      assert.notInclude(message, raw.slice(2))
    })
  )

  it.effect("refuses a token that calls itself something else, and waits for a chain that is silent", () =>
    Effect.gen(function* () {
      const { rpcUrl, setToken } = yield* Chain
      const whole = { X402_PAY_TO: payTo, X402_SETTLER_KEY: key }
      yield* setToken("RenamedToken")
      const { message } = yield* Effect.flip(withSettings({ ...whole, EVM_RPC_URL: rpcUrl }))
      assert.match(message, /the token is USDC 2, but native USDC is USD Coin 2$/)
      yield* setToken("Token")
      const silent = yield* withSettings({ ...whole, EVM_RPC_URL: "http://127.0.0.1:9" })
      if (silent === null) return assert.fail("no settler")
      assert.strictEqual((yield* Effect.flip(silent.terms))._tag, "SettlerUnavailable")
    })
  )
})

layerNeeding("counterparties")(Chain.layer, { excludeTestServices: true })(
  "stablecoin top-ups by the settings",
  (it) => {
    const deposits = by(depositChain)

    it.effect(
      "are off unless they are set up, and stop the start where chain or token are not what is meant",
      () =>
        Effect.gen(function* () {
          const { rpcUrl } = yield* Chain
          const whole = { EVM_RPC_URL: rpcUrl, DEPOSIT_ADDRESS: payTo }
          assert.isNull(yield* deposits({ EVM_RPC_URL: rpcUrl }))
          assert.isNull(yield* deposits({ DEPOSIT_ADDRESS: payTo }))
          assert.deepInclude(yield* deposits(whole), { chainId: 8453, token: usdc.toLowerCase() })
          const cases: ReadonlyArray<readonly [RegExp, Readonly<Record<string, string>>]> = [
            [/^EVM_CHAIN_ID is 84532, but EVM_RPC_URL serves chain 8453$/, { EVM_CHAIN_ID: "84532" }],
            [/^USDC_ADDRESS must be set for chain 1: its native USDC is not known$/, { EVM_CHAIN_ID: "1" }],
            [/^USDC_ADDRESS .* no contract/, { USDC_ADDRESS: payTo }],
            [/^DEPOSIT_ADDRESS: .* checksum is wrong$/, { DEPOSIT_ADDRESS: `${usdc.slice(0, -2)}1A` }]
          ]
          for (const [line, env] of cases) {
            assert.match((yield* Effect.flip(deposits({ ...whole, ...env }))).message, line)
          }
        })
    )

    it.effect("say which chain they were given, where it answers only later", () =>
      Effect.gen(function* () {
        const { rpcUrl } = yield* Chain
        // A chain that is silent stops no start.
        assert.isNotNull(yield* deposits({ EVM_RPC_URL: "http://127.0.0.1:9", DEPOSIT_ADDRESS: payTo }))
        const chain = Evm.make({ rpcUrl, chainId: 84532, token: usdc, depositAddress: payTo })
        const built = yield* Layer.build(credits(postgres, [], { chain }))
        const reasonOf = Effect.map(Context.get(built, Deposits).status, ({ reason }) => reason)
        assert.include(yield* reasonOf, "not been read yet")
        yield* Effect.flip(Context.get(built, Watch).look)
        assert.strictEqual(
          yield* reasonOf,
          "EVM_RPC_URL serves chain 8453, but EVM_CHAIN_ID is 84532. No transfers are read."
        )
      })
    )
  }
)

layer(Service.layer({ products }))("a service that has no settlement", (it) => {
  it.effect("lists what it would sell, and sells nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const listed = json(yield* call("/x402"))
      assert.strictEqual(listed["available"], false)
      const refused = yield* call("/x402/v1/data/depin_provenance")
      assert.deepInclude(json(refused), { status: 503, error: "offer_unavailable", available: false })
      assert.match(String(json(refused)["message"]), /sells nothing per request/)
    })
  )
})
