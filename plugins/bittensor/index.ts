import { Effect, Result } from "effect"
import {
  atMost,
  type Flow,
  flow,
  fromBaseUnits,
  headline,
  mayDropToZero,
  metric,
  neverFalls,
  type PlainMetric,
  Plugin,
  partOf,
  termsOn,
  Upstream
} from "#plugin"
import { firstOf } from "#plugin/gateways"
import * as Substrate from "#plugin/substrate"
import { subnetSymbols } from "../../core/catalog/Catalog.ts"
import { registeredAt, sourceOf } from "../../core/catalog/subnets.ts"
import * as Items from "./items.ts"

const metrics = Object.fromEntries(
  Items.itemNames.map((name) => {
    const { meaning, role, unit } = Items.items[name]
    return [name, mayDropToZero(unit, meaning, { role })]
  })
) as { readonly [K in Items.ItemName]: PlainMetric }

/** The operator's node, and one of another house, which is asked where the first is gone. */
const nodes = [
  "https://entrypoint-finney.opentensor.ai",
  "https://bittensor-finney.api.onfinality.io/public"
] as const

const registration = Items.items.SUBNET_REGISTERED_AT_BLOCK

/** How what a subnet pays out comes about. */
const emission: Flow = {
  rung: "chain_read",
  at: "the storage item SubnetAlphaOutEmission of the pallet SubtensorModule under the number of the subnet (netuid, two bytes, little-endian), at a finalized block",
  formula: "SubnetAlphaOutEmission[netuid] / 10^9",
  without:
    "Alpha and TAO that the block put into the subnet's pool (SubnetTaoInEmission), which nobody receives. What users of the subnet's service paid is not on the chain.",
  code: "RaoFoundation/subtensor@14bc6f9f pallets/subtensor/src/lib.rs:1320"
}

type Name = "paid_out_block" | "SUBNETS" | "total_issuance" | "total_stake" | "block_height" | Items.ItemName

const inSubnet = (key: string, netuid: number) => key + Substrate.littleEndian(netuid, 2)

export default Plugin.define({
  id: "bittensor",
  title: "Bittensor subnets",
  covers: { networks: ["TAO", ...subnetSymbols] },
  source: "subtensor_rpc",
  tier: "supply_telemetry",
  // A registration that the catalog does not know has series of its own.
  sources: ["subtensor_rpc_*"],
  hosts: nodes.map((node) => new URL(node).host),
  settings: { rpc_url: nodes[0] },
  every: "15 minutes",
  timeout: "2 minutes",
  calls: 11,
  grade: "A",
  evidence: [
    {
      source: "RaoFoundation/subtensor@14bc6f9f pallets/subtensor/src/lib.rs:1320",
      read: "2026-11-25",
      members: [
        "TotalNetworks",
        "NetworksAdded",
        "TotalIssuance",
        "SubnetAlphaOutEmission",
        ...Items.itemNames.map((name) => Items.items[name].name)
      ]
    },
    {
      source: "RaoFoundation/subtensor@14bc6f9f pallets/subtensor/src/utils/try_state.rs:6",
      read: "2026-11-25",
      members: ["TotalStake", "SubnetTAO"]
    },
    {
      source: "RaoFoundation/subtensor@14bc6f9f pallets/subtensor/src/epoch/run_epoch.rs:612",
      read: "2026-11-25",
      members: ["Active", "ValidatorPermit"]
    },
    {
      source:
        "RaoFoundation/subtensor@8e9322e5 pallets/subtensor/src/coinbase/run_coinbase/emission_injection.rs",
      read: "2026-11-25",
      members: ["SubnetTaoInEmission"]
    }
  ],
  terms: termsOn("2026-11-25", "Data: Bittensor, https://bittensor.com"),
  metrics: {
    SUBNETS: headline("count", "Subnets of the chain, the root network included.", { min: 1 }),
    total_issuance: metric("tokens", "TAO in existence: issued, and not recycled."),
    total_stake: metric(
      "tokens",
      "TAO staked to the root network, and TAO in the pools of the subnets beyond what was locked at their start."
    ),
    block_height: metric("block", "Height of the finalized head."),
    paid_out_block: flow(
      "tokens",
      "Alpha of the subnet that the newest block paid out to its miners, validators and owner, in the subnet's own token.",
      Object.fromEntries(subnetSymbols.map((symbol) => [symbol, emission])),
      { collapse: 1 }
    ),
    ...metrics
  },
  relations: [
    neverFalls("block_height"),
    atMost("total_stake", "total_issuance"),
    partOf("SUBNET_ACTIVE_NEURONS", "SUBNET_NEURONS"),
    partOf("SUBNET_VALIDATOR_PERMITS", "SUBNET_NEURONS"),
    // The chain refuses to make less room than there are neurons.
    atMost("SUBNET_NEURONS", "SUBNET_MAX_UIDS"),
    neverFalls("SUBNET_VOLUME"),
    neverFalls("SUBNET_REGISTERED_AT_BLOCK")
  ],
  canaries: [
    {
      request: Upstream.post(nodes[0], { jsonrpc: "2.0", id: 1, method: "chain_getBlockHash", params: [0] }),
      path: ["result"],
      is: "0x2f0555cc76fc2840a25a6ea3b9637146806f1f44b090c175ffde2a7e5ab36c03",
      why: "The hash of Bittensor's genesis block: a node that gives another one is of another chain."
    }
  ],
  collect: (observe) =>
    Effect.gen(function* () {
      const set = yield* Upstream.setting("rpc_url")
      return yield* firstOf([set, ...nodes.filter((node) => node !== set)], (url) =>
        collectFrom(observe, url)
      )
    })
})

const collectFrom = Effect.fnUntraced(function* (observe: Plugin.Observe<Name>, url: string) {
  const block = yield* Substrate.finalizedHead(url)
  const added = yield* Substrate.keysUnder(url, Items.networksAdded, block)
  const listed = subnetSymbols.flatMap((symbol, netuid) =>
    added.includes(inSubnet(Items.networksAdded, netuid)) ? [{ symbol, netuid }] : []
  )
  const keys = listed.flatMap(({ netuid }) =>
    [Items.networksAdded, ...Items.itemNames.map((name) => Items.items[name].key)].map((key) =>
      inSubnet(key, netuid)
    )
  )
  const { answer, isEmpty, read } = yield* Substrate.storageAt(
    url,
    [
      Items.timestampNow,
      Items.systemNumber,
      Items.totalNetworks,
      Items.totalIssuance,
      Items.totalStake,
      ...keys,
      ...listed.map(({ netuid }) => inSubnet(Items.alphaOutEmission, netuid))
    ],
    block
  )
  const subnets = yield* read(Items.totalNetworks, "TotalNetworks", Substrate.u16)
  // A wrong key answers null and no error: this one is never without a value on this chain.
  if (subnets === undefined) {
    return yield* Upstream.implausible(answer, "TotalNetworks", "no value: not this chain, or renamed")
  }
  const now = yield* read(Items.timestampNow, "Timestamp.Now", Substrate.u64)
  const as_of = now === undefined ? undefined : Number(now)
  const item = (key: string) => ({ as_of, read_url: Substrate.itemAt(url, key) })
  const ofChain = (key: string) => ({ ...item(key), symbol: "TAO" })
  const issuance = Effect.map(read(Items.totalIssuance, "TotalIssuance", Substrate.u64), (rao) =>
    observe(answer, { total_issuance: fromBaseUnits(rao, 9) }, ofChain(Items.totalIssuance))
  )
  const stake = Effect.map(read(Items.totalStake, "TotalStake", Substrate.u64), (rao) =>
    observe(answer, { total_stake: fromBaseUnits(rao, 9) }, ofChain(Items.totalStake))
  )
  const height = Effect.map(read(Items.systemNumber, "System.Number", Substrate.u32), (number) =>
    observe(
      answer,
      { block_height: number === undefined ? undefined : Number(number) },
      { ...ofChain(Items.systemNumber), verify_url: `https://taostats.io/block/${number}` }
    )
  )
  const readings: Array<Plugin.CollectedPart> = [
    ...observe(
      answer,
      { SUBNETS: Number(subnets) },
      { ...ofChain(Items.totalNetworks), verify_url: "https://taostats.io/subnets" }
    ),
    ...(yield* Plugin.optional("TAO", issuance)),
    ...(yield* Plugin.optional("TAO", stake)),
    ...(yield* Plugin.optional("TAO", height))
  ]
  const existing: Array<(typeof listed)[number] & { readonly source: string }> = []
  for (const subnet of listed) {
    const key = inSubnet(Items.networksAdded, subnet.netuid)
    const added = yield* Effect.result(read(key, `NetworksAdded[${subnet.netuid}]`, Substrate.bool))
    if (Result.isFailure(added)) {
      readings.push(Plugin.failedPart(added.failure, subnet.symbol))
      continue
    }
    if (added.success !== true) continue
    const at = yield* Effect.result(
      read(
        inSubnet(registration.key, subnet.netuid),
        `${registration.name}[${subnet.netuid}]`,
        registration.codec
      )
    )
    if (Result.isFailure(at)) {
      readings.push(Plugin.failedPart(at.failure, subnet.symbol))
      continue
    }
    // The root network is as old as the chain, and nobody registers it.
    const block = subnet.netuid === 0 ? 0 : at.success === undefined ? undefined : Number(at.success)
    if (block === undefined) {
      const untold = Upstream.implausible(
        answer,
        registration.name,
        "not told: whose figures these are is not known"
      )
      readings.push(Plugin.failedPart(untold, subnet.symbol))
      continue
    }
    const source = sourceOf("subtensor_rpc", subnet.netuid, block)
    existing.push({ ...subnet, source })
    if (source === "subtensor_rpc") continue
    const before = registeredAt(subnet.netuid)
    const ended = `${source} begins: registered again at block ${block}; the series of block ${before} ended`
    readings.push({ symbol: subnet.symbol, metric: "*", reason: ended })
  }
  for (const metric of Items.itemNames) {
    const { codec, decimals, key, name } = Items.items[metric]
    const entries: Array<(typeof existing)[number] & { readonly value: bigint | undefined }> = []
    for (const subnet of existing) {
      const named = `${name}[${subnet.netuid}]`
      const value = yield* Effect.result(read(inSubnet(key, subnet.netuid), named, codec))
      if (Result.isSuccess(value)) entries.push({ ...subnet, value: value.success })
      else readings.push(Plugin.failedPart(value.failure, subnet.symbol, metric))
    }
    if (entries.every(({ value }) => value === undefined)) {
      const gone = `no subnet has a value of ${name}: a runtime upgrade may have renamed it`
      readings.push(Plugin.failedPart(Upstream.implausible(answer, name, gone), "*", metric))
      continue
    }
    for (const { netuid, source, symbol, value } of entries) {
      // The chain removes an empty list: on a subnet that exists, no list is a list of none.
      const none = codec === Substrate.countTrue && isEmpty(inSubnet(key, netuid))
      const measured = value ?? (none ? 0n : undefined)
      const reading =
        decimals === 0 && measured !== undefined ? Number(measured) : fromBaseUnits(measured, decimals)
      const verify_url = `https://taostats.io/subnets/${netuid}`
      const facts = { ...item(inSubnet(key, netuid)), source, symbol, verify_url }
      readings.push(...observe(answer, { [metric]: reading }, facts))
    }
  }
  for (const { netuid, source, symbol } of existing) {
    const key = inSubnet(Items.alphaOutEmission, netuid)
    const rao = yield* Effect.result(read(key, `SubnetAlphaOutEmission[${netuid}]`, Substrate.u64))
    if (Result.isFailure(rao)) readings.push(Plugin.failedPart(rao.failure, symbol, "paid_out_block"))
    else {
      const verify_url = `https://taostats.io/subnets/${netuid}`
      const facts = { ...item(key), source, symbol, verify_url }
      readings.push(...observe(answer, { paid_out_block: fromBaseUnits(rao.success, 9) }, facts))
    }
  }
  return readings
})
