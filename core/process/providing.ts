/** Lets the methods of a service be functions at the top of their module, each of which names the services that it needs. */
import { Context, Effect } from "effect"

/**
 * Takes services from the context of a layer. The result turns a function that needs some of them into a method that needs
 * none: `const provided = yield* providing(SqlClient.SqlClient, Ledger)`, then `provided(buy)`.
 */
export const providing = <Keys extends ReadonlyArray<Context.Key<unknown, unknown>>>(...keys: Keys) =>
  Effect.map(Effect.context<Context.Service.Identifier<Keys[number]>>(), (context) => {
    const services = Context.pick(...keys)(context)
    return <Args extends ReadonlyArray<unknown>, A, E>(
      method: (...args: Args) => Effect.Effect<A, E, Context.Service.Identifier<Keys[number]>>
    ) =>
      (...args: Args): Effect.Effect<A, E> =>
        Effect.provideContext(method(...args), services)
  })
