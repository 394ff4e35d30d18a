/**
 * A process that moves money until it is killed: `buyer.ts <number of the first step>`, with the database of its
 * environment. Every step has a key of its own, so that the next process can take the last one up again. Says `ready`,
 * then `begins <n>` and `done <n> <purchase or ->` around each step; four buyers work at once.
 */
import { Effect, Layer, Redacted } from "effect"
import { Accounts, keyPrefix } from "../../core/credits/Accounts.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import * as Database from "../../runtime/database/Database.ts"
import { Settings } from "../../runtime/settings.ts"
import { credits } from "../support/credits.ts"

const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, "live"))).pipe(
  Layer.provide(Settings.layer)
)

export const services = credits(database, [
  { key: "depin_provenance", build: ({ id }) => Effect.succeed({ id, filler: "x".repeat(2000) }) }
])

export const key = Redacted.make(`${keyPrefix}of-a-fault-test`)

/** One step of the buyer: mostly purchases, now and then money comes or is taken back. */
export const step = Effect.fnUntraced(function* (n: number) {
  const account = yield* (yield* Accounts).authenticate(key)
  const ledger = yield* Ledger
  if (n % 5 === 0) {
    yield* ledger.credit(account.id, 2_000_000n, "card", {
      cause: "card_payment",
      reference: `step ${n}`,
      key: `card_payment:${n}`
    })
    return "-"
  }
  if (n % 17 === 3) {
    yield* ledger.takeBack(account.id, 700_000n, "card", {
      cause: "card_refund",
      reference: `step ${n}`,
      key: `card_refund:${n}`
    })
    return "-"
  }
  const bought = yield* (yield* Purchases)
    .buy(account, { product_key: "depin_provenance" }, `${n}`)
    .pipe(Effect.catchTag("CreditsShort", () => Effect.succeed(undefined)))
  if (bought === undefined) return "-"
  const { purchase_id } = JSON.parse(new TextDecoder().decode(bought)) as { purchase_id: string }
  return purchase_id
})

if (import.meta.main) {
  const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
  const first = Number(process.argv[2])
  Effect.runFork(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* Effect.catchTag(accounts.authenticate(key), "KeyUnknown", () =>
        accounts.open(Redacted.value(key), "")
      )
      yield* say("ready")
      yield* Effect.forEach(
        [0, 1, 2, 3],
        (lane) =>
          Effect.gen(function* () {
            for (let n = first + lane; ; n += 4) {
              yield* say(`begins ${n}`)
              yield* say(`done ${n} ${yield* step(n)}`)
            }
          }),
        { concurrency: "unbounded" }
      )
    }).pipe(Effect.provide(services), Effect.tapCause(Effect.logError))
  )
}
