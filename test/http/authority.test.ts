/** In whose name a request is answered: a sale lends the page its buyer's name, and the request keeps its own. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Callers, pageBuyer } from "../../core/credits/Callers.ts"
import { howToUnlock } from "../../core/credits/unlock.ts"
import { fresh, RequestState } from "../../http/delivery/RequestState.ts"
import { caller } from "../../http/middleware/caller.ts"

const keyless = { tier: "free", access: { ...pageBuyer.access, breadth: "sample" } } as const

const request = HttpServerRequest.fromWeb(new Request("https://plumbline.test/v1/x402/supply"))

const services = Layer.mergeAll(
  Layer.mock(Callers)({
    identify: () => Effect.succeed(keyless),
    perRequest: false,
    howToUnlock: (gated) => howToUnlock(gated, { card: false, perRequest: false, hasAccount: false })
  }),
  Layer.succeed(HttpServerRequest.HttpServerRequest, request)
)

it.effect("is its own outside of what it is lent for", () =>
  Effect.gen(function* () {
    const state = fresh({ caller: undefined, inTurn: undefined })
    const bought = fresh({ caller: pageBuyer, inTurn: undefined })
    const callers = yield* Effect.all([
      caller,
      Effect.provideService(caller, RequestState, bought),
      caller
    ]).pipe(Effect.provideService(RequestState, state), Effect.provide(services))
    assert.deepStrictEqual(
      callers.map(({ tier }) => tier),
      ["free", "design_partner", "free"]
    )
    // @ts-expect-error: nobody raises a caller by changing the state of his request.
    const raise = () => (state.caller = pageBuyer)
    assert.isFunction(raise)
  })
)
