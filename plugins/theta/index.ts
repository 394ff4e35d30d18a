import { Schema } from "effect"
import { fromBaseUnits, headline, metric, Plugin, Upstream } from "#plugin"
import { amount, count, text } from "#plugin/fields"
import { wrapped } from "#plugin/wrapped"

const host = "https://explorer-api.thetatoken.org/api"
const api = `${host}/stake/totalAmount`
const read = "2026-11-25"

const Stake = Schema.Struct({ totalAmount: amount, totalNodes: count, type: text })

export default Plugin.define({
  id: "theta",
  title: "Theta stakes",
  covers: { networks: ["THETA", "TFUEL"] },
  source: "theta_explorer",
  tier: "supply_telemetry",
  hosts: ["explorer-api.thetatoken.org"],
  every: "1 hour",
  calls: 2,
  grade: "A",
  evidence: [
    {
      source:
        "thetatoken/theta-infrastructure-ledger-explorer@2737ebe backend/explorer-api/routes/stakeRouter.js:36",
      read,
      members: ["totalAmount", "totalNodes", "type", "body"]
    },
    {
      source: "thetatoken/theta-infrastructure-ledger-explorer@2737ebe backend/crawler/helper/stake.js:115",
      read,
      members: ["totalTheta", "totalTfuel", "thetaHolders", "tfuelHolders"]
    }
  ],
  terms: {
    read,
    licence: "unknown",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: Theta explorer, thetatoken.org"
  },
  metrics: {
    staked_nodes: headline(
      "count",
      "Nodes that stakes are placed with, those whose stakes are being withdrawn included: validators and guardians for THETA, elite edge nodes for TFUEL."
    ),
    staked_amount: metric("tokens", "Tokens staked to these nodes, without stakes that are being withdrawn.")
  },
  canaries: [
    {
      request: `${host}/supply/theta`,
      path: ["total_supply"],
      is: 1_000_000_000,
      why: "All THETA there is was made at the start, and the explorer writes it as a constant."
    }
  ],
  collect: (observe) =>
    Plugin.anyOf(
      "*",
      ["THETA", "TFUEL"].map((symbol) =>
        Plugin.from(
          observe,
          // Clients find the figures under `body`, the documentation shows them bare.
          wrapped(`${api}?type=${symbol.toLowerCase()}`, ["body"], Stake),
          { symbol },
          ({ totalAmount, totalNodes, type }, answer) =>
            // Old versions of the explorer know one token, and do not say which.
            (type ?? symbol.toLowerCase()) === symbol.toLowerCase()
              ? { staked_nodes: totalNodes, staked_amount: fromBaseUnits(totalAmount, 18) }
              : Upstream.implausible(answer, `["type"]`, `${type} instead of ${symbol.toLowerCase()}`)
        )
      )
    )
})
