/** The evidence `chain` of a bundle: the number of a leaf in the state of a block. */
import { assert, describe, it } from "vitest"
import { Malformed } from "../../../core/proof/bytes.ts"
import type { ChainProof } from "../../../core/proof/chain/document.ts"
import { proofOfRead, type ReadOfChain } from "../../../core/proof/chain/proofOfRead.ts"
import type { ChainEvidence } from "../../../core/proof/chainEvidence.ts"
import { chainChecks } from "../../../core/proof/checkChainEvidence.ts"
import { evidenceOf, kinds, readEvidence } from "../../../core/proof/kinds.ts"
import type { RowLeaf } from "../../../core/proof/leaf.ts"
import * as Items from "../../../plugins/bittensor/items.ts"
import { bittensorEntries } from "../../support/chain/bittensor.ts"
import { chainOf, readOf } from "../../support/chain/substrateNode.ts"

const chain = chainOf(bittensorEntries(8, 200))
const [time, other, neurons, active, none, volume] = [
  Items.timestampNow,
  Items.totalStake,
  `${Items.items.SUBNET_NEURONS.key}0500`,
  `${Items.items.SUBNET_ACTIVE_NEURONS.key}0500`,
  `${Items.items.SUBNET_ACTIVE_NEURONS.key}0300`,
  `${Items.items.SUBNET_VOLUME.key}0500`
]
const read: ReadOfChain = readOf(chain, [time, other, neurons, active, none, volume])

const leafOf = (value: number, more: Partial<RowLeaf> = {}): RowLeaf => ({
  v: "service-leaf-v2",
  kind: "reading",
  symbol: "SN5",
  metric: "SUBNET_NEURONS",
  source: "subtensor_rpc",
  unit: "count",
  day: "2026-09-05",
  as_of: "2026-09-05T10:58:30Z",
  value,
  n_observations: 1,
  readings_sha256: "",
  verify_url: "",
  version: 1,
  recorded_at: "2026-09-05T11:00:00Z",
  ...more
})

const evidence = (
  key: string,
  more: Partial<ChainEvidence> = {}
): ChainEvidence & { readonly proof: ChainProof } => ({
  key: key.slice(2),
  as: "unsigned" as const,
  decimals: 0,
  ...more,
  proof: proofOfRead(read, [time, key], false)
})

/** What a verifier says of a bundle's evidence, after it was read from a file. */
const checksOf = (member: ChainEvidence, leaf: RowLeaf) => {
  const list: unknown = JSON.parse(JSON.stringify(evidenceOf({ chain: member })))
  const { members } = readEvidence(list)
  const kind = kinds.find((one) => one.kind === "chain")
  return kind?.kind !== "chain"
    ? []
    : kind.verify(members.chain, {
        leaf,
        batch: undefined,
        batchIndex: 0,
        checkpoint: undefined,
        signed: undefined,
        beside: {},
        firstKeys: undefined,
        demands: { chains: chainChecks }
      })
}

describe("a value that its chain proves", () => {
  it.each([
    ["an integer", evidence(neurons), leafOf(256)],
    ["an amount", evidence(other, { decimals: 9 }), leafOf(6_000_000)],
    ["flags", evidence(active, { as: "flags" }), leafOf(85)],
    ["flags that are not there", evidence(none, { as: "flags" }), leafOf(0)],
    [
      "more digits than a double has",
      evidence(volume, { decimals: 9 }),
      leafOf(7083549724304.469, { value_text: "7083549724304.467820544" })
    ]
  ])("is %s in the state of a block", (_, member, leaf) => {
    const [state, block, ...more] = checksOf(member, leaf)
    assert.strictEqual(state?.ok, true, state?.detail)
    assert.match(state?.detail ?? "", /^block 4321 with the hash [0-9a-f]{64} says /)
    assert.deepInclude(block, { name: "block of the chain", ok: "not checked", reason: "unasked" })
    assert.deepStrictEqual(more, [])
  })

  const stateOf = (member: ChainEvidence, leaf: RowLeaf): unknown => {
    const [state, ...more] = checksOf(member, leaf)
    assert.isTrue(state?.ok !== false || more.length === 0)
    return state === undefined || state.ok === true ? state?.ok : [state.ok, state.reason]
  }
  const lie = { ...read, nodes: read.nodes.map((node) => node.replace("0001", "0002")) }
  const good = evidence(neurons)
  it.each([
    ["another number", good, leafOf(257), [false, "contradiction"]],
    ["another time", good, leafOf(256, { as_of: "2026-09-05T10:58:31Z" }), [false, "contradiction"]],
    ["other decimals", { ...good, decimals: 1 }, leafOf(256), [false, "contradiction"]],
    ["another form", { ...good, as: "flags" as const }, leafOf(256), [false, "contradiction"]],
    ["the number of another key", { ...good, key: active.slice(2) }, leafOf(256), [false, "missing"]],
    ["no time", { ...good, proof: proofOfRead(read, [neurons], false) }, leafOf(256), [false, "missing"]],
    [
      "a number that the state does not have",
      {
        ...good,
        proof: {
          ...good.proof,
          claims: good.proof.claims.map((claim) =>
            "value" in claim && claim.value === "0001" ? { ...claim, value: "0002" } : claim
          )
        }
      },
      leafOf(512),
      [false, "contradiction"]
    ],
    [
      "nodes in another order",
      { ...good, proof: { ...good.proof, nodes: good.proof.nodes.toReversed() } },
      leafOf(256),
      [false, "form"]
    ],
    [
      "a simulated chain",
      { ...good, proof: proofOfRead(read, [time, neurons], true) },
      leafOf(256),
      [false, "contradiction"]
    ],
    ["a chain for a simulated value", good, leafOf(256, { simulated: true }), [false, "contradiction"]],
    [
      "a chain that nobody knows",
      { ...good, proof: { ...good.proof, chain: "solana:5eykt4UsFv8P8NJdTREpY1vz" } },
      leafOf(256),
      ["not proved", "newer"]
    ]
  ] as const)("does not hold with %s", (_, member, leaf, outcome) => {
    assert.deepStrictEqual(stateOf(member, leaf), outcome)
  })

  it("is not made of nodes that do not hold", () => {
    assert.throws(() => proofOfRead(lie, [time, neurons], false), Malformed)
  })
})
