import { flow, neverFalls, readOn, termsOn, Upstream } from "#plugin"
import { declare } from "#plugin/declare"

const read = "2026-11-29"

/** All FIL that there will ever be. */
const most = 2_000_000_000

const ask = Upstream.post("https://api.node.glif.io/rpc/v1", {
  jsonrpc: "2.0",
  id: 1,
  method: "Filecoin.StateVMCirculatingSupplyInternal",
  // The empty key is that of the head.
  params: [[]]
})

export default declare({
  id: "filecoin-supply",
  title: "Filecoin burns and block rewards",
  covers: { networks: ["FIL"] },
  source: "filecoin_node",
  tier: "supply_telemetry",
  hosts: ["api.node.glif.io"],
  every: "1 hour",
  grade: "A",
  evidence: readOn(read, {
    "filecoin-project/lotus@0a23a4a1935b02c43aace57f23cddf9c3ad41aff chain/stmgr/supply.go":
      "FilMined, FilBurnt, FilCirculating",
    "filecoin-project/go-state-types@10e5718073f79e8b5089b0c7f01020cec7e52ee0 builtin/singletons.go":
      "BurntFundsActorAddr, RewardActorAddr"
  }),
  terms: termsOn(read, "Data: a node of Filecoin, read at glif.io"),
  metrics: {
    earned_total: flow(
      "tokens",
      "FIL burnt since genesis for what users and providers did on the chain.",
      {
        rung: "chain_read",
        at: "FilBurnt of Filecoin.StateVMCirculatingSupplyInternal, which is the balance of the burnt funds actor f099 in the state of the head",
        formula: "result.FilBurnt / 10^18",
        without:
          "Tips that go to the producer of a block, and deals paid outside the chain. In it besides fees: penalties of providers and what they burn by ending sectors early.",
        code: "filecoin-project/lotus@0a23a4a1935b02c43aace57f23cddf9c3ad41aff chain/stmgr/supply.go",
        differs:
          "DefiLlama adds up the burns of a day from Spacescope, by its day of 00:00 to 24:00 UTC: the same burns, and of another day where the two are read at other times."
      },
      { max: most }
    ),
    paid_out_total: flow(
      "tokens",
      "FIL that storage providers were rewarded with for blocks since genesis.",
      {
        rung: "chain_read",
        at: "FilMined of Filecoin.StateVMCirculatingSupplyInternal, which is TotalStoragePowerReward in the state of the reward actor f02",
        formula: "result.FilMined / 10^18",
        without:
          "Tips of messages, and what clients pay for deals. Three quarters of a reward vest over 180 days.",
        code: "filecoin-project/lotus@0a23a4a1935b02c43aace57f23cddf9c3ad41aff chain/stmgr/supply.go"
      },
      { max: most }
    )
  },
  relations: [neverFalls("earned_total"), neverFalls("paid_out_total")],
  agreesWith: [
    {
      metric: "earned_total",
      source: "filfox_overview",
      tolerance: 0.001,
      why: "Both are the balance of the actor f099; the two are read up to an hour apart, in which some hundred FIL are burnt."
    }
  ],
  answers: [
    {
      ask,
      // Both have grown since genesis.
      positive: ["result.FilBurnt", "result.FilMined"],
      verify_url: "https://filfox.info/en/address/f099",
      figures: {
        earned_total: { number: "result.FilBurnt", decimals: 18 },
        paid_out_total: { number: "result.FilMined", decimals: 18 }
      }
    }
  ]
})
