import { Effect, Schema } from "effect"
import {
  capacity,
  compareNumbers,
  everyUse,
  headline,
  isNumber,
  type Numeric,
  Plugin,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { count, nonEmpty, sum } from "#plugin/fields"

// One relay is listed and the rest is counted: the whole list is a megabyte and more.
const url = "https://onionoo.torproject.org/summary?running=true&limit=1"

const Summary = Schema.Struct({
  relays_published: Upstream.TimeText,
  relays: nonEmpty(Schema.Unknown),
  relays_truncated: count,
  bridges_published: Upstream.TimeText,
  bridges: Schema.Array(Schema.Unknown),
  bridges_truncated: count
})

export default Plugin.define({
  id: "tor",
  title: "Tor relays and bridges",
  covers: { networks: ["TOR"] },
  source: "tor_onionoo",
  tier: "supply_telemetry",
  hosts: ["onionoo.torproject.org"],
  every: "1 hour",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "torproject/onionoo@636a586 src/main/java/org/torproject/metrics/onionoo/server/ResponseBuilder.java:131":
      "relays_published, relays, relays_truncated, bridges_published, bridges, bridges_truncated",
    "torproject/metrics-web@ebb494ab433dae8dac7ca1c881683ed61131bcef src/main/resources/web/jsps/onionoo.jsp":
      "relays_published, relays_truncated, bridges_published, bridges_truncated"
  }),
  terms: termsOn("2026-11-25", "Data: The Tor Project, https://metrics.torproject.org", {
    address:
      "torproject/metrics-web@187cb1e86808eda2555eee7ac25fe953452e766b src/main/resources/web/jsps/bottom.jsp",
    licence: "CC0-1.0",
    ...everyUse,
    quote:
      "Data on this site is freely available under a CC0 no copyright declaration: To the extent possible under law, the Tor Project has waived all copyright and related or neighboring rights in the data."
  }),
  metrics: {
    nodes_online: headline(
      "count",
      "Relays that run, after the newest consensus of the directory authorities."
    ),
    bridges_online: capacity("count", "Bridges that run, after the newest status of the bridge authority.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(url, Summary)
      const { bridges, bridges_published, bridges_truncated, relays, relays_published, relays_truncated } =
        answer.body
      // `limit` was 1, and the count of the rest is left out where there is none: then the list is not Tor's.
      const running = sum([relays.length, relays_truncated ?? 0])
      if (isNumber(running) && compareNumbers(running, 2) < 0) {
        return yield* Upstream.implausible(answer, `["relays"]`, "less than two relays run")
      }
      const [nodes_online, bridges_online] = [
        withRest(relays.length, relays_truncated),
        withRest(bridges.length, bridges_truncated)
      ]
      return [
        ...observe(answer, { nodes_online }, { as_of: Upstream.time(relays_published) }),
        ...observe(answer, { bridges_online }, { as_of: Upstream.time(bridges_published) })
      ]
    })
})

/**
 * What is listed and what was cut off. The count of the rest is left out where nothing was cut, which a list above the
 * limit bears out; beside a shorter one it is missing.
 */
const withRest = (listed: number, cut: Numeric | null | undefined) =>
  sum([listed, cut ?? (listed > 1 ? 0 : null)])
