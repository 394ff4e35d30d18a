import { Schema } from "effect"
import { capacity, headline, mayDropToZero, Plugin, Upstream } from "#plugin"
import { count, quantity } from "#plugin/fields"

const api = "https://api2.stats.golem.network"

const Online = Schema.Struct({
  providers: count,
  cores: quantity,
  memory: quantity,
  storage: quantity,
  gpus: count
})
const Computing = Schema.Struct({ computing_now: count })

export default Plugin.define({
  id: "golem",
  title: "Golem providers",
  covers: { networks: ["GLM"] },
  source: "golem_stats_v2",
  hosts: ["api2.stats.golem.network"],
  every: "15 minutes",
  calls: 2,
  grade: "A",
  metrics: {
    nodes_online: headline("count", "Providers online, on the main network and the test networks."),
    cpu_threads: capacity(
      "cores",
      "CPU threads that the providers online offer: of each, those of its largest fresh offer."
    ),
    memory_gib: capacity(
      "gib",
      "Memory that the providers online offer: of each, that of its largest fresh offer."
    ),
    disk_gib: capacity(
      "gib",
      "Disk that the providers online offer: of each, that of its largest fresh offer."
    ),
    gpu_offers: mayDropToZero("count", "Fresh offers of the providers online that name a GPU.", {
      role: "capacity"
    }),
    nodes_computing: mayDropToZero(
      "count",
      "Providers online that have an open activity or an open agreement."
    )
  },
  collect: (observe) =>
    Plugin.anyOf("GLM", [
      Plugin.one(
        observe,
        `${api}/v2/network/online/stats`,
        Online,
        ({ cores, gpus, memory, providers, storage }, answer) =>
          // A scan of the network that found nobody leaves zeros in every field.
          providers === 0
            ? Upstream.implausible(answer, `["providers"]`, "no provider is online")
            : {
                nodes_online: providers,
                cpu_threads: cores,
                memory_gib: memory,
                disk_gib: storage,
                gpu_offers: gpus
              }
      ),
      Plugin.one(observe, `${api}/v1/network/computing`, Computing, ({ computing_now }) => ({
        nodes_computing: computing_now
      }))
    ])
})
