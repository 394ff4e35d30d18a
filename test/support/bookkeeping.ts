/** The credit services over a Postgres of their own, with a Stripe that a test drives. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Bookkeeping } from "../../core/credits/books/Bookkeeping.ts"
import { CardEvents } from "../../core/credits/card/CardEvents.ts"
import { CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import { Cards } from "../../core/credits/card/Cards.ts"
import { Chain as ChainPort, SalesChain } from "../../core/credits/chain/Chain.ts"
import { credits, register } from "./credits.ts"
import { postgres } from "./database.ts"
import { type StripeStub, stripeStub } from "./stripe.ts"

/** The credit services with Bookkeeping, over these ports. */
export const services = (outside: {
  readonly cards?: CardProcessor
  readonly chain?: ChainPort
  readonly sales?: ChainPort
}) =>
  Bookkeeping.layer.pipe(
    Layer.provideMerge(credits(postgres, [], outside)),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(CardProcessor, outside.cards ?? null),
        Layer.succeed(ChainPort, outside.chain ?? null),
        Layer.succeed(SalesChain, outside.sales ?? null)
      )
    )
  )

export const withStripe = <A, E>(
  test: (stub: StripeStub) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>>>
) =>
  Effect.flatMap(stripeStub, ({ processor, stub }) =>
    Effect.provide(test(stub), services({ cards: processor }))
  )

export const tell = Effect.fnUntraced(function* (stub: StripeStub, event: object) {
  const { body, signature } = stub.sign(event, { timestamp: Math.max(1, stub.now) })
  yield* (yield* CardEvents).take(new TextEncoder().encode(body), signature)
})

/** Both clocks. */
export const setTime = (stub: StripeStub, ms: number) =>
  Effect.andThen(
    Effect.sync(() => {
      stub.now = ms / 1000
    }),
    TestClock.setTime(ms)
  )

let networks = 0

/** A session for a pack of 20, and its account. */
export const ordered = Effect.fnUntraced(function* (stub: StripeStub) {
  const { id } = yield* register(`198.51.100.${++networks}`)
  const account = (yield* (yield* Accounts).find(id)) ?? assert.fail("no account")
  const link = yield* (yield* Cards).topUp(account, 20, "https://plumbline.test")
  const session = "checkout_url" in link ? (link.checkout_url.split("/").at(-1) ?? "") : ""
  return { account: id, session, of: stub.sessions.get(session) ?? assert.fail("no session") }
})
