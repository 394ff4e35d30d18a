import { Effect, Result, Schema } from "effect"
import { breakdown, capacity, fromBaseUnits, metric, type Numeric, Plugin, Upstream } from "#plugin"
import { combine, count, moment, positive } from "#plugin/fields"

/** The statistics are made once a day: older ones stand still. */
const still = 3 * 86_400_000

const Statistics = Schema.Struct({
  latest: Schema.Struct({
    added: moment,
    node_count: positive,
    channel_count: count,
    total_capacity: count,
    tor_nodes: count,
    clearnet_nodes: count
  })
})

const isRecent = (added: Numeric | null | undefined, now: number) =>
  combine([added], ([added]) => now - added < still) === true

export default Plugin.define({
  id: "lightning",
  title: "Lightning Network",
  covers: { networks: ["BTC"] },
  source: "mempool_lightning",
  tier: "supply_telemetry",
  sources: ["mempool_emzy_lightning"],
  hosts: ["mempool.space", "mempool.emzy.de"],
  settings: { mempool_url: "https://mempool.space", mirror_url: "https://mempool.emzy.de" },
  every: "1 hour",
  calls: 2,
  grade: "B",
  evidence: [{ source: "stored clients of mempool.space", read: "2026-11-20", members: [] }],
  metrics: {
    lightning_nodes: capacity("count", "Lightning nodes with a public channel."),
    lightning_channels: capacity("count", "Public Lightning channels."),
    lightning_capacity: metric("tokens", "BTC in public Lightning channels."),
    lightning_nodes_tor: breakdown("count", "Lightning nodes announced on Tor alone."),
    lightning_nodes_clearnet: breakdown("count", "Lightning nodes announced on clear networks alone.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const now = yield* Upstream.now
      const read = (host: string) => Upstream.json(`${host}/api/v1/lightning/statistics/latest`, Statistics)
      const part = (asked: ReturnType<typeof read>, source: string) =>
        Plugin.from(observe, asked, { source, as_of: ({ latest }) => latest.added }, ({ latest }) => ({
          lightning_nodes: latest.node_count,
          lightning_channels: latest.channel_count,
          lightning_capacity: fromBaseUnits(latest.total_capacity, 8),
          lightning_nodes_tor: latest.tor_nodes,
          lightning_nodes_clearnet: latest.clearnet_nodes
        }))
      const first = yield* Effect.result(read(yield* Upstream.setting("mempool_url")))
      const moves = Result.isSuccess(first) && isRecent(first.success.body.latest.added, now)
      const second = yield* Upstream.setting("mirror_url")
      return yield* Plugin.anyOf("BTC", [
        part(Effect.fromResult(first), "mempool_lightning"),
        // A node of its own sees a graph of its own: another series, and none while the first one moves.
        ...(moves ? [] : [part(read(second), "mempool_emzy_lightning")])
      ])
    })
})
