import { Effect, Result, Schema } from "effect"
import { breakdown, flow, fromBaseUnits, headline, Plugin, readOn, sumOf, termsOn, Upstream } from "#plugin"
import { positive, sum } from "#plugin/fields"
import { newestBurned, newestEmitted, program } from "./dataCredits.ts"

const Metadata = Schema.Struct({ totalItems: positive })

// A list that is being built anew has no pages; neither subnetwork has been empty since it began.
const read = (subnetwork: string) =>
  Upstream.json(
    `https://entities.nft.helium.io/v2/hotspots/pagination-metadata?subnetwork=${subnetwork}`,
    Metadata
  )

export default Plugin.define({
  id: "helium",
  title: "Helium hotspots",
  covers: { networks: ["HNT"] },
  source: "helium_entities",
  tier: "supply_telemetry",
  sources: ["helium_sub_daos"],
  hosts: ["entities.nft.helium.io", "api.mainnet-beta.solana.com"],
  settings: { solana_rpc_url: "https://api.mainnet-beta.solana.com" },
  every: "6 hours",
  calls: 4,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "helium/helium-program-library@145947eedf2b1dc33d8289065d63538973278aee packages/metadata-service/src/index.ts:532":
      "totalItems, pageSize, totalPages",
    "helium/helium-program-library@145947eedf2b1dc33d8289065d63538973278aee packages/metadata-service/src/model.ts:96":
      "MobileHotspotInfo, IotHotspotInfo, KeyToAsset",
    "https://docs.helium.com/network-data/entity-api": "is_active",
    "helium/helium-program-library@0229c51a3e7b6691cc4ecb3185c432b141c4bde9 programs/helium-sub-daos/src/state.rs":
      "SubDaoEpochInfoV0, epoch, sub_dao, dc_burned, DaoEpochInfoV0, total_rewards",
    "helium/helium-program-library@044dbd8bfb5e163e2ddd24865c9ba8ae074bfd3a programs/helium-sub-daos/src/lib.rs":
      "declare_id"
  }),
  metrics: {
    devices_iot: breakdown("count", "Hotspots onboarded to the IoT subnetwork, live or not."),
    devices_mobile: breakdown("count", "Hotspots onboarded to the Mobile subnetwork, live or not."),
    devices_total: headline(
      "count",
      "Registrations in both subnetworks together; a hotspot in both counts twice. Not live devices."
    ),
    earned_24h_usd: flow(
      "usd",
      "Data credits that were burned in the newest epoch that is over, a UTC day: what users of both subnetworks paid for data, at the fixed price of 0.00001 dollars a credit.",
      {
        rung: "chain_read",
        at: `dc_burned (8 bytes at 48, little-endian) of each account SubDaoEpochInfoV0 (discriminator 2df9b114aafb2525) of the program ${program} on Solana with the largest epoch (8 bytes at 8: the number of a day since 1970) that is over`,
        formula: "sum over the accounts of dc_burned × 0.00001",
        without:
          "Credits for onboarding and asserting places, and what carriers pay Nova Labs and others outside the chain. The price of a credit is fixed by the protocol: a carrier may pay its seller another.",
        code: "helium/helium-program-library@0229c51a3e7b6691cc4ecb3185c432b141c4bde9 programs/helium-sub-daos/src/state.rs",
        differs:
          "DefiLlama counted HNT that Helium Mobile bought back until 2 January 2026 and has been 0 since by a fixed date; it leaves out burned data credits."
      }
    ),
    paid_out_24h: flow(
      "tokens",
      "HNT that the network emitted for the newest epoch that is over, a UTC day, to Hotspots, to those who delegate and to the pool of its investors.",
      {
        rung: "chain_read",
        at: `total_rewards (8 bytes at 49, little-endian) of the account DaoEpochInfoV0 (discriminator 0ba88ac49b937a2c) of the program ${program} on Solana with the largest epoch (8 bytes at 9) that is over`,
        formula: "total_rewards / 10^8",
        without:
          "What Helium Mobile and others pay owners of Hotspots outside the chain. In it: HNT that is emitted again in place of what was burnt for credits. Hotspots receive it when they call for it.",
        code: "helium/helium-program-library@145947eedf2b1dc33d8289065d63538973278aee programs/helium-sub-daos/src/state.rs:159"
      }
    )
  },
  // Each count is an answer of its own, and the total is made of both: one that fails is none of the other's.
  relations: [
    sumOf("devices_total", ["devices_iot", "devices_mobile"], {
      optional: ["devices_total", "devices_iot", "devices_mobile"]
    })
  ],
  terms: termsOn("2026-11-25", "Data: Helium Entity API, entities.nft.helium.io", {
    address: "https://docs.helium.com/network-data/entity-api",
    quote:
      "This API is provided without any guarantees of uptime or support, and is intended for light use cases."
  }),
  collect: (observe) =>
    Effect.gen(function* () {
      const iot = yield* Effect.result(read("iot"))
      const mobile = yield* Effect.result(read("mobile"))
      return yield* Plugin.anyOf("HNT", [
        Plugin.from(observe, Effect.fromResult(iot), ({ totalItems }) => ({ devices_iot: totalItems })),
        Plugin.from(observe, Effect.fromResult(mobile), ({ totalItems }) => ({
          devices_mobile: totalItems,
          devices_total: Result.isSuccess(iot) ? sum([iot.success.body.totalItems, totalItems]) : undefined
        })),
        Effect.gen(function* () {
          const solana = yield* Upstream.setting("solana_rpc_url")
          const { amount, answer, as_of } = yield* newestBurned(solana, yield* Upstream.now)
          return observe(
            answer,
            { earned_24h_usd: Upstream.zeroIsBroken(fromBaseUnits(amount, 5)) },
            { as_of, source: "helium_sub_daos", verify_url: `https://solscan.io/account/${program}` }
          )
        }),
        Effect.gen(function* () {
          const solana = yield* Upstream.setting("solana_rpc_url")
          const { amount, answer, as_of } = yield* newestEmitted(solana, yield* Upstream.now)
          return observe(
            answer,
            { paid_out_24h: fromBaseUnits(amount, 8) },
            { as_of, source: "helium_sub_daos", verify_url: `https://solscan.io/account/${program}` }
          )
        })
      ])
    })
})
