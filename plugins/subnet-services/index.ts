import { Effect } from "effect"
import { neverFalls, Plugin, partOf, termsOn, Upstream } from "#plugin"
import { readingsOf } from "#plugin/declare"
import { firstOf } from "#plugin/gateways"
import * as Substrate from "#plugin/substrate"
import { machines } from "./machines.ts"
import { metrics } from "./metrics.ts"
import type { Service } from "./Service.ts"
import { work } from "./work.ts"

const services = [...machines, ...work].toSorted((a, b) => a.netuid - b.netuid)

/** twox_128("SubtensorModule") and twox_128("NetworkRegisteredAt"); the netuid follows. */
const registeredAt = "0x658faa385070e074c85bf6b568cf0555271d29b9b717ce3d8c571f1cbc180fa2"

/** The operator's node, and one of another house, which is asked where the first is gone. */
const nodes = [
  "https://entrypoint-finney.opentensor.ai",
  "https://bittensor-finney.api.onfinality.io/public"
] as const

const keyOf = ({ netuid }: Service) => registeredAt + Substrate.littleEndian(netuid, 2)

const symbolOf = ({ netuid }: Pick<Service, "netuid">) => `SN${netuid}`

export default Plugin.define({
  id: "subnet-services",
  title: "Services of Bittensor subnets",
  covers: { networks: [...new Set(services.map(symbolOf))] },
  source: "subnet_service",
  tier: "supply_telemetry",
  hosts: [
    ...nodes.map((node) => new URL(node).host),
    ...new Set(services.map(({ ask }) => new URL(String(ask)).host))
  ],
  every: "3 hours",
  timeout: "5 minutes",
  calls: 45,
  grade: "B",
  evidence: [
    {
      source: "RaoFoundation/subtensor@14bc6f9f pallets/subtensor/src/lib.rs:1902",
      read: "2026-11-25",
      members: ["NetworkRegisteredAt"]
    },
    ...services.flatMap(({ evidence }) => evidence)
  ],
  terms: termsOn("2026-11-25", "Data: the subnet's own service, whose page each value names"),
  metrics,
  ended: {
    competitions_completed_total:
      "The service lists the competitions in their payout window, not all since the start (astridintelligence/sn-127@1109262 docs/overview.md): competitions_in_payout.",
    evaluations_running: "No public source names the member that it was read from.",
    miners_active:
      "The service counted a miner once for each chain that it serves, by the comment of the subnet's own client.",
    submissions_total: "The service counts at most the newest 500 submissions.",
    training_cycles_total:
      "It is the number of a cycle by the chain's block, not a count since the subnet's start: training_cycle.",
    voters_total: "No public source names the member that it was read from."
  },
  relations: [
    // The two counts of the market are two requests, some seconds apart.
    partOf("machines_free", "machines_total", { tolerance: 0.05 }),
    neverFalls("proofs_total"),
    neverFalls("swaps_total"),
    neverFalls("reports_total"),
    neverFalls("llm_calls_total"),
    neverFalls("llm_tokens_total"),
    neverFalls("jobs_succeeded_total")
  ],
  canaries: [
    {
      request: Upstream.post(nodes[0], { jsonrpc: "2.0", id: 1, method: "chain_getBlockHash", params: [0] }),
      path: ["result"],
      is: "0x2f0555cc76fc2840a25a6ea3b9637146806f1f44b090c175ffde2a7e5ab36c03",
      why: "The hash of Bittensor's genesis block: a node that gives another one is of another chain."
    }
  ],
  collect: () =>
    Effect.gen(function* () {
      const chain = yield* firstOf(nodes, registrationsOf)
      return yield* Plugin.forEach(
        services.map((service) => ({ ...service, symbol: symbolOf(service) })),
        Effect.fnUntraced(function* (service) {
          const { netuid, registered_at, symbol } = service
          const registration = yield* chain.read(
            keyOf(service),
            `NetworkRegisteredAt[${netuid}]`,
            Substrate.u64
          )
          if (registration !== BigInt(registered_at)) {
            const now = registration === undefined ? "not registered" : `registered at block ${registration}`
            const detail = `${symbol} is ${now}: the service of the registration of block ${registered_at} is not its own`
            return yield* Upstream.implausible(chain.answer, "NetworkRegisteredAt", detail)
          }
          return yield* readingsOf(metrics, { ...service, required: true }, symbol)
        })
      )
    })
})

/** What one node tells of all registrations, at its finalized head. */
const registrationsOf = Effect.fnUntraced(function* (url: string) {
  const block = yield* Substrate.finalizedHead(url)
  const [first = "", ...others] = new Set(services.map(keyOf))
  return yield* Substrate.storageAt(url, [first, ...others], block)
})
