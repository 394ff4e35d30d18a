import { Effect, Schema } from "effect"
import {
  capacity,
  flow,
  fromBaseUnits,
  headline,
  mayDropToZero,
  metric,
  type Numeric,
  neverFalls,
  notHandedOn,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { total } from "#plugin/cosmos"
import { combine, count, difference, object, quantity, text, timeText } from "#plugin/fields"
import { byModel, gpuMetrics, mostGpus, priceMetrics } from "#plugin/gpus"
import { Offer, pricesOf } from "./gpu.ts"

const console_ = "https://console-api.akash.network/v1"
// The operator's own gateway, and one of the chain registry.
const gateways = ["api.akashnet.net", "akash-rest.publicnode.com"]
// The module's version is a part of the path and moves with upgrades of the chain.
const leases = ["v1beta5", "v1beta4"].flatMap((version) =>
  gateways.map((host) => `https://${host}/akash/market/${version}/leases/list?filters.state=active`)
)

const source = "akash-network/console@d84c9e93 apps"
const read = "2026-11-25"

const Dashboard = Schema.Struct({
  now: object({
    date: timeText,
    height: count,
    activeLeaseCount: count,
    activeGPU: quantity,
    totalLeaseCount: count,
    dailyUUsdSpent: quantity
  }),
  // What the spending of the day is counted from.
  compare: object({ date: timeText }),
  chainStats: object({ bondedTokens: quantity, height: count })
})

const hour = 3_600_000

/** Whether two times are a day apart, to the hour. */
const isDay = (from: Numeric | undefined, to: Numeric | undefined): boolean =>
  combine([from, to], ([from, to]) => Math.abs(to - from - 24 * hour) <= hour) === true

const Resource = object({ active: quantity, total: quantity })
const Capacity = Schema.Struct({
  activeProviderCount: count,
  // Older deployments of the console give the resources flat.
  totalCPU: quantity,
  activeCPU: quantity,
  totalMemory: quantity,
  activeMemory: quantity,
  totalStorage: quantity,
  activeStorage: quantity,
  resources: object({
    cpu: Resource,
    memory: Resource,
    storage: object({ total: Resource })
  })
})
const Gpu = Schema.Struct({
  gpus: Schema.Struct({
    total: object({ allocatable: count, allocated: count }),
    details: Schema.optional(Schema.Unknown)
  })
})
// By vendor. A card that a provider does not name has no model.
const Details = Upstream.maybe(
  Schema.Record(
    Schema.String,
    Schema.NullOr(Schema.Array(Schema.Struct({ model: text, allocatable: count, allocated: count })))
  )
)

const Prices = Schema.Struct({ models: Upstream.maybe(Schema.Array(Offer)) })

export default Plugin.define({
  id: "akash",
  title: "Akash leases, providers and GPUs",
  covers: { networks: ["AKT"] },
  source: "akash_console",
  tier: "supply_telemetry",
  sources: ["akash_lcd"],
  hosts: ["console-api.akash.network", ...gateways],
  every: "15 minutes",
  calls: 10,
  grade: "A",
  evidence: readOn(read, {
    [`${source}/api/src/dashboard/services/stats/stats.service.ts:160`]:
      "date, height, activeLeaseCount, totalLeaseCount, activeGPU, dailyUUsdSpent, bondedTokens, activeProviderCount, resources, active, total",
    [`${source}/api/src/dashboard/repositories/stats/stats.repository.ts:162`]: "lastSuccessfulSnapshot",
    [`${source}/indexer/src/indexers/akashStatsIndexer.ts:199`]:
      "activeLeaseCount, totalLeaseCount, activeGPU",
    [`${source}/api/src/gpu/repositories/gpu.repository.ts:46`]: "gpuAllocatable, gpuAllocated",
    [`${source}/api/src/gpu/services/gpu.service.ts:41`]:
      "gpus, total, details, model, allocatable, allocated",
    [`${source}/api/src/gpu/services/gpu-price/gpu-price.service.ts:191`]:
      "models, model, availability, total, price, currency, weightedAverage"
  }),
  relations: [
    partOf("gpu_in_use", "registered_gpu_count"),
    partOf("gpu_available", "registered_gpu_count"),
    partOf("gpu_allocated_*", "gpu_allocatable_*"),
    partOf(["gpu_allocatable_*"], "registered_gpu_count"),
    partOf("cpu_cores_in_use", "cpu_cores"),
    partOf("memory_in_use_bytes", "memory_bytes"),
    partOf("storage_in_use_bytes", "storage_bytes"),
    partOf("active_leases", "leases_total"),
    neverFalls("leases_total")
  ],
  canaries: [
    {
      request: "https://api.akashnet.net/cosmos/base/tendermint/v1beta1/node_info",
      path: ["default_node_info", "network"],
      is: "akashnet-2",
      why: "The id of the chain: another one is another chain."
    }
  ],
  terms: termsOn(read, "Data: Akash Console, console.akash.network", {
    address: `${source}/deploy-web/src/pages/terms-of-service/index.tsx:426`,
    licence: "proprietary",
    ...notHandedOn,
    quote:
      "you agree not to: (a) resell, lease, lend, share, distribute […] (b) modify or create derivative works of the Services or Akash Materials, or any portion thereof, or any data or information received by you in connection therewith"
  }),
  metrics: {
    active_leases: metric(
      "count",
      "Leases in state active, by the console's index or, as source akash_lcd, by a node of the chain."
    ),
    leases_total: metric("count", "Leases ever made."),
    leased_gpu_count: metric(
      "count",
      "GPUs that active leases pay for, by the console's index of the chain."
    ),
    spend_24h_usd: metric(
      "usd",
      "Spent on leases in the last 23 to 25 hours, the part in AKT at the price of its day."
    ),
    earned_24h_usd: flow(
      "usd",
      "What leases were charged in the last 23 to 25 hours, in USDC and in AKT, the part in AKT at the price of its day.",
      {
        rung: "chain_indexed",
        at: "now.dailyUUsdSpent of https://console-api.akash.network/v1/dashboard-data, where compare.date is 23 to 25 hours before now.date",
        formula: "now.dailyUUsdSpent / 10^6",
        without:
          "Deposits that no lease has used, and fees of transactions. Providers receive it less the take rate of the chain.",
        code: `${source}/indexer/src/indexers/akashStatsIndexer.ts:199`,
        recomputed:
          "17 July 2026, 20:07 UTC, from an answer that a public description of the console quotes: 7,534.76137824 dollars.",
        differs:
          "DefiLlama adds the AKT and the USDC of a UTC day at prices of its own; this is a day up to the hour of the reading."
      }
    ),
    staked_amount: metric("tokens", "AKT bonded to validators."),
    block_height: metric("block", "Height of the newest block that the console's index has."),
    providers_active: headline(
      "count",
      "Providers, by address, of which a check by the console succeeded within its grace period (three hours by default)."
    ),
    cpu_cores: capacity("cores", "CPU cores of the providers active: leased, pending and free."),
    cpu_cores_in_use: metric("cores", "CPU cores of the providers active that leases use."),
    memory_bytes: capacity("bytes", "Memory of the providers active: leased, pending and free."),
    memory_in_use_bytes: metric("bytes", "Memory of the providers active that leases use."),
    storage_bytes: capacity(
      "bytes",
      "Storage of the providers active, ephemeral and persistent: leased, pending and free."
    ),
    storage_in_use_bytes: metric(
      "bytes",
      "Storage of the providers active that leases use, ephemeral and persistent."
    ),
    registered_gpu_count: capacity(
      "count",
      "GPUs that nodes of the providers online, or checked within the grace period, can allocate.",
      { max: mostGpus }
    ),
    gpu_in_use: metric("count", "GPUs that those nodes have allocated.", { max: mostGpus }),
    gpu_available: mayDropToZero("count", "GPUs offered and not allocated.", { max: mostGpus }),
    ...gpuMetrics,
    ...priceMetrics(
      "Price of one GPU for an hour, of the model at the end of the name: what providers bid for single GPUs in the last 31 days, weighted by the GPUs offered."
    )
  },
  collect: (observe) =>
    Plugin.anyOf("AKT", [
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${console_}/dashboard-data`, Dashboard)
        const { chainStats, compare, now } = answer.body
        const { bondedTokens, height } = chainStats ?? {}
        const staked = { staked_amount: fromBaseUnits(Upstream.zeroIsBroken(bondedTokens), 6) }
        // Where the console cannot read its statistics it answers 200 with zeros, and dates them by its own start.
        if (now?.height === 0 || now?.totalLeaseCount === 0) {
          const failure = yield* Effect.flip(
            Upstream.implausible(answer, `["now"]`, "no lease ever, or a chain without a block")
          )
          return [
            ...observe(answer, { ...staked, block_height: height || undefined }),
            Plugin.failedPart(failure, "AKT")
          ]
        }
        const at = Upstream.time(now?.date)
        // The chain's indexer knows the closes of days alone: the one before may be 12 to 36 hours ago, or none.
        const spent = isDay(Upstream.time(compare?.date), at) ? now?.dailyUUsdSpent : undefined
        // A lease that runs pays with each block: dollars are 0 as long as the indexer has no prices.
        const isUnpriced = spent === 0 && now?.activeLeaseCount !== 0
        const charged = fromBaseUnits(isUnpriced ? Upstream.zeroIsBroken(spent) : spent, 6)
        const values = {
          active_leases: now?.activeLeaseCount,
          leases_total: now?.totalLeaseCount,
          leased_gpu_count: now?.activeGPU,
          spend_24h_usd: charged,
          earned_24h_usd: charged,
          ...staked,
          // The height of that date; the chain's own statistics are older.
          block_height: now?.height ?? (height || undefined)
        }
        return observe(answer, values, { as_of: at })
      }),
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${console_}/network-capacity`, Capacity)
        const { activeProviderCount, resources, ...flat } = answer.body
        if (activeProviderCount === 0) {
          return yield* Upstream.implausible(answer, `["activeProviderCount"]`, "no provider at all")
        }
        const cores = (millis: Numeric | null | undefined) => fromBaseUnits(millis, 3)
        return observe(answer, {
          providers_active: activeProviderCount,
          cpu_cores: cores(resources?.cpu?.total ?? flat.totalCPU),
          cpu_cores_in_use: cores(resources?.cpu?.active ?? flat.activeCPU),
          memory_bytes: resources?.memory?.total ?? flat.totalMemory,
          memory_in_use_bytes: resources?.memory?.active ?? flat.activeMemory,
          storage_bytes: resources?.storage?.total?.total ?? flat.totalStorage,
          storage_in_use_bytes: resources?.storage?.total?.active ?? flat.activeStorage
        })
      }),
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${console_}/gpu`, Gpu)
        const { details, total } = answer.body.gpus
        if (total?.allocatable === 0) {
          return yield* Upstream.implausible(answer, `["gpus"]["total"]`, "no GPU at all")
        }
        const models = Effect.map(Upstream.decode(answer.url, Details, details), (vendors) =>
          observe(answer, byModel(Object.values(vendors ?? {}).flatMap((cards) => cards ?? [])))
        )
        return [
          ...observe(answer, {
            registered_gpu_count: total?.allocatable,
            gpu_in_use: total?.allocated,
            gpu_available: difference(total?.allocatable, total?.allocated)
          }),
          ...(yield* Plugin.optional("AKT", models))
        ]
      }),
      Effect.map(Upstream.json(`${console_}/gpu-prices`, Prices), (answer) =>
        observe(answer, pricesOf(answer.body.models ?? []))
      ),
      Effect.map(total(leases, "leases"), (counted) =>
        observe(counted.answer, { active_leases: counted.total }, { source: "akash_lcd" })
      )
    ])
})
