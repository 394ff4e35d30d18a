import { Effect, Schema } from "effect"
import { headline, metric, Plugin, Upstream } from "#plugin"
import { Quantity } from "#plugin/evm"

const explorer = "https://explorer.energyweb.org"

const block = {
  method: "eth_getBlockByNumber",
  params: ["latest", false],
  result: Schema.Struct({ number: Upstream.maybe(Quantity), timestamp: Quantity })
}

// The set that consensus follows (`validators.contract` of the chain's specification); the selector is `getValidators()`.
const relay = "0x1204700000000000000000000000000000000000"
const validators = {
  method: "eth_call",
  params: [{ to: relay, data: "0xb7ab4db5" }, "latest"],
  result: Schema.String
}

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
  hosts: ["rpc.energyweb.org"],
  every: "1 hour",
  grade: "A",
  evidence: [
    {
      source: "the chain specification and the system contracts of Energy Web",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    validators_active: headline("count", "Validators that may seal blocks, by the chain's own contract."),
    block_height: metric("block", "Height of the newest block.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.rpc("https://rpc.energyweb.org", [block, validators])
      const [{ number, timestamp }, data] = answer.body
      const count = addresses(data)
      if (count === undefined || count === 0) {
        const detail = `no list of addresses: ${data.slice(0, 80)}`
        return yield* Upstream.implausible(answer, "getValidators()", detail)
      }
      const as_of = Number(timestamp) * 1000
      const height = typeof number === "string" ? Number(number) : undefined
      return [
        ...observe(
          answer,
          { validators_active: count },
          { as_of, verify_url: `${explorer}/address/${relay}` }
        ),
        ...observe(answer, { block_height: height }, { as_of, verify_url: `${explorer}/block/${height}` })
      ]
    })
})
