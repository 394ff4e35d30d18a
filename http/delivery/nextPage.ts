/** Points to the next page of a list with a `Link` header (RFC 8288): the same request with another cursor. */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpSettings } from "../HttpSettings.ts"
import { RequestState } from "./RequestState.ts"

const headerOf = (baseUrl: string, url: string, cursor: string): string => {
  const next = new URL(url, baseUrl)
  next.searchParams.set("cursor", cursor)
  return `<${baseUrl}${next.pathname}${next.search}>; rel="next"`
}

/** Adds the `Link` header for `cursor` to the current response; does nothing on the last page. */
export const nextPage = Effect.fnUntraced(function* (cursor: string | undefined) {
  if (cursor === undefined) return
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const { baseUrl } = yield* HttpSettings
  const exchange = yield* RequestState
  exchange.headers = { ...exchange.headers, link: headerOf(baseUrl, url, cursor) }
})

/** The same, for a response with `next_cursor`. */
export const linked = <A extends { readonly next_cursor?: string | undefined }, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.tap(effect, ({ next_cursor }) => nextPage(next_cursor))
