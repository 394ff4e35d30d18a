/** Stake and validators of a Cosmos chain, read out of the chain's own proofs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { isRefusal } from "../../core/plugin/notes.ts"
import { provedStaking } from "../../core/plugin/shapes/provedCosmos.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { chains } from "../../plugins/cosmos-staking/chains.ts"
import staking from "../../plugins/cosmos-staking/index.ts"
import { cosmosChain } from "../../runtime/tape/cosmosChain.ts"
import { withoutProofs } from "../../runtime/upstream/withoutProofs.ts"
import { cosmosNodes, type Fault, type Gateways } from "../support/chain/cosmosNode.ts"

const [one, other] = ["https://one.example/", "https://other.example/"]
const time = "2026-09-05T10:59:58.123456789Z"
const facts = {
  id: "regen-1",
  height: 1000,
  time,
  validators: 130,
  stake: { denom: "uregen", amount: "36000123456" }
}
const chain = cosmosChain(facts)

const upstreamOf = (nodes: ReturnType<typeof cosmosNodes>): Upstream["Service"] =>
  Upstream.of({ now: nodes.at, targets: [], settings: {}, exchange: nodes.exchange })

/** Reads through nodes with these faults; undefined is none. */
const read = (faults: ReadonlyArray<Fault | undefined>, from = chain) => {
  const rpc = [one, other].slice(0, faults.length)
  const nodes = cosmosNodes(
    Object.fromEntries(
      rpc.map((url, index) => {
        const fault = faults[index]
        return [url, fault === undefined ? { chain: from } : { chain: from, fault }]
      })
    )
  )
  return Effect.map(
    provedStaking({ id: "regen-1", rpc, denom: "uregen" }).pipe(
      Effect.provideService(Upstream, upstreamOf(nodes))
    ),
    ({ stake, unproved, validators }) => ({
      requests: nodes.requests,
      unproved,
      stake: stake?.value,
      validators: validators?.value,
      time: validators?.time
    })
  )
}

const calls = (host: string) =>
  ["abci_query", "commit", "validators", "validators"].map((name) => `${host} ${name}`)
const all = { stake: 36000123456n, validators: 130, time: Date.parse("2026-09-05T10:59:58.123Z") }

describe("stake and validators of a Cosmos chain", () => {
  it.effect("are read out of the proofs of one state, under the header after it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([undefined, undefined]), {
        requests: calls("one.example"),
        unproved: undefined,
        ...all
      })
    })
  )

  it.effect.each([
    ["no proofs", /^one.example gave a proof that does not hold: the answer does not have two proofs$/],
    ["cut", /^one.example gave a proof that does not hold: protobuf: cut off$/],
    ["another block", /^one.example gave a proof that does not hold: the header is of height 7, not 1001$/],
    ["behind", /^one.example serves no proof: JSON-RPC error -32603: Internal error/]
  ] as const)(
    "are asked of the next node where the first has %s, and without one it is said why",
    ([fault, says]) =>
      Effect.gen(function* () {
        assert.deepInclude<object>(yield* read([fault, undefined]), { unproved: undefined, ...all })
        const { stake, unproved } = yield* read([fault])
        assert.isUndefined(stake)
        assert.match(unproved ?? "", says)
      })
  )

  it.effect("are proved in part where a node leaves a validator out", () =>
    Effect.gen(function* () {
      const { stake, unproved, validators } = yield* read(["another set"])
      assert.deepStrictEqual([stake, validators], [36000123456n, undefined])
      assert.strictEqual(
        unproved,
        "one.example gave a proof that does not hold: they are not the validators of the header"
      )
    })
  )

  it.effect("are of no other chain than is asked for", () =>
    Effect.gen(function* () {
      const { stake, unproved } = yield* read([undefined], cosmosChain({ ...facts, id: "regen-2" }))
      assert.isUndefined(stake)
      assert.match(unproved ?? "", /the header is of cosmos:regen-2$/)
    })
  )

  it.effect("are waited for no longer than 15 seconds", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.forkChild(read(["late"]))
      yield* TestClock.adjust("15 seconds")
      const { unproved } = yield* Fiber.join(reading)
      assert.strictEqual(unproved, "one.example gave no proof within 15 seconds")
    })
  )

  it.effect("are refused where the node says another value than its own proof", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(["another value", undefined]))
      assert.match(
        error.message,
        /contradicted by its chain: the node says 0x31, and the state under block 1001 has 0x[0-9a-f]+, as its proof shows/
      )
    })
  )
})

const regen = chains.find(({ symbol }) => symbol === "REGEN")
const [rpc, rpcOther] = (regen?.rpc ?? []).map((address) => `https://${address}/`)

/** The rows of REGEN by the plugin, with or without the proofs of nodes; its gateways answer, those of other chains are away. */
const rowsOf = (
  fault: Fault | undefined,
  change: (inner: Upstream["Service"]) => Upstream["Service"] = (one) => one
) => {
  const gateway = `https://${regen?.gateways[0]}/cosmos/staking/v1beta1`
  const gateways: Gateways = {
    [`${gateway}/validators?status=BOND_STATUS_BONDED&pagination.limit=1&pagination.count_total=true`]: {
      validators: [{}],
      pagination: { next_key: "AA==", total: "75" }
    },
    [`${gateway}/params`]: { params: { bond_denom: "uregen" } },
    [`${gateway}/pool`]: { pool: { bonded_tokens: "35000000000" } }
  }
  const node = fault === undefined ? { chain } : { chain, fault }
  const nodes = cosmosNodes({ [rpc ?? ""]: node, [rpcOther ?? ""]: node }, gateways)
  return Effect.map(
    Effect.provide(staking.collect, Layer.succeed(Upstream, change(upstreamOf(nodes)))),
    ({ observations, refused }) => ({
      rows: observations.map(({ as_of, metric, value }) => [metric, value, as_of]),
      notes: refused.filter((one) => one.symbol === "REGEN")
    })
  )
}

describe("cosmos-staking", () => {
  it.effect("gives what the chain proves, as it was at the header's time", () =>
    Effect.gen(function* () {
      const { notes, rows } = yield* rowsOf(undefined)
      assert.deepStrictEqual(rows, [
        ["staked_amount", 36000.123456, "2026-09-05T10:59:58.123Z"],
        ["validators_active", 130, "2026-09-05T10:59:58.123Z"]
      ])
      assert.isEmpty(notes)
    })
  )

  it.effect("gives a gateway's word where no node proves it, and says why", () =>
    Effect.gen(function* () {
      const { notes, rows } = yield* rowsOf("no proofs")
      assert.deepStrictEqual(
        rows.map(([metric, value]) => [metric, value]),
        [
          ["staked_amount", 35000],
          ["validators_active", 130]
        ]
      )
      assert.strictEqual(notes.length, 1)
      assert.match(
        notes[0]?.reason ?? "",
        /^unproved: regen-rpc.publicnode.com gave a proof that does not hold/
      )
      assert.isEmpty(notes.filter(isRefusal))
    })
  )

  it.effect("says nothing of proofs where it is recorded", () =>
    Effect.gen(function* () {
      const { notes, rows } = yield* rowsOf(undefined, withoutProofs)
      assert.deepStrictEqual(
        rows.map(([metric, value]) => [metric, value]),
        [
          ["staked_amount", 35000],
          ["validators_active", 75]
        ]
      )
      assert.isEmpty(notes)
    })
  )
})
