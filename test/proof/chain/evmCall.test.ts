/** Calls of contracts, executed over proved code and state; what code may not do; and what must be refused. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { bounds } from "../../../core/proof/chain/bounds.ts"
import { parseChainProof } from "../../../core/proof/chain/document.ts"
import { resultOf } from "../../../core/proof/chain/evmMachine.ts"
import { type Meter, meterOf, most } from "../../../core/proof/chain/evmMeter.ts"
import { emptyRoot } from "../../../core/proof/chain/evmTrie.ts"
import type { World } from "../../../core/proof/chain/evmWorld.ts"
import { verifyChain } from "../../../core/proof/chain/verifyChain.ts"
import {
  balance,
  grave,
  holder,
  logic,
  tokenProof as proofOfToken,
  recordedChain,
  recordedProof,
  selector,
  supply,
  token,
  tokenViews
} from "../../support/chain/contracts.ts"
import { account, evmProofOver, nodesInOrder, patricia } from "../../support/chain/evm.ts"

const checksOf = (proof: object) => verifyChain(parseChainProof(canonical(proof)))

/** What is said of a proof's state: true, or the reason. */
const stateOf = (proof: object) => {
  const one = checksOf(proof).find(({ name }) => name === "state")
  return one?.ok === true ? true : one?.reason
}

const tokenProof = proofOfToken()

describe("calls over proved state", () => {
  it("give supply and balances of a token behind a proxy, and a proved 0 without an entry", () => {
    const [block, state, canonicalBlock] = checksOf(tokenProof)
    assert.deepStrictEqual(
      [block?.ok, state?.ok, canonicalBlock?.ok],
      [true, true, "not checked"],
      state?.detail
    )
    const values = tokenProof.claims.map((claim) => Object(claim)).filter(({ kind }) => kind === "evm-call")
    assert.deepStrictEqual(
      new Map(values.map(({ data, value }) => [`0x${data}`, BigInt(`0x${value}`)])),
      new Map(tokenViews.map(({ data }, at) => [data, [18n, supply, balance, 0n][at]]))
    )
    assert.strictEqual(tokenProof.codes.length, 2)
  })

  it("are proved by what they read alone, where a run had more codes than a proof may have", () => {
    const others = Array.from({ length: bounds.codes }, (_, at) => `0x${at.toString(16).padStart(4, "0")}`)
    assert.deepStrictEqual(proofOfToken(others), tokenProof)
  })

  it("give what a node of main net said, over the state that it proved", () => {
    const { result } = recordedChain("mainnet-call")
    const proof = recordedProof()
    assert.strictEqual(stateOf(proof), true)
    const call = proof.claims.find(({ kind }) => kind === "evm-call")
    assert.strictEqual(`0x${Object(call).value}`, result)
  })
})

describe("a forged call", () => {
  const claims = tokenProof.claims.map((claim) => Object(claim))
  const at = (data: string) => claims.findIndex((one) => `0x${one.data}` === data)
  const [ofDecimals = -1, ofSupply = -1, ofHolder = -1, ofGrave = -1] = tokenViews.map(({ data }) => at(data))
  const withClaim = (index: number, change: object) => ({
    ...tokenProof,
    claims: claims
      .with(index, { ...claims[index], ...change })
      .toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
  })
  const wrong = (value: bigint) => value.toString(16).padStart(64, "0")

  it.each([
    ["another supply", withClaim(ofSupply, { value: wrong(supply + 1n) })],
    ["another function's value", withClaim(ofSupply, { value: claims[ofDecimals].value })],
    ["the balance of another", withClaim(ofHolder, { data: `70a08231${grave.padStart(64, "0")}` })],
    ["an entry where there is none", withClaim(ofGrave, { value: wrong(1n) })],
    ["a value without its zeros", withClaim(ofGrave, { value: "" })],
    ["a value in capitals", withClaim(ofSupply, { value: claims[ofSupply].value.toUpperCase() })],
    ["a value of another type", withClaim(ofSupply, { value: 7 })],
    ["no value", withClaim(ofSupply, { value: null })],
    ["the storage of the code's own account", withClaim(ofSupply, { account: logic })],
    ["an account without code", withClaim(ofSupply, { account: holder })],
    ["an address of 19 bytes", withClaim(ofSupply, { account: token.slice(2) })],
    ["data that is no hex", withClaim(ofSupply, { data: "0x18160ddd" })],
    ["data of odd length", withClaim(ofSupply, { data: "18160dd" })],
    ["data above the bound", withClaim(ofSupply, { data: `18160ddd${"00".repeat(509)}` })],
    ["a member more", withClaim(ofSupply, { block: 1 })],
    ["a code that is not there", { ...tokenProof, codes: tokenProof.codes.slice(1) }],
    ["codes in another order", { ...tokenProof, codes: tokenProof.codes.toReversed() }],
    [
      "a code of no use",
      {
        ...tokenProof,
        codes: nodesInOrder([...tokenProof.codes.map((code) => fromHex(code)), Uint8Array.of(0)])
      }
    ],
    [
      "a code with a byte changed",
      { ...tokenProof, codes: nodesInOrder(tokenProof.codes.map((code) => fromHex(code).fill(1, 30, 31))) }
    ]
  ])("falls: %s", (_, proof) => {
    assert.notStrictEqual(stateOf(proof), true)
  })

  it("falls without any of its nodes, and with a bit of one or of a code changed", () => {
    for (const index of tokenProof.nodes.keys()) {
      assert.strictEqual(stateOf({ ...tokenProof, nodes: tokenProof.nodes.toSpliced(index, 1) }), "missing")
      for (const place of [0, 0.3, 0.6, 0.99]) {
        const node = fromHex(tokenProof.nodes[index] ?? "")
        const byte = Math.floor(place * node.length)
        node[byte] = (node[byte] ?? 0) ^ (1 << (index % 8))
        const nodes = [...tokenProof.nodes.toSpliced(index, 1).map((one) => fromHex(one)), node]
        assert.notStrictEqual(stateOf({ ...tokenProof, nodes: nodesInOrder(nodes) }), true)
      }
    }
  })

  it("is as well of any other chain by its state alone, unless its code asks for the chain's number", () => {
    assert.strictEqual(stateOf({ ...tokenProof, chain: "eip155:10" }), true)
    const ofChain = called("4660005260206000f3", wrong(1n))
    assert.strictEqual(stateOf(ofChain), true)
    assert.strictEqual(stateOf({ ...ofChain, chain: "eip155:10" }), "contradiction")
  })
})

const target = "aa".repeat(20)
const one = "1".padStart(64, "0")

/** The proof that this code gives a value, below a header of its own. */
const called = (code: string, value: string = one) => {
  const bytes = fromHex(code)
  const state = patricia([[fromHex(target), account(emptyRoot, keccak_256(bytes))]])
  return evmProofOver(
    state.root,
    [...state.nodes.values()],
    [{ kind: "evm-call", account: target, data: "18160ddd", value }],
    [bytes]
  )
}

const pushed = (word: string): string => `73${word}`

/** Gives what is on top of the stack. */
const give = "60005260206000f3"

describe("code that is executed", () => {
  it.each([
    ["gives a word", `6001${give}`],
    ["jumps over what it does not execute", `600456fe5b6001${give}`],
    ["asks what time it is", `60004211${give}`],
    [
      "copies by the contract that is built in for it",
      `600160005260206020602060006004 5afa50602051${give}`.replace(" ", "")
    ]
  ])("may do what a view does: %s", (_, code) => {
    assert.strictEqual(stateOf(called(code)), true, String(checksOf(called(code))[1]?.detail))
  })

  it.each([
    ["runs forever", "5b600056"],
    ["takes all memory", "63ffffffff51"],
    [
      "takes all memory in calls of its own",
      `62ffffe0${"51"}506000600060006000${pushed(target)}5afa50${give}`
    ],
    ["calls itself forever", `6000600060006000600073${target}5af1${give}`],
    ["raises to powers forever", `5b7f${"ff".repeat(32)}80900a50600056`],
    ["hashes a megabyte forever", "5b620fffff60002050600056"],
    ["copies forever", "5b620fffff600060003950600056"],
    ["fills the stack", "5b6001600056"],
    ["writes", `6001600055${"6001"}${give}`],
    ["writes for a while", `600160005d6001${give}`],
    ["logs", "60006000a0"],
    ["creates", "600060006000f0"],
    ["creates at an address", "6000600060006000f5"],
    ["destroys itself", "6000ff"],
    ["sends value", `600060006000600060017300000000000000000000000000000000000000995af1${give}`],
    ["calls code in the old way", `6000600060006000600073${target}5af2${give}`],
    ["recovers a signer", `6000600060006000${pushed("01".padStart(40, "0"))}5afa${give}`],
    [
      "asks a contract that a rollup has built in",
      `6000600060006000${pushed("64".padStart(40, "0"))}5afa${give}`
    ],
    ["jumps into what it pushes", "600456605b00"],
    ["jumps beyond its end", "61ffff56"],
    ["has an unknown instruction", "0c"],
    ["fails", "60006000fd"],
    ["fails by an assertion", "fe"],
    ["takes from an empty stack", "01"],
    ["reads beyond what a call gave", "6001600060003e"],
    ["divides by gas", `60015a04${give}`],
    ["compares gas", `60015a10${give}`],
    ["gives the gas that is left", `5a${give}`],
    ["jumps by gas", "5a56"],
    ["keeps back most of its gas", `6000600060006000${pushed(holder)}63ffffffff5a03fa${give}`],
    ["gives a call a little gas", `6000600060006000${pushed(holder)}6175 30fa${give}`.replace(" ", "")],
    ["asks for the price of gas", `3a${give}`],
    ["asks for the base fee", `48${give}`],
    ["asks for the limit of gas", `45${give}`],
    ["asks for the hash of a block", `600140${give}`],
    ["asks who made the block", `41${give}`],
    ["asks for a random number", `44${give}`],
    ["asks for a blob", `600049${give}`],
    ["reads an account that is not proved", `${pushed("99".repeat(20))}31${give}`]
  ])("is refused that %s", (_, code) => {
    assert.notStrictEqual(stateOf(called(code.replaceAll(" ", ""))), true)
  })

  it("is refused that asks for the block's number where that is another chain's", () => {
    const proof = called(`43${give}`, (1_000_000).toString(16).padStart(64, "0"))
    assert.strictEqual(stateOf(proof), true)
    assert.notStrictEqual(stateOf({ ...proof, chain: "eip155:42161" }), true)
  })

  it("hands on its gas, or all but a little of it", () => {
    const call = (gas: string) => called(`6000600060006000${pushed(holder)}${gas}fa${give}`)
    for (const gas of ["5a", "6175305a03", `67${"ff".repeat(8)}`]) {
      // The account is not there, so that the call gives nothing and does not fail.
      assert.strictEqual(stateOf(call(gas)), true, gas)
    }
  })
})

describe("hostile code", () => {
  const address = fromHex(target)
  const worldOf = (code: Uint8Array): World => ({
    account: () => ({ nonce: 1n, balance: 0n, storageRoot: emptyRoot, codeHash: new Uint8Array(32) }),
    slot: () => 0n,
    code: () => code
  })
  /** How many instructions are executed, and how many bytes are hashed or copied at most, until the end. */
  const work = (code: string): number => {
    let instructions = 0
    const meter: Meter = meterOf()
    const counting: Meter = {
      ...meter,
      spend: (steps) => {
        instructions += 1
        meter.spend(steps)
      }
    }
    assert.throws(
      () =>
        resultOf(
          { world: worldOf(fromHex(code)), meter: counting, chain: 1n, number: 1n, seconds: 1n },
          address,
          new Uint8Array()
        ),
      Malformed
    )
    return instructions
  }

  it.each([
    ["a loop", "5b600056"],
    ["powers", `5b7f${"ff".repeat(32)}80900a50600056`],
    ["hashes of a megabyte", "5b620fffff60002050600056"],
    ["hashes of nothing", "5b600060002050600056"],
    ["copies of a megabyte", "5b620fffff600060003950600056"],
    [
      "memory of a megabyte in each of many calls",
      `5b620fffe0515060006000600060 00${pushed(target)}5afa50600056`.replace(" ", "")
    ],
    ["slots", "5b600160005450 600056".replace(" ", "")],
    ["codes of accounts", `5b${pushed(target)}3b50600056`],
    ["hashes by the built-in contract", `5b620fffe060006000600060 02${"5a"}fa50600056`.replace(" ", "")]
  ])("ends within the bounds: %s", (_, code) => {
    assert.isAtMost(work(code), most.steps + 1)
  })

  it("shares the steps of a document among all of its calls", () => {
    // Each takes 70,000 steps.
    const bytes = fromHex(`6127105b600190038060035760 01${give}`.replace(" ", ""))
    const state = patricia([[address, account(emptyRoot, keccak_256(bytes))]])
    const proofOfMany = (calls: number) =>
      evmProofOver(
        state.root,
        [...state.nodes.values()],
        Array.from({ length: calls }, (_, at) => ({
          kind: "evm-call",
          account: target,
          data: at.toString(16).padStart(2, "0"),
          value: one
        })),
        [bytes]
      )
    const stepsOf = () => {
      const meter = meterOf()
      resultOf(
        { world: worldOf(bytes), meter, chain: 1n, number: 1n, seconds: 1n },
        address,
        new Uint8Array()
      )
      return meter.spent()
    }
    const each = stepsOf()
    assert.isAbove(each, 20_000)
    const many = Math.floor(most.steps / each)
    assert.strictEqual(stateOf(proofOfMany(many)), true)
    assert.strictEqual(stateOf(proofOfMany(many + 1)), "form")
  })

  it("counts each word that is hashed or copied, and each that memory grows by", () => {
    const stepsFor = (code: string) => {
      const meter = meterOf()
      resultOf(
        { world: worldOf(fromHex(code)), meter, chain: 1n, number: 1n, seconds: 1n },
        address,
        new Uint8Array()
      )
      return meter.spent()
    }
    // Four instructions, two words of memory that are read and added, and what a hash takes; then the end.
    assert.strictEqual(stepsFor("60406000 2000".replace(" ", "")), 4 + 2 + 2 + 6)
    assert.strictEqual(stepsFor("6040600060003900"), 5 + 2 + 2)
    assert.strictEqual(stepsFor("60025400"), 3 + 20)
    assert.strictEqual(selector("totalSupply()"), "0x18160ddd")
    assert.strictEqual(toHex(address), target)
  })
})
