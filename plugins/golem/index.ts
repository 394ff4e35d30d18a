import { Schema } from "effect"
import { mayDropToZero, metric, Plugin } from "#plugin"
import { count, quantity } from "#plugin/fields"

const api = "https://api.stats.golem.network/v1/network"

const Online = Schema.Struct({ online: count, threads: quantity, memory: quantity, disk: quantity })
const Computing = Schema.Struct({ computing_now: count })

export default Plugin.define({
  id: "golem",
  title: "Golem providers",
  covers: { networks: ["GLM"] },
  source: "golem_stats",
  hosts: ["api.stats.golem.network"],
  every: "15 minutes",
  calls: 2,
  grade: "B",
  metrics: {
    nodes_online: metric("count", "Providers online."),
    cpu_threads: metric("cores", "CPU threads that the providers online offer."),
    memory_gib: metric("gib", "Memory that the providers online offer."),
    disk_gib: metric("gib", "Disk that the providers online offer."),
    nodes_computing: mayDropToZero("count", "Providers that compute right now.")
  },
  collect: (observe) =>
    Plugin.anyOf("GLM", [
      Plugin.one(observe, `${api}/online/stats`, Online, ({ disk, memory, online, threads }) => ({
        nodes_online: online,
        cpu_threads: threads,
        memory_gib: memory,
        disk_gib: disk
      })),
      Plugin.one(observe, `${api}/computing`, Computing, ({ computing_now }) => ({
        nodes_computing: computing_now
      }))
    ])
})
