import { Effect, Schema } from "effect"
import { headline, metric, neverFalls, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { besideViews, readOnce } from "#plugin/evm"

const explorer = "https://explorer.energyweb.org"

/** Energy Web's public node, and the one that its own applications use. */
const nodes = ["https://rpc.energyweb.org", "https://consortia-rpc.energyweb.org"] as const

// The set that consensus follows (`validators.contract` of the chain's specification); the selector is `getValidators()`.
const relay = "0x1204700000000000000000000000000000000000"
const validators = { views: [{ to: relay, data: "0xb7ab4db5" }], result: Schema.String }

/** How many addresses an ABI-encoded `address[]` holds (an offset, a length, a word each); undefined for anything else. */
const addresses = (data: string): number | undefined => {
  const words = /^0x((?:[0-9a-fA-F]{64})+)$/.exec(data)?.[1] ?? ""
  const length = Number(`0x${words.slice(64, 128)}`)
  return words.length === 64 * (2 + length) ? length : undefined
}

export default Plugin.define({
  id: "energy-web",
  title: "Energy Web Chain validators",
  covers: { networks: ["EWT"] },
  source: "energy_web_rpc",
  tier: "supply_telemetry",
  hosts: nodes.map((node) => new URL(node).host),
  every: "1 hour",
  calls: 3 * nodes.length,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "energywebfoundation/ewf-chainspec@0410de1c EnergyWebChain.json:7": "validators, contract",
    "energywebfoundation/ewc-system-contracts@09b5aa63 contracts/validatorset/ValidatorSetRelayed.sol":
      "getValidators, currentValidators",
    "ethereum/execution-apis@070e33b9 src/schemas/block.yaml": "number, timestamp"
  }),
  terms: termsOn("2026-11-25", "Data: Energy Web Chain, https://www.energyweb.org"),
  metrics: {
    validators_active: headline(
      "count",
      "Validators that may seal blocks, by the chain's own contract; one whose removal is not final yet is among them."
    ),
    block_height: metric("block", "Height of the newest block.")
  },
  relations: [neverFalls("block_height")],
  canaries: [
    {
      request: Upstream.post(nodes[0], {
        jsonrpc: "2.0",
        id: 1,
        method: "eth_getBlockByNumber",
        params: ["0x0", false]
      }),
      path: ["result", "hash"],
      is: "0x0b6d3e680af2fc525392c720666cce58e3d8e6fe75ba4b48cb36bcc69039229b",
      why: "The hash of the genesis block of the Energy Web Chain, which clients of it are configured with: another one is another chain."
    }
  ],
  collect: (observe) =>
    Effect.gen(function* () {
      const { answer, as_of, block } = yield* readOnce(nodes, validators)
      const { number } = block
      const [data = ""] = answer.body
      const count = addresses(data)
      if (count === undefined || count === 0) {
        const detail = `no list of addresses: ${data.slice(0, 80)}`
        return yield* Upstream.implausible(answer, "getValidators()", detail)
      }
      const height = typeof number === "string" ? Number(number) : undefined
      return [
        ...observe(
          answer,
          { validators_active: count },
          { as_of, verify_url: `${explorer}/address/${relay}` }
        ),
        ...observe(
          besideViews({ answer }),
          { block_height: height },
          { as_of, verify_url: `${explorer}/block/${height}` }
        )
      ]
    })
})
