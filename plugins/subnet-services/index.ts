import { Effect } from "effect"
import { Plugin, Upstream } from "#plugin"
import * as Figures from "#plugin/figures"
import * as Substrate from "#plugin/substrate"
import { metrics, type Service, services } from "./services.ts"

/** twox_128("SubtensorModule") and twox_128("NetworkRegisteredAt"); the netuid follows. */
const registeredAt = "0x658faa385070e074c85bf6b568cf0555271d29b9b717ce3d8c571f1cbc180fa2"
const node = "https://entrypoint-finney.opentensor.ai"

const keyOf = ({ netuid }: Service) => registeredAt + Substrate.littleEndian(netuid, 2)

const symbolOf = ({ netuid }: Pick<Service, "netuid">) => `SN${netuid}`

export default Plugin.define({
  id: "subnet-services",
  title: "Services of Bittensor subnets",
  covers: { networks: [...new Set(services.map(symbolOf))] },
  source: "subnet_service",
  tier: "supply_telemetry",
  hosts: [
    "entrypoint-finney.opentensor.ai",
    ...new Set(services.map(({ ask }) => new URL(String(ask)).host))
  ],
  every: "3 hours",
  timeout: "5 minutes",
  calls: 60,
  grade: "B",
  evidence: [
    {
      source: "the subnets' own repositories and JSONbored/metagraphed@30a4d61, each named in the README",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics,
  collect: (observe) =>
    Effect.gen(function* () {
      const block = yield* Substrate.finalizedHead(node)
      const [first = "", ...others] = new Set(services.map(keyOf))
      const chain = yield* Substrate.storageAt(node, [first, ...others], block)
      return yield* Plugin.forEach(
        services.map((service) => ({ ...service, symbol: symbolOf(service) })),
        Effect.fnUntraced(function* (service) {
          const { netuid, page, registered_at, symbol } = service
          const found = yield* chain.read(keyOf(service), `NetworkRegisteredAt[${netuid}]`, Substrate.u64)
          if (found !== BigInt(registered_at)) {
            const now = found === undefined ? "not registered" : `registered at block ${found}`
            const detail = `${symbol} is ${now}: the service of the registration of block ${registered_at} is not its own`
            return yield* Upstream.implausible(chain.answer, "NetworkRegisteredAt", detail)
          }
          const { answer, as_of, values } = yield* Figures.read(service)
          return observe(answer, values, { symbol, as_of, verify_url: page })
        })
      )
    })
})
