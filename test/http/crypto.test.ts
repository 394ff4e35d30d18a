/** Over HTTP, with a real chain, a real token and viem as the client's wallet. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Address, encodeFunctionData, formatUnits, type Hex, parseUnits } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import { Chain, tokenAbi, usdc } from "../support/base.ts"
import { contract } from "../support/contracts.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { type Call, json } from "../support/signed.ts"

const deposit = "0x00000000000000000000000000000000000d3905"
/** Another token of the same name: the one that a bridge made. */
const bridged = "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA"

const service = Layer.unwrap(
  Effect.gen(function* () {
    const { client, rpcUrl } = yield* Chain
    yield* Effect.promise(() => client.setCode({ address: bridged, bytecode: contract("Token").code }))
    return Service.layer({
      trustProxy: 1,
      chain: Evm.make({ rpcUrl, chainId: 8453, token: usdc, depositAddress: deposit })
    })
  })
).pipe(Layer.provideMerge(Chain.layer))

const ask = Effect.fnUntraced(function* (call: Call | string) {
  return yield* (yield* Service).call(call)
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

/** The test's clock follows the chain's: quotes are made now, and blocks carry the time of day. */
const follow = Effect.gen(function* () {
  const { client } = yield* Chain
  const { timestamp } = yield* Effect.promise(() => client.getBlock({ blockTag: "latest" }))
  yield* TestClock.setTime(Number(timestamp) * 1000)
  yield* (yield* Watch).look
})

/** Makes what happened final, and lets the watcher look. */
const finalize = Effect.gen(function* () {
  yield* (yield* Chain).mineBlocks(4)
  yield* (yield* Watch).look
})

let people = 0

/** A wallet's own transaction. */
const call = Effect.fnUntraced(function* (account: PrivateKeyAccount, to: Address, data: Hex) {
  const { client } = yield* Chain
  yield* Effect.promise(async () => {
    const hash = await client.sendTransaction({ account, to, data })
    await client.waitForTransactionReceipt({ hash })
  })
})

/** A key, and a wallet that it has not verified yet. */
const person = Effect.gen(function* () {
  const { client, payer } = yield* Chain
  yield* follow
  const registered = yield* post("/v1/credits/register", {}, { "x-forwarded-for": `198.19.0.${++people}` })
  const key = { "x-api-key": String(json(registered)["api_key"]) }
  const wallet = yield* payer(parseUnits("100000", 6))
  yield* Effect.promise(() => client.setBalance({ address: wallet.address, value: 10n ** 18n }))
  const args = [wallet.address, parseUnits("100000", 6)] as const
  yield* call(wallet, bridged, encodeFunctionData({ abi: tokenAbi, functionName: "mint", args }))
  return { key, wallet }
})

type Person = Effect.Success<typeof person>

const challenge = ({ key, wallet }: Person) =>
  Effect.map(
    post("/v1/credits/crypto/challenge", { wallet: wallet.address }, key),
    (reply) => json(reply) as { message: string; nonce: string }
  )

const verify = Effect.fnUntraced(function* (who: Person) {
  const { message, nonce } = yield* challenge(who)
  const signature = yield* Effect.promise(() => who.wallet.signMessage({ message }))
  const reply = yield* post("/v1/credits/crypto/verify", { nonce, signature }, who.key)
  assert.deepInclude(json(reply), {
    status: "verified",
    wallet: who.wallet.address,
    delegated: false
  })
})

const verified = Effect.tap(person, verify)

const quote = Effect.fnUntraced(function* ({ key, wallet }: Person, amount: unknown = 20) {
  const reply = yield* post(
    "/v1/credits/topup",
    { method: "usdc", amount, from_address: wallet.address },
    key
  )
  assert.strictEqual(reply.status, 200)
  return json(reply) as {
    amount: string
    deposit_address: `0x${string}`
    quote_id: string
    expires_at: string
  }
})

const send = ({ wallet }: Person, amount: string | bigint, token: Address = usdc) => {
  const args = [deposit, typeof amount === "bigint" ? amount : parseUnits(amount, 6)] as const
  return call(wallet, token, encodeFunctionData({ abi: tokenAbi, functionName: "transfer", args }))
}

const balance = ({ key }: Person) =>
  Effect.map(ask({ path: "/v1/credits/balance", headers: key }), (reply) => json(reply)["credits_balance"])

const receipts = ({ key }: Person) =>
  Effect.map(
    ask({ path: "/v1/credits/crypto/receipts", headers: key }),
    (reply) =>
      json(reply) as {
        receipts: ReadonlyArray<{ status: string; reason?: string; quote_id?: string; transaction: string }>
        quotes: ReadonlyArray<{ quote_id: string; state: string }>
      }
  )

layerNeeding("counterparties")(service, { timeout: "60 seconds" })("stablecoin top-ups", (it) => {
  it.effect("a transfer from the verified wallet is credited when it is final, exactly, once", () =>
    Effect.gen(function* () {
      const who = yield* verified
      const status = json(yield* ask("/v1/credits/crypto"))
      assert.deepInclude(status, {
        enabled: true,
        chain: "Base",
        chain_id: 8453,
        min_usd: 1,
        max_usd: 10_000
      })
      const quoted = yield* quote(who)
      assert.match(quoted.amount, /^20\.00\d{1,4}$/)
      assert.strictEqual(quoted.deposit_address.toLowerCase(), deposit)
      yield* send(who, quoted.amount)
      yield* (yield* Watch).look
      assert.deepInclude((yield* receipts(who)).receipts[0], { status: "seen" })
      assert.strictEqual(yield* balance(who), 5)
      yield* finalize
      yield* finalize
      assert.strictEqual(yield* balance(who), 5 + Number(quoted.amount))
      const history = yield* receipts(who)
      assert.deepInclude(history.receipts[0], { status: "credited", quote_id: quoted.quote_id })
      assert.deepInclude(history.quotes[0], { quote_id: quoted.quote_id, state: "credited" })

      // The same amount again: one transfer per quote.
      yield* send(who, quoted.amount)
      yield* finalize
      assert.strictEqual(yield* balance(who), 5 + Number(quoted.amount))
      assert.include((yield* receipts(who)).receipts[0]?.reason, "already credited")
      assert.isTrue((yield* (yield* Ledger).check).ok)
    })
  )

  it.effect("what does not match is recorded with the reason, not credited and not lost", () =>
    Effect.gen(function* () {
      const { client } = yield* Chain
      const who = yield* verified
      const other = yield* verified
      const quoted = yield* quote(who)
      const units = parseUnits(quoted.amount, 6)
      const reasonOf = (of: Person) => Effect.map(receipts(of), (history) => history.receipts[0]?.reason)

      yield* send(who, units - 1n)
      yield* finalize
      assert.include(yield* reasonOf(who), "wrong amount")
      yield* send(other, units)
      yield* finalize
      assert.include(yield* reasonOf(other), "wrong sender")
      yield* send(who, units, bridged)
      yield* finalize
      assert.strictEqual((yield* receipts(who)).receipts.length, 1)
      assert.strictEqual(yield* balance(who), 5)

      yield* Effect.promise(() =>
        client.setNextBlockTimestamp({
          timestamp: BigInt(Date.parse(quoted.expires_at) / 1000 + 1)
        })
      )
      yield* send(who, units)
      yield* finalize
      assert.include(yield* reasonOf(who), "late")
      assert.deepStrictEqual([yield* balance(who), yield* balance(other)], [5, 5])
      assert.deepInclude((yield* receipts(who)).quotes[0], { state: "expired" })
    })
  )

  it.effect("of several matching transfers in one transaction a quote takes one", () =>
    Effect.gen(function* () {
      const who = yield* verified
      const quoted = yield* quote(who, "1")
      const units = parseUnits(quoted.amount, 6)
      const args = [
        [deposit, deposit, deposit],
        [units, units, units]
      ] as const
      yield* call(who.wallet, usdc, encodeFunctionData({ abi: tokenAbi, functionName: "transferMany", args }))
      yield* finalize
      assert.strictEqual(yield* balance(who), Number(formatUnits(5_000_000n + units, 6)))
      assert.deepStrictEqual(
        (yield* receipts(who)).receipts.map(({ status }) => status),
        ["unmatched", "unmatched", "credited"]
      )
    })
  )

  it.effect("a reorganisation before finality changes nothing", () =>
    Effect.gen(function* () {
      const { client } = yield* Chain
      const who = yield* verified
      yield* finalize
      const snapshot = yield* Effect.promise(() => client.snapshot())
      const quoted = yield* quote(who)
      yield* send(who, quoted.amount)
      yield* (yield* Watch).look
      assert.deepInclude((yield* receipts(who)).receipts[0], { status: "seen" })
      yield* Effect.promise(() => client.revert({ id: snapshot }))
      yield* finalize
      assert.deepStrictEqual((yield* receipts(who)).receipts, [])
      assert.strictEqual(yield* balance(who), 5)
      // Sent again on the chain that stayed, it is credited.
      yield* send(who, quoted.amount)
      yield* finalize
      assert.strictEqual(yield* balance(who), 5 + Number(quoted.amount))
    })
  )

  it.effect("replicas that look at once credit once", () =>
    Effect.gen(function* () {
      const who = yield* verified
      const quoted = yield* quote(who)
      yield* send(who, quoted.amount)
      yield* (yield* Chain).mineBlocks(4)
      const { look } = yield* Watch
      yield* Effect.all([look, look, look, look], { concurrency: "unbounded" })
      assert.strictEqual(yield* balance(who), 5 + Number(quoted.amount))
      assert.isTrue((yield* (yield* Ledger).check).ok)
    })
  )

  it.effect("a challenge is signed by its wallet, exactly, once, in time, by its key", () =>
    Effect.gen(function* () {
      const who = yield* person
      const other = yield* person
      const { message, nonce } = yield* challenge(who)
      assert.include(message, "Chain ID: 8453")
      assert.include(message, "moves no funds")
      const sign = (by: Person, text: string) =>
        Effect.promise(() => by.wallet.signMessage({ message: text }))
      const good = yield* sign(who, message)
      const attempt = (signature: string, key: Record<string, string> = who.key, named = nonce) =>
        post("/v1/credits/crypto/verify", { nonce: named, signature }, key)
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const highS = `${good.slice(0, 66)}${(order - BigInt(`0x${good.slice(66, 130)}`)).toString(16).padStart(64, "0")}${good.endsWith("1b") ? "1c" : "1b"}`
      const refusals: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
        [yield* sign(other, message), who.key, "signature"],
        [yield* sign(who, `${message} `), who.key, "signature"],
        [highS, who.key, "signature"],
        [good.slice(0, -1), who.key, "signature"],
        [good.slice(0, -2), who.key, "signature"],
        [`${good}00`, who.key, "signature"],
        [good.slice(2), who.key, "signature"],
        ["0x", who.key, "signature"],
        [good, other.key, "nonce"]
      ]
      for (const [signature, key, field] of refusals) {
        assert.deepInclude(json(yield* attempt(signature, key)), { status: 400, field }, signature)
      }
      assert.strictEqual((yield* attempt(good, who.key, "0".repeat(32))).status, 400)
      const both = yield* Effect.all([attempt(good), attempt(good)], { concurrency: 2 })
      assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 400])
      assert.strictEqual((yield* attempt(good)).status, 400)

      const late = yield* challenge(other)
      yield* TestClock.adjust("10 minutes")
      yield* TestClock.adjust("1 millis")
      const signature = yield* sign(other, late.message)
      assert.strictEqual((yield* attempt(signature, other.key, late.nonce)).status, 400)
    })
  )

  it.effect("a wallet is an externally owned one: delegated ones are taken, contracts refused", () =>
    Effect.gen(function* () {
      const { client, delegate, deploy } = yield* Chain
      const who = yield* person
      for (const wallet of ["", "0x", "0x123", `${who.wallet.address}\n`, `0x${"g".repeat(40)}`]) {
        const refused = json(yield* post("/v1/credits/crypto/challenge", { wallet }, who.key))
        assert.deepInclude(refused, { status: 400, field: "wallet" })
      }
      const { message, nonce } = yield* challenge(who)
      const signature = yield* Effect.promise(() => who.wallet.signMessage({ message }))
      const code = (bytecode: `0x${string}`) =>
        Effect.promise(() => client.setCode({ address: who.wallet.address, bytecode }))
      yield* code("0x60006000")
      const refused = yield* post("/v1/credits/crypto/verify", { nonce, signature }, who.key)
      assert.include(String(json(refused)["message"]), "contract")
      // A contract that asks first is told before it is given something to sign.
      const challengeReply = yield* post(
        "/v1/credits/crypto/challenge",
        { wallet: who.wallet.address },
        who.key
      )
      assert.deepInclude(json(challengeReply), { status: 400, field: "wallet" })
      assert.include(String(json(challengeReply)["message"]), "contract")
      yield* code("0x")
      yield* delegate(who.wallet, yield* deploy("Delegate"))
      assert.isString((yield* challenge(who)).nonce)
      const verifyReply = yield* post("/v1/credits/crypto/verify", { nonce, signature }, who.key)
      assert.deepInclude(json(verifyReply), { status: "verified", delegated: true })
      // It is topped up from like any other.
      const quoted = yield* quote(who)
      yield* send(who, quoted.amount)
      yield* finalize
      assert.strictEqual(yield* balance(who), 5 + Number(quoted.amount))
      yield* code("0x60006000")
      const body = { method: "usdc", amount: 20, from_address: who.wallet.address }
      assert.strictEqual((yield* post("/v1/credits/topup", body, who.key)).status, 400)
    })
  )

  it.effect("a quote names what is wrong, and is one per Idempotency-Key", () =>
    Effect.gen(function* () {
      const who = yield* verified
      const stranger = yield* person
      const from_address = who.wallet.address
      const ask400 = [
        ...[0, -20, 0.99, 10_000.01, "1e2", "abc", null, [20], "20.0000001", "NaN", "٢٠"].map((amount) =>
          JSON.stringify(amount)
        ),
        "1e309"
      ]
      for (const amount of ask400) {
        const body = `{"method":"crypto","amount":${amount},"from_address":"${from_address}"}`
        const refused = yield* post("/v1/credits/topup", body, who.key)
        assert.deepInclude(json(refused), { status: 400, field: "amount" }, amount)
      }
      const unverified = yield* post(
        "/v1/credits/topup",
        { method: "usdc", amount: 20, from_address },
        stranger.key
      )
      assert.deepInclude(json(unverified), { status: 403, error: "wallet_unverified" })
      assert.strictEqual(
        (yield* post("/v1/credits/topup", { method: "usdc", amount: 20 }, who.key)).status,
        400
      )
      const body = { method: "crypto", amount: "20", from_address }
      const headers = { ...who.key, "idempotency-key": "q" }
      const two = yield* Effect.all(
        [
          post("/v1/credits/topup", body, headers),
          post("/v1/credits/topup", { ...body, amount: 20 }, headers)
        ],
        { concurrency: 2 }
      )
      assert.strictEqual(two[0].body.toString(), two[1].body.toString())
      const reused = yield* post("/v1/credits/topup", { ...body, amount: 21 }, headers)
      assert.strictEqual(reused.status, 422)
      for (let n = 0; n < 9; n++) yield* quote(who)
      assert.strictEqual((yield* post("/v1/credits/topup", body, who.key)).status, 400)
      const amounts = yield* Effect.map(receipts(who), ({ quotes }) => quotes.length)
      assert.strictEqual(amounts, 10)
    })
  )
})

layer(Service.layer())("stablecoins that are not set up", (it) => {
  it.effect("say so", () =>
    Effect.gen(function* () {
      const status = json(yield* ask("/v1/credits/crypto"))
      assert.deepInclude(status, { enabled: false })
      assert.isString(status["reason"])
      const key = { "x-api-key": String(json(yield* post("/v1/credits/register", {}))["api_key"]) }
      const body = { method: "usdc", amount: 20, from_address: `0x${"1".repeat(40)}` }
      assert.strictEqual((yield* post("/v1/credits/topup", body, key)).status, 503)
      assert.strictEqual(
        (yield* post("/v1/credits/crypto/challenge", { wallet: body.from_address }, key)).status,
        503
      )
      assert.strictEqual((yield* post("/v1/credits/crypto/challenge", {})).status, 401)
      assert.strictEqual((yield* ask("/v1/credits/crypto/receipts")).status, 401)
    })
  )
})
