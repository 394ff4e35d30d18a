import { Effect, Result, Schema } from "effect"
import {
  breakdown,
  capacity,
  fromBaseUnits,
  metric,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { lastCompleteDay } from "#plugin/days"
import { combine, count, moment, sum } from "#plugin/fields"

/** Days of the last week; today's row is rewritten until the day is over. */
const Days = Schema.Array(
  Schema.Struct({
    added: moment,
    channel_count: count,
    total_capacity: count,
    tor_nodes: count,
    clearnet_nodes: count,
    clearnet_tor_nodes: count,
    unannounced_nodes: count
  })
)

/** A day that ended longer ago stands still: the next one should be over, too. */
const still = 3 * 86_400_000

/** The graph has never lost three tenths of its nodes from one day to the next. */
const least = 0.7

/** Each node of the graph is of one of the four. */
const nodesOf = (day: (typeof Days.Type)[number]) =>
  sum([day.tor_nodes, day.clearnet_nodes, day.clearnet_tor_nodes, day.unannounced_nodes])

export default Plugin.define({
  id: "lightning",
  title: "Lightning Network",
  covers: { networks: ["BTC"] },
  source: "mempool_lightning",
  tier: "supply_telemetry",
  sources: ["mempool_emzy_lightning"],
  hosts: ["mempool.space", "mempool.emzy.de"],
  settings: { mempool_url: "https://mempool.space", mirror_url: "https://mempool.emzy.de" },
  every: "6 hours",
  calls: 2,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "mempool/mempool@227cbd2450f603e7ed3a869961d6753ec14f36b5 backend/src/api/explorer/statistics.api.ts":
      "added, channel_count, total_capacity, tor_nodes, clearnet_nodes, unannounced_nodes, clearnet_tor_nodes",
    "mempool/mempool@ff8fecbd05c7f430220cc7b0f3f0f2276e162d3c backend/src/tasks/lightning/sync-tasks/stats-importer.ts":
      "torNodes, clearnetNodes, clearnetTorNodes, unannouncedNodes, capacities",
    "mempool/mempool@3be31817749e4af345e861937175264e09314cb7 backend/src/tasks/lightning/stats-updater.service.ts":
      "setDateMidnight, computeNetworkStats"
  }),
  relations: [partOf(["lightning_nodes_tor", "lightning_nodes_clearnet"], "lightning_nodes")],
  canaries: [
    {
      request:
        "https://mempool.space/api/block/000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
      path: ["timestamp"],
      is: 1_231_006_505,
      why: "the time of Bitcoin's genesis block, which is in its hash"
    }
  ],
  terms: termsOn("2026-11-25", "Data: mempool.space, https://mempool.space"),
  metrics: {
    lightning_nodes: capacity(
      "count",
      "Nodes of the public channel graph, in the newest UTC day that is over."
    ),
    lightning_channels: capacity(
      "count",
      "Public Lightning channels, in the newest UTC day that is over: those whose funding transaction is known."
    ),
    lightning_capacity: metric(
      "tokens",
      "BTC in public Lightning channels, in the newest UTC day that is over."
    ),
    lightning_nodes_tor: breakdown("count", "Lightning nodes announced on Tor alone."),
    lightning_nodes_clearnet: breakdown("count", "Lightning nodes announced on clear networks alone.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const now = yield* Upstream.now
      const read = (setting: string, source: string) =>
        Effect.gen(function* () {
          const host = yield* Upstream.setting(setting)
          const answer = yield* Upstream.json(`${host}/api/v1/lightning/statistics/1w`, Days)
          const newest = lastCompleteDay(answer.body, ({ added }) => added, now)
          if (newest === undefined || now - newest.as_of > still) {
            return yield* Upstream.implausible(
              answer,
              "",
              "no day of the last three listed: they stand still"
            )
          }
          const { as_of, before, row } = newest
          const [nodes, nodesBefore] = [nodesOf(row), before && nodesOf(before)]
          // A server that starts again counts while it still reads the graph.
          if (combine([nodes, nodesBefore], ([nodes, before]) => nodes < before * least) === true) {
            return yield* Upstream.implausible(answer, "", `${nodes} nodes a day after ${nodesBefore}`)
          }
          return observe(
            answer,
            {
              lightning_nodes: nodes,
              lightning_channels: row.channel_count,
              lightning_capacity: fromBaseUnits(row.total_capacity, 8),
              lightning_nodes_tor: row.tor_nodes,
              lightning_nodes_clearnet: row.clearnet_nodes
            },
            { source, as_of }
          )
        })
      const first = yield* Effect.result(read("mempool_url", "mempool_lightning"))
      return yield* Plugin.anyOf("BTC", [
        Effect.fromResult(first),
        // A node of its own sees a graph of its own: another series, and none while the first one moves.
        ...(Result.isSuccess(first) ? [] : [read("mirror_url", "mempool_emzy_lightning")])
      ])
    })
})
