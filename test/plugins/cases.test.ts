/**
 * Answers that were wrong or misleading once, of the kinds that public bug reports and operators' own sources describe. Each input
 * is written by hand after such a report and stands in the plugin's case `ok`; what matters is what the plugin makes of it.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Collected } from "../../core/plugin/Plugin.ts"
import { nameOf, type Target, Upstream, UpstreamUnreachable } from "../../core/plugin/Upstream.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { plugins } from "../support/plugins.ts"

interface Answer {
  /** A part of the address; of several, the first that fits answers. */
  readonly at: string
  readonly status?: number
  readonly body: unknown
}

interface Case {
  readonly plugin: string
  readonly name: string
  readonly answers: ReadonlyArray<Answer>
  readonly targets?: ReadonlyArray<Target>
  /** Rows by `<symbol> <metric>`, with their value; null: none. Of one that has to be dated, value and time. */
  readonly rows: Readonly<Record<string, number | null | readonly [value: number, as_of: string]>>
  /** What reasons say, by `<symbol> <metric>`. */
  readonly refused?: Readonly<Record<string, string>>
}

const register = (...lines: ReadonlyArray<string>) =>
  [
    "Country Code,Name,Location,System ID,URL,Auto-Discovery URL,Supported Versions,Authentication Info URL,Authentication Type,Authentication Parameter Name",
    ...Array.from(
      { length: 150 },
      (_, n) => `NL,Bikes ${n},Town,b${n},https://b.example/${n},https://b.example/${n}/g.json,2.3,,,`
    ),
    ...lines
  ].join("\n")

const fuels = (mw: Readonly<Record<string, number | null | undefined>>) => [
  {
    startTime: "2026-09-05T10:00:00Z",
    settlementPeriod: 23,
    data: Object.entries(mw).flatMap(([fuelType, generation]) =>
      generation === undefined ? [] : [{ fuelType, generation }]
    )
  }
]

const whole = {
  BIOMASS: 2100,
  CCGT: 14_200,
  COAL: 0,
  NPSHYD: 300,
  NUCLEAR: 3900,
  OCGT: 0,
  OIL: 0,
  OTHER: 600,
  PS: 200,
  WIND: 9800,
  INTFR: 1500
}
const before = fuels(whole).map((entry) => ({ ...entry, startTime: "2026-09-05T09:30:00Z" }))
const demand = { data: [{ startTime: "2026-09-05T10:00:00Z", initialDemandOutturn: 31_600 }] }

const hundred = Array.from({ length: 100 }, (_, n) => ({ operator_address: `cosmosvaloper${n}` }))

const graph = (day: string, nodes: number) => ({
  added: Date.parse(`${day}T00:00:00Z`) / 1000,
  channel_count: 40_000,
  total_capacity: 500_000_000_000,
  tor_nodes: nodes - 3000,
  clearnet_nodes: 1500,
  clearnet_tor_nodes: 1000,
  unannounced_nodes: 500
})

const minusOne = "18446744073709551615"

const token = "0xa1b2c3d4e5f60718293a4b5c6d7e8f9001122334"
const pool = (id: string, price: string, reserve: string) =>
  `{"id":"eth_${id}","attributes":{"base_token_price_usd":"${price}","quote_token_price_usd":"1","reserve_in_usd":${reserve},"transactions":{"h24":{"buys":3,"sells":4}},"volume_usd":{"h24":"90000.5"}},"relationships":{"base_token":{"data":{"id":"eth_${token}"}},"quote_token":{"data":{"id":"eth_0x1"}},"dex":{"data":{"id":"uniswap"}}}}`

const listing = [
  {
    id: "7",
    name: "Tidal",
    slug: "tidal",
    gecko_id: "tidal",
    module: "tidal/index.js",
    tvl: 5000,
    chainTvls: {}
  }
]
const feesOf = (day: number, week: number, month: number) => ({
  protocols: [
    {
      defillamaId: "7",
      name: "Tidal",
      slug: "tidal",
      protocolType: "protocol",
      total24h: day,
      total7d: week,
      total30d: month
    }
  ]
})
const tidal = [{ symbol: "TIDE", name: "Tidal", id: "tidal" }]
const chart = { totalDataChart: [[Date.UTC(2026, 8, 4) / 1000, 1]] }

const cases: ReadonlyArray<Case> = [
  {
    plugin: "akash",
    name: "more of a model in use than there are",
    answers: [
      {
        at: "/v1/gpu",
        body: {
          gpus: {
            total: { allocatable: 64, allocated: 70 },
            details: {
              nvidia: [{ model: "a100", ram: "80Gi", interface: "SXM4", allocatable: 64, allocated: 70 }]
            }
          }
        }
      }
    ],
    rows: { "AKT gpu_in_use": null, "AKT gpu_allocated_a100": null, "AKT gpu_available": null },
    refused: { "AKT gpu_in_use": "of which it is a part", "AKT gpu_allocated_a100": "of which it is a part" }
  },
  {
    plugin: "arweave",
    name: "a node that has not joined the network",
    answers: [
      {
        at: "/info",
        body: {
          network: "arweave.N.1",
          version: 5,
          release: 83,
          height: -1,
          current: "not_joined",
          blocks: 0,
          peers: 0
        }
      }
    ],
    rows: { "AR block_height": null, "AR gateway_peers": null },
    refused: { "AR gateway_peers": "may not have joined" }
  },
  {
    plugin: "cosmos-staking",
    name: "a hundred validators, whatever is asked, and nothing that says that they are all",
    answers: [{ at: "/validators?", body: { validators: hundred } }],
    rows: { "AIOZ validators_active": null },
    refused: { "AIOZ *": "as many as a page has by default" }
  },
  {
    plugin: "cosmos-staking",
    name: "a hundred validators, and no more",
    answers: [
      { at: "/validators?", body: { validators: hundred, pagination: { next_key: null, total: "0" } } }
    ],
    rows: { "AIOZ validators_active": 100 }
  },
  {
    plugin: "swpc",
    name: "an index of 0 that no station measured",
    answers: [
      {
        at: "planetary-k-index",
        body: [
          { time_tag: "2026-09-05T03:00:00", Kp: 5.33, a_running: 9, station_count: 8 },
          { time_tag: "2026-09-05T06:00:00", Kp: 0, a_running: 0, station_count: 0 }
        ]
      }
    ],
    rows: { "SPACE_WEATHER kp_index": null },
    refused: { "SPACE_WEATHER kp_index": "no station" }
  },
  {
    plugin: "swpc",
    name: "an index of 0 that eight stations measured",
    answers: [
      {
        at: "planetary-k-index",
        body: [{ time_tag: "2026-09-05T06:00:00", Kp: 0, a_running: 0, station_count: 8 }]
      }
    ],
    rows: { "SPACE_WEATHER kp_index": 0 }
  },
  {
    plugin: "defillama",
    name: "a day that is a thousand times each other of its week",
    targets: tidal,
    answers: [
      { at: "/protocols", body: listing },
      { at: "/overview/fees", body: feesOf(900_000, 904_800, 922_000) },
      { at: "/v2/chains", body: [{ name: "Solana", gecko_id: "solana", tvl: 5e9 }] },
      { at: "/summary/fees", body: chart }
    ],
    rows: {
      "TIDE fees_24h_usd": null,
      "TIDE fees_7d_usd": null,
      "TIDE fees_30d_usd": null,
      "TIDE tvl_usd": 5000
    },
    refused: { "TIDE fees_24h_usd": "the six others of its week 4800" }
  },
  {
    plugin: "defillama",
    name: "a day that is busy, and a first one",
    targets: tidal,
    answers: [
      { at: "/protocols", body: listing },
      { at: "/overview/fees", body: feesOf(9000, 13_800, 40_000) },
      { at: "/v2/chains", body: [{ name: "Solana", gecko_id: "solana", tvl: 5e9 }] },
      { at: "/summary/fees", body: chart }
    ],
    rows: { "TIDE fees_24h_usd": 9000, "TIDE fees_7d_usd": 13_800 }
  },
  {
    plugin: "akash",
    name: "a GPU that went away: -1 of 64 bits",
    answers: [
      {
        at: "/v1/gpu",
        body: `{"gpus":{"total":{"allocatable":${minusOne},"allocated":120},"details":{"nvidia":[{"model":"h100","ram":"80Gi","interface":"SXM5","allocatable":${minusOne},"allocated":40}]}}}`
      }
    ],
    rows: {
      "AKT registered_gpu_count": null,
      "AKT gpu_available": null,
      "AKT gpu_allocatable_h100": null,
      "AKT gpu_in_use": null,
      "AKT gpu_allocated_h100": null
    },
    refused: {
      "AKT registered_gpu_count": "counter says that fell below 0",
      "AKT gpu_available": "counter says that fell below 0",
      "AKT gpu_allocatable_h100": "counter says that fell below 0",
      "AKT gpu_in_use": "registered_gpu_count is missing"
    }
  },
  {
    plugin: "elexon",
    name: "a half hour without nuclear power, within the tolerance of the demand",
    answers: [
      { at: "/generation/", body: [...before, ...fuels({ ...whole, NUCLEAR: undefined })] },
      { at: "/demand/", body: demand }
    ],
    rows: { "GB_GRID generation_mw": null, "GB_GRID_WIND generation_mw": null, "GB_GRID demand_mw": 31_600 },
    refused: {
      "GB_GRID *": "does not list NUCLEAR",
      "GB_GRID demand_mw": "relation not applied: generation_mw"
    }
  },
  {
    plugin: "elexon",
    name: "a half hour with two fuels and no cable",
    answers: [
      { at: "/generation/", body: fuels({ NUCLEAR: 3800, WIND: 9800 }) },
      { at: "/demand/", body: demand }
    ],
    rows: { "GB_GRID generation_mw": null, "GB_GRID_WIND generation_mw": null, "GB_GRID demand_mw": 31_600 },
    refused: { "GB_GRID *": "does not list BIOMASS, CCGT, any interconnector" }
  },
  {
    plugin: "elexon",
    name: "a half hour without a fuel that the one before lists",
    answers: [{ at: "/generation/", body: [...before, ...fuels({ ...whole, OIL: undefined })] }],
    rows: { "GB_GRID generation_mw": null },
    refused: { "GB_GRID *": "does not list OIL" }
  },
  {
    plugin: "elexon",
    name: "an interconnector that tells nothing",
    answers: [
      { at: "/generation/", body: fuels({ ...whole, INTFR: null }) },
      { at: "/demand/", body: demand }
    ],
    rows: { "GB_GRID generation_mw": null, "GB_GRID net_import_mw": null, "GB_GRID demand_mw": 31_600 },
    refused: { "GB_GRID generation_mw": "an interconnector does not tell its power" }
  },
  {
    plugin: "geckoterminal",
    name: "reserves with all of their digits",
    answers: [
      {
        at: "/pools",
        body: `{"data":[${pool("a", "3.25", "1530460.91188112524922989686056")},${pool("b", "2003.66329553075", "19530460.91188112524922989686056")},${pool("c", "7", "19530460.91188112524922989686055")}]}`
      }
    ],
    targets: [{ symbol: "TIDE", name: "Tidal", id: token, chain: "ethereum" }],
    rows: { "TIDE dex_price_usd": 2003.66329553075 }
  },
  {
    plugin: "elexon",
    name: "fuels at 0 that never stand still at once",
    answers: [
      { at: "/generation/", body: fuels({ BIOMASS: 0, CCGT: 0, NUCLEAR: 0, WIND: 9800.5, PS: -3, INTFR: 0 }) }
    ],
    rows: { "GB_GRID generation_mw": null, "GB_GRID_NUCLEAR generation_mw": null }
  },
  {
    plugin: "firms",
    name: "a file of a day with the passes of five hours",
    answers: [
      {
        at: "J1_VIIRS",
        body: [
          "latitude,longitude,acq_date,acq_time,frp",
          ...[3, 4, 8].map((hour) => `1,2,2026-09-05,${hour}00,1.5`)
        ].join("\n")
      }
    ],
    rows: { "FIRES_NOAA_20 fire_detections_24h": null, "FIRES_NOAA_21 fire_detections_24h": 44 },
    refused: { "FIRES_NOAA_20 *": "less than half a day" }
  },
  {
    plugin: "lightning",
    name: "a graph that lost two fifths of its nodes in a day",
    answers: [
      { at: "mempool.space", body: [graph("2026-09-04", 9903), graph("2026-09-03", 17_439)] },
      { at: "mempool.emzy.de", body: [graph("2026-09-04", 17_401), graph("2026-09-03", 17_439)] }
    ],
    rows: { "BTC lightning_nodes": 17_401 }
  },
  {
    plugin: "gbfs",
    name: "a line with a cell too few at the end of the list",
    answers: [
      {
        at: "systems.csv",
        body: register("NL,Short,Town,s,https://s.example,https://s.example/g.json,2.3,,", "")
      }
    ],
    rows: { "GBFS mobility_systems_listed": 150 }
  },
  {
    plugin: "gbfs",
    name: "a list that breaks off within a line",
    answers: [{ at: "systems.csv", body: register("NL,Short,Town,s,https://s.exam") }],
    rows: { "GBFS mobility_systems_listed": null }
  },
  {
    plugin: "jackal",
    name: "an error in the form of the data's own service",
    answers: [{ at: "/storage_stats", body: { code: 12, message: "Not Implemented", details: [] } }],
    rows: { "JKL STORAGE_PURCHASED_BYTES": null, "JKL STORAGE_USED_BYTES": null },
    refused: { "JKL *": "Not Implemented" }
  },
  {
    plugin: "military-aircraft",
    name: "one network of two that closed its doors",
    answers: [{ at: "airplanes.live", status: 403, body: { error: "ask for access by e-mail" } }],
    rows: { "AIRPLANES_LIVE mil_aircraft_airborne": null, "MIL mil_aircraft_airborne": 242 },
    refused: { "AIRPLANES_LIVE mil_aircraft_airborne": "403" }
  },
  {
    plugin: "network-services",
    name: "members of another answer of the same service",
    answers: [
      { at: "multiversx.com/stake", body: { accounts: 9, blocks: 7, epoch: 2, shards: 3, transactions: 5 } }
    ],
    rows: { "EGLD validators_active": null, "EGLD validators_total": null },
    refused: { "EGLD *": "none of" }
  },
  {
    plugin: "network-services",
    name: "a rate limit with status 200",
    answers: [
      {
        at: "fastnear.com",
        body: { jsonrpc: "2.0", id: 1, error: { code: -32_005, message: "you have made too many calls" } }
      },
      { at: "koii.network", body: { error: "Too many requests, slow down" } }
    ],
    rows: { "NEAR validators_active": null },
    refused: { "NEAR *": "rate limit", "KOII *": "rate limit" }
  },
  {
    plugin: "nhc",
    name: "a file that nobody has written for days",
    answers: [
      {
        at: "CurrentStorms.json",
        body: {
          activeStorms: [
            {
              id: "ep032026",
              name: "Y",
              classification: "TS",
              intensity: "40",
              lastUpdate: "2026-08-29T09:00:00.000Z"
            }
          ]
        }
      }
    ],
    rows: { "STORMS tropical_cyclones_active": [1, "2026-08-29T09:00:00Z"] }
  },
  {
    plugin: "subnet-services",
    name: "a list as long as its page",
    answers: [
      {
        at: "affine.io",
        body: {
          calculated_at: 1_795_330_000,
          scores: Array.from({ length: 256 }, (_, uid) => ({ miner_hotkey: `5H${uid}`, uid }))
        }
      },
      { at: "macrocosmos.ai", body: { run_id: "r-9", num_miners: 20, run_flags: {} } }
    ],
    rows: { "SN120 miners_scored": null, "SN9 training_runs": null },
    refused: { "SN120 *": "256", "SN9 training_runs": "" }
  },
  {
    plugin: "threefold",
    name: "contracts of all time and nodes with a card",
    answers: [],
    rows: { "TFT active_contracts": null, "TFT registered_gpu_count": null }
  }
]

const byId = new Map(plugins.map((plugin) => [plugin.manifest.id, plugin]))

const bytesOf = (body: unknown) =>
  new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))

/** What the plugin makes of its case `ok` with these answers in it. */
const collected = Effect.fnUntraced(function* ({ answers, plugin: id, targets }: Case) {
  const plugin = byId.get(id)
  if (plugin === undefined) return yield* Effect.die(`no plugin ${id}`)
  const { tape } = yield* Fixtures.load(join(Fixtures.root, id, "ok"))
  return yield* plugin.collect.pipe(
    Effect.provideService(Upstream, {
      now: tape.now,
      targets: targets ?? tape.targets,
      settings: tape.settings,
      exchange: (request) => {
        const written = answers.find(({ at }) => request.url.includes(at))
        const recorded = tape.exchanges.find(
          (one) => one.request.url === request.url && one.request.body === request.body
        )
        if (written === undefined && recorded === undefined)
          return Effect.fail(new UpstreamUnreachable({ request: nameOf(request), detail: "not in the case" }))
        if (written === undefined && recorded !== undefined) return Effect.succeed(recorded)
        const body = bytesOf(written?.body)
        const sha256 = createHash("sha256").update(body).digest("hex")
        return Effect.succeed({
          request,
          at: tape.now,
          status: written?.status ?? 200,
          headers: {},
          sha256,
          body
        })
      }
    }),
    Effect.catch((error) =>
      Effect.succeed<Collected>({
        observations: [],
        refused: [{ symbol: "*", metric: "*", reason: error.message }]
      })
    )
  )
})

describe("of answers that misled somebody", () => {
  it.effect.each(cases.map((one) => [`${one.plugin}: ${one.name}`, one] as const))("%s", ([, one]) =>
    Effect.gen(function* () {
      const { observations, refused } = yield* collected(one)
      assert.isAbove(observations.length + refused.length, 0)
      for (const [name, expected] of Object.entries(one.rows)) {
        const row = observations.find(({ metric, symbol }) => `${symbol} ${metric}` === name)
        const [value, as_of] = Array.isArray(expected) ? expected : [expected, row?.as_of]
        assert.deepStrictEqual([row?.value ?? null, row?.as_of], [value, as_of], name)
      }
      for (const [name, reason] of Object.entries(one.refused ?? {})) {
        const reasons = refused.flatMap((r) => (`${r.symbol} ${r.metric}` === name ? [r.reason] : []))
        assert.include(reasons.join("; "), reason, name)
        assert.isNotEmpty(reasons, name)
      }
    })
  )
})
