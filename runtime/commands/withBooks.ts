/** What the commands that compare the books share. */
import { Console, Effect } from "effect"
import { NotPassed } from "../cli/usage.ts"

/** Loaded only for these commands: Stripe and the EVM library are large. */
const opened = Effect.promise(() => import("../service/books.ts"))

/** With Stripe and the chain as configured. */
export const withBooks = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(opened, ({ books }) => Effect.provide(work, books))

/** A party that was to be compared does not answer. */
export const unreachable = (why: string) =>
  Effect.andThen(Console.error(`plumbline: ${why}; nothing was compared`), new NotPassed({ code: 2 }))
