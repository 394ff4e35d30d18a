/** How long clients and caches may keep a file of the log. */
import { Effect } from "effect"
import { RequestState } from "./RequestState.ts"

const cacheControl = (value: string) =>
  Effect.map(RequestState, (exchange) => {
    exchange.headers = { ...exchange.headers, "cache-control": value }
  })

/** Marks the current response, once it succeeds, as a file that never changes. */
export const immutable = <A, E, R>(file: Effect.Effect<A, E, R>) =>
  Effect.tap(file, () => cacheControl("public, max-age=31536000, immutable"))

/** The same for a file that not everybody may read: shared caches do not keep it. */
export const privatelyImmutable = <A, E, R>(file: Effect.Effect<A, E, R>) =>
  Effect.tap(file, () => cacheControl("private, max-age=31536000, immutable"))

/** Marks it as an answer that nobody keeps. */
export const unkept = <A, E, R>(file: Effect.Effect<A, E, R>) =>
  Effect.tap(file, () => cacheControl("no-store"))

/** Marks it as a file that may change at any time: every use asks whether it did. */
export const revalidated = <A, E, R>(file: Effect.Effect<A, E, R>) =>
  Effect.tap(file, () => cacheControl("no-cache"))
