import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { EventFeed } from "../../core/events/EventFeed.ts"
import { events, eventsText, mostId } from "../../core/events/read/events.ts"
import { type EventParams, filterOf, isSampled } from "../../core/events/read/filter.ts"
import { accessNote } from "../../core/readings/read/Access.ts"
import { wholeNumber } from "../../core/readings/read/parameters.ts"
import { Api } from "../api/Api.ts"
import { withOwnBody } from "../delivery/Body.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { access, caller } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"
import { respond } from "../problems/fromRequest.ts"
import { networkOfRequest } from "../request/origin.ts"
import * as frames from "../stream/frames.ts"
import { OpenStream } from "../stream/OpenStream.ts"
import { Streams } from "../stream/Streams.ts"

const stream = Effect.fn(function* (
  params: EventParams & { readonly after?: number },
  lastEventId: string | undefined
) {
  const streams = yield* Streams
  const feed = yield* EventFeed
  const { trustProxy } = yield* HttpSettings
  const { account, access, tier } = yield* caller
  const { method, source } = yield* HttpServerRequest.HttpServerRequest
  const filter = yield* filterOf(params)
  const resumed = yield* wholeNumber("Last-Event-ID", lastEventId === "" ? undefined : lastEventId, {
    min: 0,
    max: mostId,
    fallback: -1
  })
  const bounds = yield* feed.bounds
  const newest = Math.max(bounds.newest, feed.newest())
  const requested = resumed >= 0 ? resumed : (params.after ?? newest)
  // An id from the future is of another service, or from before a backup was restored.
  const after = Math.min(requested, newest)
  const first = [
    frames.opened({ after, oldest_id: bounds.oldest, newest_id: newest, access: accessNote(access) }),
    ...(requested > newest ? [frames.gap({ from: newest + 1, to: requested })] : [])
  ]
  const headers = { "cache-control": "no-store", "x-accel-buffering": "no" }
  const contentType = "text/event-stream; charset=utf-8"
  if (method === "HEAD") return HttpServerResponse.text("", { headers, contentType })
  const granted = yield* streams.grant({
    name: account === undefined || tier === "free" ? networkOfRequest(source, trustProxy) : account.id,
    tier
  })
  const body = new OpenStream(granted, { after, filter, sampled: isSampled(filter, access), first })
  return withOwnBody(body, { headers, contentType })
})

export const layer = HttpApiBuilder.group(Api, "events", (handlers) =>
  handlers.handleAll({
    events: ({ query }) =>
      access.pipe(
        Effect.flatMap((access) => events({ access, ...query })),
        Effect.map((page) => HttpServerResponse.text(eventsText(page), { contentType: "application/json" })),
        orProblem
      ),
    stream: ({ headers, query }) =>
      stream(query, headers["last-event-id"]).pipe(
        orProblem,
        Effect.catchTag("TooManyRequests", (problem) =>
          respond(problem, { "retry-after": String(problem.retry_after) })
        )
      )
  })
)
