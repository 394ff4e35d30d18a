import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Accounts, balanceOf, StarterOffer } from "../../core/credits/Accounts.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { Secret } from "../../core/credits/Secret.ts"
import { onBothEngines, pglite } from "../support/database.ts"

const services = Accounts.layer.pipe(
  Layer.provideMerge(Ledger.layer),
  Layer.provide(Secret.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provide(SecureRandom.layerWebCrypto)
)

const grantingNone = Layer.succeed(StarterOffer, { credits: 0n, grants: 3 })

layer(services.pipe(Layer.provide(grantingNone), Layer.provideMerge(pglite)))(
  "where no starter credits are granted",
  (it) => {
    it.effect("a new account is told so, and where to read how credits are added", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { message } = yield* accounts.register({}, "203.0.113.1")
        assert.strictEqual(
          message,
          "No starter credits: this service grants none. The key works; GET /v1/credits/pricing says how credits " +
            "are added. Save the key: it is shown only once."
        )
      })
    )
  }
)

onBothEngines("accounts", (database) => {
  layer(services.pipe(Layer.provideMerge(database)))((it) => {
    it.effect("grants three keys of a network in 30 days, and says why the fourth has none", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const all = yield* Effect.forEach([1, 2, 3, 4], () => accounts.register({}, "203.0.113.1"))
        assert.deepStrictEqual(
          all.map(({ credits_balance }) => credits_balance),
          [5, 5, 5, 0]
        )
        assert.include(all[3]?.message, "3 free grants of the last 30 days")
        assert.strictEqual((yield* accounts.register({}, "203.0.113.2")).credits_balance, 5)
        yield* TestClock.adjust("30 days")
        assert.strictEqual((yield* accounts.register({}, "203.0.113.1")).credits_balance, 5)
      })
    )

    it.effect.each([
      ["an IPv6 /32", (n: number) => `2001:db8:${n.toString(16)}:0::/64`, "2001:db9:0:0::/64"],
      ["an IPv4 /16", (n: number) => `198.51.${n}.1`, "198.52.0.1"]
    ] as const)(
      "grants %s twenty networks' worth, however many networks of it ask",
      ([, network, elsewhere]) =>
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const registrations = yield* Effect.forEach(
            Array.from({ length: 64 }, (_, n) => network(n)),
            (one) => accounts.register({}, one),
            { concurrency: 8 }
          )
          assert.strictEqual(registrations.filter(({ credits_balance }) => credits_balance === 5).length, 60)
          assert.strictEqual((yield* accounts.register({}, elsewhere)).credits_balance, 5)
        })
    )

    it.effect("grants three, however many ask at once", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const all = yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => accounts.register({}, "203.0.113.3"),
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(all.filter(({ credits_balance }) => credits_balance === 5).length, 3)
        assert.strictEqual(new Set(all.map(({ api_key }) => api_key)).size, 20)
        assert.isTrue((yield* (yield* Ledger).check).ok)
      })
    )

    it.effect("keeps no key and no address that could be read", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* Accounts
        const { api_key } = yield* accounts.register({ agent_name: "reader" }, "203.0.113.4")
        assert.match(api_key, /^plk_[A-Za-z0-9_-]{43}$/)
        const tables = yield* Effect.forEach(
          ["account", "api_key", "starter_grant", "posting", "ledger_entry"],
          (table) => sql<{ row: string }>`select t::text as row from ${sql(table)} t`
        )
        const text = tables
          .flat()
          .map(({ row }) => row)
          .join("\n")
        assert.include(text, "reader")
        assert.notInclude(text, api_key.slice(4))
        assert.notInclude(text, "203.0.113.4")
      })
    )

    it.effect("tells missing, unknown and ended keys nothing apart", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { api_key } = yield* accounts.register({ agent_name: "Ünï " }, "203.0.113.5")
        const key = Redacted.make(api_key)
        assert.deepInclude(balanceOf(yield* accounts.authenticate(key)), {
          credits_balance: 5,
          agent_name: "Ünï",
          spending_status: "active"
        })
        const next = yield* accounts.rotate(key)
        const refusals = yield* Effect.forEach(
          [undefined, Redacted.make(""), Redacted.make("plk_x"), key],
          (wrong) => Effect.flip(accounts.authenticate(wrong))
        )
        assert.strictEqual(new Set(refusals.map(({ message }) => message)).size, 1)
        assert.strictEqual((yield* accounts.authenticate(Redacted.make(next.api_key))).balance, 5_000_000n)
        assert.strictEqual((yield* Effect.flip(accounts.rotate(key)))._tag, "KeyUnknown")
      })
    )

    it.effect("refuses names and addresses that are made to deceive", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const names = [
          "a\r\nX-Evil: 1",
          "a\u202Eb",
          "a\u200Bb",
          "\u0000",
          "a\uD800",
          "x".repeat(101),
          "a\u2028b"
        ]
        for (const agent_name of names) {
          const refused = yield* Effect.flip(accounts.register({ agent_name }, "203.0.113.6"))
          assert.deepInclude(refused, { _tag: "BadParameter", field: "agent_name" })
        }
        for (const email of ["", "a", "a@b", "a b@c.de", "a@c.de\nBcc: x", `${"x".repeat(250)}@c.de`]) {
          const refused = yield* Effect.flip(accounts.register({ email }, "203.0.113.6"))
          assert.deepInclude(refused, { _tag: "BadParameter", field: "email" })
        }
        // None of the refusals used up a grant.
        const fine = yield* accounts.register({ agent_name: "👩", email: "a+b@c.example" }, "203.0.113.6")
        assert.strictEqual(fine.credits_balance, 5)
      })
    )
  })
})
