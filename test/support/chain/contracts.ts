/** Contracts of a chain that is made up: a token, alone or behind a proxy, as OpenZeppelin wrote them. */
import { readFileSync } from "node:fs"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concat, fromHex, toHex, utf8 } from "../../../core/proof/bytes.ts"
import type { ChainProof } from "../../../core/proof/chain/document.ts"
import { bytesOfWord } from "../../../core/proof/chain/evmMachine.ts"
import type { View } from "../../../core/proof/chain/evmRead.ts"
import { proofOfCalls } from "../../../core/proof/chain/proofOfCalls.ts"
import { rlp, unsigned } from "../../../core/proof/chain/rlpWriter.ts"
import {
  type Contract,
  chainOf,
  codeOf,
  constantCode,
  type EvmChain,
  executed,
  proofOf
} from "../../../runtime/tape/evmChain.ts"

export const recordedChain = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/chain/${name}.json`, import.meta.url), "utf8"))

const codes: Readonly<Record<"ERC20" | "ERC1967Proxy", string>> = recordedChain("openzeppelin")

/** The first four bytes of the hash of a function, hex after `0x`. */
export const selector = (signature: string): string =>
  `0x${toHex(keccak_256(utf8(signature)).subarray(0, 4))}`

/** An address as the argument of a call. */
export const argument = (address: string): string => address.replace(/^0x/, "").padStart(64, "0")

export const token = "1000000000000000000000000000000000000001"
export const logic = "2000000000000000000000000000000000000002"
export const holder = "3000000000000000000000000000000000000003"
export const grave = "000000000000000000000000000000000000dead"

/** EIP-1967. */
export const implementationSlot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn

/** The slot of an entry of a mapping, as Solidity lays it out. */
export const mappingSlot = (key: string, slot: bigint): bigint =>
  BigInt(`0x${toHex(keccak_256(concat(fromHex(argument(key)), bytesOfWord(slot))))}`)

const short = (text: string): bigint =>
  BigInt(
    `0x${Buffer.from(text).toString("hex").padEnd(62, "0")}${(text.length * 2).toString(16).padStart(2, "0")}`
  )

export const supply = 123_456_789n * 10n ** 18n
export const balance = 42n * 10n ** 18n

/** Balances in slot 0, supply in 2, name and symbol in 3 and 4. */
const tokenSlots: ReadonlyArray<readonly [bigint, bigint]> = [
  [2n, supply],
  [3n, short("A token of a test")],
  [4n, short("TEST")],
  [mappingSlot(holder, 0n), balance],
  ...Array.from(
    { length: 60 },
    (_, index) => [mappingSlot((index + 1).toString(16).padStart(40, "0"), 0n), BigInt(index + 1)] as const
  )
]

export const tokenAlone: Contract = { code: fromHex(codes.ERC20.slice(2)), slots: new Map(tokenSlots) }

/** The token of a proxy, whose code is at `logic`. */
export const tokenBehindProxy: ReadonlyMap<string, Contract> = new Map([
  [
    token,
    {
      code: fromHex(codes.ERC1967Proxy.slice(2)),
      slots: new Map([...tokenSlots, [implementationSlot, BigInt(`0x${logic}`)]])
    }
  ],
  [logic, { code: tokenAlone.code, slots: new Map() }]
])

/** The same where the n-th of these, from 1, has n tokens. */
export const heldBy = (
  contracts: ReadonlyMap<string, Contract>,
  owners: ReadonlyArray<string>
): ReadonlyMap<string, Contract> => {
  const balances = owners.map((owner, at) => [mappingSlot(owner, 0n), BigInt(at + 1) * 10n ** 18n] as const)
  return new Map(
    [...contracts].map(([address, { code, slots }]) => [
      address,
      { code, slots: address === token ? new Map([...slots, ...balances]) : slots }
    ])
  )
}

export const tokenChain = (seconds = 1_788_606_000): EvmChain =>
  chainOf(tokenBehindProxy, { id: 1, number: 23_456_789, seconds })

/** A contract that gives these words to every call. */
export const givingWords = (words: ReadonlyArray<bigint>): Contract => ({
  code: constantCode(concat(...words.map(bytesOfWord))),
  slots: new Map()
})

/** The same chain as one whose authorities make blocks in turn, with a step and a signature in the header. */
export const inTurn = (chain: EvmChain): EvmChain => {
  const { hash: _, mixHash: __, nonce: ___, transactions: ____, baseFeePerGas, ...members } = chain.block
  const sealed = { ...members, step: String(Number(members.timestamp) / 5), signature: "ab".repeat(65) }
  const header = rlp([
    ...Object.entries(members).map(([name, text]) =>
      /^(difficulty|number|gas|timestamp)/.test(name)
        ? unsigned(BigInt(String(text)))
        : fromHex(String(text).slice(2))
    ),
    unsigned(BigInt(sealed.step)),
    fromHex(sealed.signature),
    unsigned(BigInt(String(baseFeePerGas)))
  ])
  return {
    ...chain,
    block: { ...sealed, baseFeePerGas, hash: `0x${toHex(keccak_256(header))}`, transactions: [] }
  }
}

const view = (signature: string, ...addresses: ReadonlyArray<string>): View => ({
  to: `0x${token}`,
  data: selector(signature) + addresses.map(argument).join("")
})

/** What plugins ask a token: decimals, supply, and balances, one of which has no entry. */
export const tokenViews: ReadonlyArray<View> = [
  view("decimals()"),
  view("totalSupply()"),
  view("balanceOf(address)", holder),
  view("balanceOf(address)", grave)
]

/** The proof of what the token says. */
export const tokenProof = (): ChainProof => {
  const chain = tokenChain()
  const reads = tokenViews.flatMap((one) => executed(chain, one).accessList)
  const nodes = reads.flatMap(({ address, storageKeys }) => {
    const { accountProof, storageProof } = proofOf(chain, address, storageKeys)
    return [...accountProof, ...storageProof.flatMap(({ proof }) => proof)]
  })
  const codes = [token, logic].map((address) => codeOf(chain, `0x${address}`))
  return proofOfCalls({ chain: "eip155:1", block: chain.block, nodes, codes }, tokenViews, false)
}

/** The proof of a recorded call of main net. */
export const recordedProof = (): ChainProof => {
  const { block, codes, proofs, request } = recordedChain("mainnet-call")
  const nodes = proofs.flatMap(({ accountProof }: { accountProof: ReadonlyArray<string> }) => accountProof)
  return proofOfCalls({ chain: "eip155:1", block, nodes, codes }, [request[0]], false)
}
