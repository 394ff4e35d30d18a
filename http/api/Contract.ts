/** The errors every endpoint can return, and the annotations that an endpoint can carry. */
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { Dependency } from "../../core/wire/data/dependency.ts"
import { BadParameter, BodyTooLarge, UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import { InternalError, TooManyRequests, Unavailable } from "../../core/wire/problems/service.ts"

/**
 * Checks a request against its endpoint. An unknown or repeated query parameter, or a value that does not decode, is a
 * 400 that names the field and what is valid.
 */
export class Contract extends HttpApiMiddleware.Service<Contract>()("http/api/Contract", {
  error: [BadParameter, BodyTooLarge, UnsupportedMediaType, TooManyRequests, InternalError, Unavailable]
}) {}

/** The parameters of a request, as sent. */
export interface RequestParams {
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | undefined>>
}

/**
 * What a response to a keyless request depends on. Its bytes are kept while none of that changes: forever, if it depends
 * on nothing. Undefined: never kept.
 */
export type DependsOn = (request: RequestParams) => ReadonlyArray<Dependency> | undefined

export const DependsOn = Context.Reference<DependsOn>("http/api/DependsOn", {
  defaultValue: () => () => undefined
})

/** For an endpoint whose responses depend on the same things, whatever the parameters. */
export const always =
  (...dependencies: ReadonlyArray<Dependency>): DependsOn =>
  () =>
    dependencies

/** What a 404 depends on beside what a response with data does: its bytes are kept as well. Undefined: they are not. */
export const NotFoundDependsOn = Context.Reference<DependsOn>("http/api/NotFoundDependsOn", {
  defaultValue: () => () => undefined
})

/** True for what waits its turn although its answers are not kept: making one may take long. */
export const WaitsItsTurn = Context.Reference<boolean>("http/api/WaitsItsTurn", { defaultValue: () => false })

/**
 * True for what takes so long that it has a queue of its own, so that what is quick never waits for it. Its answers are not kept.
 */
export const TakesLong = Context.Reference<boolean>("http/api/TakesLong", { defaultValue: () => false })

/** The most bytes of a body. */
export const LargestBody = Context.Reference<number>("http/api/LargestBody", {
  defaultValue: () => 64 * 1024
})

/** True if the handler reads the body, and holds it to its schema: where that takes so long that a thread does it. */
export const ReadsBody = Context.Reference<boolean>("http/api/ReadsBody", { defaultValue: () => false })

/** True if a response depends on the tier of the caller's key, and on nothing else about the caller. */
export const ByTier = Context.Reference<boolean>("http/api/ByTier", { defaultValue: () => false })

/**
 * True for what people open in a browser: a parameter that it does not know leads to its address without it, and its
 * refusals are pages.
 */
export const ForPeople = Context.Reference<boolean>("http/api/ForPeople", { defaultValue: () => false })

/** An example body, for the hint returned to a GET on a POST-only path. */
export const Sample = Context.Reference<unknown>("http/api/Sample", { defaultValue: () => undefined })

/** The body assumed if none is sent. Without this annotation a body is required. */
export const WithoutBody = Context.Reference<string | undefined>("http/api/WithoutBody", {
  defaultValue: () => undefined
})
