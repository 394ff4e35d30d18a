import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, quantity } from "../../core/plugin/shapes/fields.ts"
import { mayDropToZero, metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const api = "https://api.stats.golem.network/v1/network"

export default Plugin.define({
  id: "golem",
  title: "Golem providers",
  covers: { networks: ["GLM"] },
  tier: "supply_telemetry",
  source: "golem_stats",
  hosts: ["api.stats.golem.network"],
  every: "15 minutes",
  calls: 2,
  grade: "B",
  owner: "plumbline",
  metrics: {
    nodes_online: metric("count", "Providers online."),
    cpu_threads: metric("cores", "CPU threads that the providers online offer."),
    memory_gib: metric("gib", "Memory that the providers online offer."),
    disk_gib: metric("gib", "Disk that the providers online offer."),
    nodes_computing: mayDropToZero("count", "Providers that compute right now.")
  },
  collect: (observe) =>
    Plugin.anyOf("GLM", [
      Effect.map(
        Upstream.json(
          `${api}/online/stats`,
          Schema.Struct({ online: count, threads: quantity, memory: quantity, disk: quantity })
        ),
        (answer) => {
          const { disk, memory, online, threads } = answer.body
          return observe(answer, {
            nodes_online: online,
            cpu_threads: threads,
            memory_gib: memory,
            disk_gib: disk
          })
        }
      ),
      Effect.map(Upstream.json(`${api}/computing`, Schema.Struct({ computing_now: count })), (answer) =>
        observe(answer, { nodes_computing: answer.body.computing_now })
      )
    ])
})
