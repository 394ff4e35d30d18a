import { headline, metric, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"
import { wrapped } from "#plugin/wrapped"

const host = "https://explorer-api.thetatoken.org/api"
const stake = `${host}/stake/totalAmount`
const read = "2026-11-25"

const figures = {
  staked_nodes: "totalNodes",
  staked_amount: { number: "totalAmount", decimals: 18 }
} as const

export default declare({
  id: "theta",
  title: "Theta stakes",
  covers: { networks: ["THETA", "TFUEL"] },
  source: "theta_explorer",
  tier: "supply_telemetry",
  hosts: ["explorer-api.thetatoken.org"],
  every: "1 hour",
  calls: 2,
  grade: "A",
  evidence: readOn(read, {
    "thetatoken/theta-infrastructure-ledger-explorer@2737ebe backend/explorer-api/routes/stakeRouter.js:36":
      "totalAmount, totalNodes, type, body",
    "thetatoken/theta-infrastructure-ledger-explorer@2737ebe backend/crawler/helper/stake.js:115":
      "totalTheta, totalTfuel, thetaHolders, tfuelHolders"
  }),
  terms: termsOn(read, "Data: Theta explorer, thetatoken.org"),
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
  answers: [
    // Clients find the figures under `body`, the documentation shows them bare. Old versions of the explorer know one token, and
    // do not say which.
    {
      symbol: "THETA",
      ask: wrapped(`${stake}?type=theta`, ["body"]),
      must: [{ at: "type", be: "theta", ifTold: true }],
      figures
    },
    {
      symbol: "TFUEL",
      ask: wrapped(`${stake}?type=tfuel`, ["body"]),
      must: [{ at: "type", be: "tfuel", ifTold: true }],
      figures
    }
  ]
})
