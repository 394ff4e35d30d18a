/** Our own execution of views against `@ethereumjs/evm`: the same code, state and calls. */

import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../core/proof/bytes.ts"
import { bytesOfWord, resultOf } from "../../core/proof/chain/evmMachine.ts"
import { meterOf } from "../../core/proof/chain/evmMeter.ts"
import { emptyRoot } from "../../core/proof/chain/evmTrie.ts"
import type { World } from "../../core/proof/chain/evmWorld.ts"
import type { Contract } from "../../runtime/tape/evmChain.ts"
import {
  argument,
  holder,
  logic,
  recordedChain,
  selector,
  token,
  tokenAlone,
  tokenBehindProxy
} from "../support/chain/contracts.ts"
import { missing } from "../support/programs.ts"
import { installed } from "./installed.ts"

const { createEVM } = await installed(() => import("@ethereumjs/evm"))
const { Common, Hardfork, Mainnet } = await installed(() => import("@ethereumjs/common"))
const { SimpleStateManager } = await installed(() => import("@ethereumjs/statemanager"))
const { Account, Address, bytesToHex } = await installed(() => import("@ethereumjs/util"))

type Contracts = ReadonlyMap<string, Contract>

/** The result, or that there is none. */
const own = (contracts: Contracts, to: string, data: string): string => {
  const of = (address: Uint8Array) => contracts.get(toHex(address))
  const world: World = {
    account: () => ({ nonce: 1n, balance: 0n, storageRoot: emptyRoot, codeHash: new Uint8Array(32) }),
    slot: (address, slot) => of(address)?.slots.get(BigInt(`0x${toHex(slot)}`)) ?? 0n,
    code: (address) => of(address)?.code ?? new Uint8Array()
  }
  try {
    return resultOf(
      { world, meter: meterOf(), chain: 1n, number: 0n, seconds: 0n },
      fromHex(to),
      fromHex(data)
    )
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return "fails"
  }
}

const common = () => new Common({ chain: Mainnet, hardfork: Hardfork.Cancun })

const reference = async (contracts: Contracts, to: string, data: string): Promise<string> => {
  const stateManager = new SimpleStateManager({ common: common() })
  for (const [name, { code, slots }] of contracts) {
    const address = new Address(fromHex(name))
    await stateManager.putAccount(address, new Account(1n, 0n))
    await stateManager.putCode(address, code)
    for (const [slot, word] of slots)
      await stateManager.putStorage(address, bytesOfWord(slot), bytesOfWord(word))
  }
  const evm = await createEVM({ common: common(), stateManager })
  const { execResult } = await evm.runCall({
    to: new Address(fromHex(to)),
    data: fromHex(data),
    gasLimit: 30_000_000n,
    isStatic: true
  })
  return execResult.exceptionError === undefined ? bytesToHex(execResult.returnValue).slice(2) : "fails"
}

/** The same numbers in every run. */
const numbersFrom = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state
  }
}

const special = [0n, 1n, 2n, 31n, 32n, 255n, 256n, (1n << 255n) - 1n, 1n << 255n, (1n << 256n) - 1n]

const wordsFrom = (random: () => number) => (): bigint =>
  random() % 2 === 0
    ? (special[random() % special.length] ?? 0n)
    : BigInt(random()) ** BigInt((random() % 8) + 1) % (1n << 256n)

const hex = (word: bigint): string => toHex(bytesOfWord(word))

const target = "4".repeat(40)

const alone = (code: string): Contracts => new Map([[target, { code: fromHex(code), slots: new Map() }]])

describe.skipIf(missing("counterparties"))("execution", () => {
  it("gives what a reference gives: a token alone and behind a proxy", async () => {
    const calls = [
      ...["totalSupply()", "decimals()", "name()", "symbol()", "nothing()"].map(selector),
      ...[holder, logic].map((owner) => selector("balanceOf(address)") + argument(owner)),
      selector("allowance(address,address)") + argument(holder) + argument(logic),
      selector("balanceOf(address)"),
      "0x"
    ].map((data) => data.slice(2))
    for (const contracts of [tokenBehindProxy, new Map([[token, tokenAlone]])])
      for (const data of calls)
        assert.strictEqual(own(contracts, token, data), await reference(contracts, token, data), data)
  })

  it("gives what a node of main net said", async () => {
    const { codes, request, result } = recordedChain("mainnet-call")
    const [{ data, to }] = request
    const code = fromHex(codes.find((one: string) => one.length > 2).slice(2))
    const contracts = new Map([[to.slice(2), { code, slots: new Map() }]])
    for (const give of [own, reference])
      assert.strictEqual(await give(contracts, to.slice(2), data.slice(2)), result.slice(2))
  })

  it("gives the same for each instruction of arithmetic, on 3,000 programs", async () => {
    const random = numbersFrom(11)
    const word = wordsFrom(random)
    const codes = [..."123456789ab"].map((one) => Number.parseInt(one, 16))
    const comparing = Array.from({ length: 0x1d - 0x10 + 1 }, (_, at) => 0x10 + at)
    const operations = [...codes, ...comparing]
    for (let round = 0; round < 3000; round++) {
      const op = (operations[round % operations.length] ?? 1).toString(16).padStart(2, "0")
      const code = `${Array.from({ length: 3 }, () => `7f${hex(word())}`).join("")}${op}60005260206000f3`
      const evm = await createEVM({ common: common() })
      const { returnValue } = await evm.runCode({ code: fromHex(code), gasLimit: 1_000_000n })
      assert.strictEqual(own(alone(code), target, ""), toHex(returnValue), code)
    }
  })

  it("gives the same for memory, data, hashes, jumps and calls, on 1,500 programs", async () => {
    const random = numbersFrom(29)
    const small = () => (random() % 80).toString(16).padStart(2, "0")
    const pieces: ReadonlyArray<() => string> = [
      () => `60${small()}60${small()}52`,
      () => `60${small()}60${small()}53`,
      () => `60${small()}51`,
      () => `60${small()}60${small()}20`,
      () => `60${small()}35`,
      () => "36",
      () => "38",
      () => "3d",
      () => "58",
      () => "59",
      () => "30",
      () => "33",
      () => "34",
      () => "46",
      () => `60${small()}60${small()}60${small()}37`,
      () => `60${small()}60${small()}60${small()}39`,
      () => `60${small()}60${small()}60${small()}5e`,
      () => `60${small()}54`,
      () => `60${small()}5c`,
      () => `73${token}3b`,
      () => `60${small()}60${small()}60${small()}73${token}3c`,
      () => `60${small()}60${small()}60${small()}60${small()}73${token}5afa`,
      () => `60${small()}60${small()}60${small()}60${small()}600060${random() % 2 === 0 ? "04" : "02"}5af1`,
      () => `60${small()}60${small()}60${small()}60${small()}73${token}5af4`,
      () => "6001600081815050",
      () => "8050",
      () => "60016000908190505050"
    ]
    let results = 0
    for (let round = 0; round < 1500; round++) {
      const body = Array.from(
        { length: 1 + (random() % 8) },
        () => pieces[random() % pieces.length]?.() ?? ""
      ).join("")
      const code = `600760096011${body}60a05260c05ff3`
      const data = Array.from({ length: random() % 60 }, () => small()).join("")
      const contracts = new Map([
        ...alone(code),
        [token, { code: fromHex("3660005260005460205260405ff3"), slots: new Map([[0n, 77n]]) }]
      ])
      contracts.set(target, {
        code: fromHex(code),
        slots: new Map([
          [5n, 9n],
          [0n, 3n]
        ])
      })
      const result = own(contracts, target, data)
      assert.strictEqual(result, await reference(contracts, target, data), `${code} ${data}`)
      if (result !== "fails") results += 1
    }
    assert.isAbove(results, 500)
  })
})
