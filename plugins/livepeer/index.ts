import { Effect } from "effect"
import { headline, Plugin, parameter, Upstream } from "#plugin"
import { uints } from "#plugin/evm"

/** The proxy of BondingManager on Arbitrum One. */
const bondingManager = "0x35Bcf3c30594191d53231E4FF333E8A770453e40"

export default Plugin.define({
  id: "livepeer",
  title: "Livepeer orchestrators",
  covers: { networks: ["LPT"] },
  source: "livepeer_bonding_manager",
  tier: "supply_telemetry",
  hosts: ["arb1.arbitrum.io"],
  settings: { rpc_url: "https://arb1.arbitrum.io/rpc" },
  every: "6 hours",
  grade: "B",
  evidence: [
    {
      source: "the BondingManager of Livepeer on Arbitrum One and the Ethereum JSON-RPC specification",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    active_orchestrators: headline("count", "Orchestrators in the active set."),
    max_orchestrators: parameter("count", "Room in the active set.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const url = yield* Upstream.setting("rpc_url")
      const { answer, as_of, values } = yield* uints([url], bondingManager, {
        getTranscoderPoolSize: "0x2a4e0d55",
        getTranscoderPoolMaxSize: "0x5a2a75a9"
      })
      const { getTranscoderPoolMaxSize: max, getTranscoderPoolSize: size } = values
      if (size === 0n || size > max) {
        return yield* Upstream.implausible(answer, "getTranscoderPoolSize", `${size} of at most ${max}`)
      }
      return observe(
        answer,
        { active_orchestrators: Number(size), max_orchestrators: Number(max) },
        { as_of, verify_url: "https://explorer.livepeer.org/orchestrators" }
      )
    })
})
