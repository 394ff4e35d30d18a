/**
 * A process that moves money until it is killed: `buyer.ts <number of the first step> <key of a payer> <n>:<header> ...`,
 * with database and chain of its environment. Every step has a key or a signed authorization of its own, so that it can be
 * taken up again; the headers are those whose answer was lost before. Says `begins <n> <header or ->` and
 * `done <n> <purchase or ->` around each step; four are at work at once.
 */
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { privateKeyToAccount } from "viem/accounts"
import { Accounts } from "../../core/credits/Accounts.ts"

import { Ledger } from "../../core/credits/Ledger.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import * as Database from "../../runtime/database/Database.ts"
import { settler } from "../../runtime/service/x402.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { credits } from "../support/credits.ts"
import { encode, payloadOf, sign } from "../support/payments.ts"

const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, "live"))).pipe(
  Layer.provide(Settings.layer)
)

const product = "depin_provenance"

export const services = Layer.unwrap(
  Effect.map(settler, (settler) =>
    credits(
      database,
      [{ key: product, build: ({ id }) => Effect.succeed({ id, filler: "x".repeat(2000) }) }],
      settler === null ? {} : { settler }
    )
  )
).pipe(Layer.provide(database), Layer.provide(Settings.layer))

export const key = Redacted.make(`plk_${"of-a-fault-test".padEnd(43, "_")}`)

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
    yield* ledger.clawback(account.id, 700_000n, "card", {
      cause: "card_refund",
      reference: `step ${n}`,
      key: `card_refund:${n}`
    })
    return "-"
  }
  const bought = yield* (yield* Purchases)
    .buy(account, { product_key: product }, `${n}`)
    .pipe(Effect.catchTag("CreditsShort", () => Effect.succeed(undefined)))
  if (bought === undefined) return "-"
  const { purchase_id } = JSON.parse(new TextDecoder().decode(bought)) as { purchase_id: string }
  return purchase_id
})

const shop = "https://shop.test"

/** A sale per request: gives its id. */
export const pay = Effect.fnUntraced(function* (header: string) {
  const { data, head } = yield* (yield* X402).pay(product, shop, { version: 2, header })
  const { purchase_id } = head
  const { id } = JSON.parse(new TextDecoder().decode(data)) as { id: string }
  if (id !== purchase_id) return yield* Effect.die(new Error(`${purchase_id} delivers another's data`))
  return purchase_id
})

/** As after a restart a while later: nobody holds a sale, and what was left in the middle is followed up. */
export const takeUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const x402 = yield* X402
  for (let n = 0; n < 3; n++) {
    yield* sql`update x402_sale set lease_until = '2000-01-01' where state in ('reserved', 'settling')`
    yield* x402.complete
  }
})

/** Every third step is a sale per request, with a new authorization. */
const authorized = Effect.fnUntraced(function* (n: number, payer: ReturnType<typeof privateKeyToAccount>) {
  if (n % 3 !== 1) return undefined
  const [listed] = yield* (yield* X402).list(shop)
  const offer = listed?.offer?.accepts[0]
  if (offer === undefined) return yield* Effect.die(new Error(`no offer: ${listed?.reason}`))
  return encode(payloadOf(yield* Effect.promise(() => sign(payer, offer)), offer))
})

if (import.meta.main) {
  const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
  const first = Number(process.argv[2])
  const payer = privateKeyToAccount(process.argv[3] as `0x${string}`)
  Effect.runFork(
    Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* Effect.catchTag(accounts.authenticate(key), "KeyUnknown", () =>
        accounts.open(Redacted.value(key), "")
      )
      yield* takeUp
      for (const lost of process.argv.slice(4)) {
        const [n, header = ""] = lost.split(":")
        yield* say(`done ${n} ${yield* pay(header)}`)
      }
      yield* Effect.forEach(
        [0, 1, 2, 3],
        (lane) =>
          Effect.gen(function* () {
            for (let n = first + lane; ; n += 4) {
              const header = yield* authorized(n, payer)
              yield* say(`begins ${n} ${header ?? "-"}`)
              yield* say(`done ${n} ${yield* header === undefined ? step(n) : pay(header)}`)
            }
          }),
        { concurrency: "unbounded" }
      )
    }).pipe(Effect.provide(services), Effect.tapCause(Effect.logError))
  )
}
