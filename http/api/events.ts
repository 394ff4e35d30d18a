/** What changed, as it happens: the feed of events as a list and as a stream. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { dependenciesOf } from "../../core/wire/data/dependency.ts"
import { EventsResponse } from "../../core/wire/events/event.ts"
import { UnknownSymbol } from "../../core/wire/problems/request.ts"
import { always, ByTier, DependsOn } from "./Contract.ts"
import { text, wholeNumber } from "./parameters.ts"

const filterParams = {
  symbol: text("1 to 50 symbols of /v1/networks, comma-separated; only events of these networks"),
  category: text("a category of /v1/networks; only events of its networks"),
  kind: text(
    "kinds of events, comma-separated: values, revisions, incident_opened, incident_closed, day_closed, anchor_confirmed, disagreement, observer_disagreement, method_changed"
  )
}

const id = (what: string) => wholeNumber(0, Number.MAX_SAFE_INTEGER, what)

/** Works without a key; the key of a higher tier shows more. */
const wider = { override: { security: [{}, { apiKey: [] }] } }

const Stream = Schema.String.annotate({
  description:
    "Server-sent events. Each event of the feed has its `id`, its kind as `event`, and the signed event as `data`. `open`, " +
    "`gap` and `close` are about the stream itself; they have no id and are not signed."
}).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))

export const EventsFamily = HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("events", "/v1/events", {
      query: {
        ...filterParams,
        after: id("id of the last event you have; without it, the oldest event that is retained"),
        limit: wholeNumber(1, 500, "maximum events per page, default 100")
      },
      success: EventsResponse,
      error: UnknownSymbol
    })
      .annotate(DependsOn, always(...dependenciesOf.events))
      .annotate(ByTier, true)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Events",
          description:
            "New values by network, revisions, incidents, closed days and confirmed anchors of the last three days, oldest " +
            "first. Every event is signed by itself. Pass `next_after` as `after` to get what comes next. Without a " +
            "subscription, new values are those of a sample of networks that rotates each UTC day, or of the networks that " +
            "`symbol` names.",
          ...wider
        })
      ),
    HttpApiEndpoint.get("stream", "/v1/stream", {
      headers: {
        "last-event-id": Schema.optionalKey(
          Schema.String.annotate({
            description: "id of the last event you have; a browser sends it by itself"
          })
        )
      },
      query: {
        ...filterParams,
        after: id(
          "the same as `Last-Event-ID`, for a first connection; without both, only new events are sent"
        )
      },
      success: Stream,
      error: UnknownSymbol
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Events as they happen",
        description:
          "The events of /v1/events as server-sent events, for `EventSource` and everything that reads lines. It resumes " +
          "after `Last-Event-ID`; events that are no longer retained are reported by a `gap`, never skipped. The events are signed, the " +
          "response is not. A heartbeat comes every 15 seconds; a client that reads nothing for 30 seconds is cut off, and " +
          "a stream ends after an hour: connect again. Five streams may be open for a network without a key.",
        ...wider
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Events", description: "What changed, as a list, a stream, or webhooks." })
  )
