import { Effect, Schema } from "effect"
import { atMost, capacity, headline, isSame, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { count, positive } from "#plugin/fields"

const api = "https://atlas.ripe.net/api/v2"

// Each list says how many it holds, so a count needs one page of one entry. Thousands have long been in each.
const Probes = Schema.Struct({ count: positive })

// An ISO 3166-1 code: a text that is none, or an empty one, would count as one country more.
const Country = Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/))

const Anchors = Schema.Struct({
  count,
  next: Schema.NullOr(Schema.String),
  results: Schema.Array(Schema.Struct({ country: Country, is_disabled: Schema.Boolean }))
})

export default Plugin.define({
  id: "ripe-atlas",
  title: "RIPE Atlas probes and anchors",
  covers: { networks: ["ATLAS"] },
  source: "ripe_atlas_api",
  tier: "supply_telemetry",
  hosts: ["atlas.ripe.net"],
  every: "6 hours",
  calls: 13,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "https://atlas.ripe.net/api/v2/probes/?format=api&page=112": "count, next, results, status",
    "https://atlas.ripe.net/api/v2/anchors/?format=xml&page=537&page_size=1":
      "count, next, country, is_disabled",
    "RIPE-NCC/ripe-atlas-cousteau@43b3fe4a tests/test_api_listing.py": "status, status_name"
  }),
  relations: [atMost("anchor_countries", "anchors_active")],
  terms: termsOn("2026-11-25", "Data: RIPE Atlas, a service of the RIPE NCC, atlas.ripe.net", {
    address: "https://atlas.ripe.net/get-involved/commercial-use/",
    licence: "proprietary",
    sell: "no",
    bodies: "no",
    quote: "Any commercial use of the RIPE Atlas Data is subject to prior permission by the RIPE NCC."
  }),
  metrics: {
    nodes_online: headline("count", "Probes that are connected to RIPE Atlas, anchors among them."),
    nodes_offline: metric(
      "count",
      "Probes that were connected and are not now, for less than the operator waits before it calls one abandoned."
    ),
    nodes_abandoned: metric("count", "Probes that the operator has given up waiting for."),
    anchors_active: capacity("count", "Anchors in the list that are not disabled."),
    anchor_countries: capacity("count", "Countries with at least one anchor that is not disabled.")
  },
  collect: (observe) => {
    const counted = (name: "nodes_online" | "nodes_offline" | "nodes_abandoned", status: number) =>
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${api}/probes/?status=${status}&page_size=1`, Probes)
        return observe(answer, { [name]: answer.body.count })
      })
    const anchors = Effect.gen(function* () {
      const pages = yield* Upstream.pages(
        `${api}/anchors/?fields=country,is_disabled&page_size=500`,
        Anchors,
        ({ body }) => body.next ?? undefined,
        10
      )
      const [first] = pages
      const listed = pages.flatMap(({ body }) => body.results)
      if (first === undefined) return []
      if (listed.length === 0 || !isSame(listed.length, first.body.count)) {
        return yield* Upstream.implausible(
          first,
          "count",
          `${first.body.count} anchors, and ${listed.length} on the pages`
        )
      }
      const active = listed.filter(({ is_disabled }) => !is_disabled)
      return observe(first, {
        anchors_active: active.length,
        anchor_countries: new Set(active.map(({ country }) => country)).size
      })
    })
    // The API's own list of statuses, and the operator's client (RIPE-NCC/ripe-atlas-cousteau): 1 connected, 2
    // disconnected, 3 abandoned. The page of the manual that begins with 1 "Never Connected" is one off.
    return Plugin.anyOf("ATLAS", [
      counted("nodes_online", 1),
      counted("nodes_offline", 2),
      counted("nodes_abandoned", 3),
      anchors
    ])
  }
})
