/** EVM chains: what `eth_getProof` proves under the state root of a header, and what code gives that is executed over it. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex } from "../bytes.ts"
import * as s from "../shape.ts"
import { bounds } from "./bounds.ts"
import { readHeader } from "./evmHeader.ts"
import { chainNumber, resultOf } from "./evmMachine.ts"
import { accountAt, wordAt } from "./evmState.ts"
import { worldOf } from "./evmWorld.ts"
import { claimKind, type Family } from "./family.ts"
import { bytesOf, exactly } from "./hexes.ts"

/** Of an account, an address of 20 bytes in hex, the balance in the chain's smallest unit, in decimal digits. */
interface BalanceClaim {
  readonly kind: "evm-balance"
  readonly account: string
  readonly value: string
}

/** The same, and the hash of its code, hex: that of an account without code is the hash of nothing. */
interface CodeClaim {
  readonly kind: "evm-code-hash"
  readonly account: string
  readonly value: string
}

/** The word in a slot of an account's storage, 32 bytes in hex, as a number in decimal digits. */
interface SlotClaim {
  readonly kind: "evm-slot"
  readonly account: string
  readonly slot: string
  readonly value: string
}

const balance = claimKind<BalanceClaim>(
  "evm-balance",
  { kind: s.oneOf("evm-balance"), account: s.text, value: s.text },
  ({ account }, { header, nodes }) =>
    accountAt(header.stateRoot, exactly("an account", account, 20), nodes).balance.toString()
)

const codeHash = claimKind<CodeClaim>(
  "evm-code-hash",
  { kind: s.oneOf("evm-code-hash"), account: s.text, value: s.text },
  ({ account }, { header, nodes }) =>
    toHex(accountAt(header.stateRoot, exactly("an account", account, 20), nodes).codeHash)
)

const slot = claimKind<SlotClaim>(
  "evm-slot",
  { kind: s.oneOf("evm-slot"), account: s.text, slot: s.text, value: s.text },
  (claim, { header, nodes }) => {
    const { storageRoot } = accountAt(header.stateRoot, exactly("an account", claim.account, 20), nodes)
    return wordAt(storageRoot, exactly("a slot", claim.slot, 32), nodes).toString()
  }
)

/** What the code of an account gives when it is called with data: bytes, hex, as all of these. */
interface CallClaim {
  readonly kind: "evm-call"
  readonly account: string
  readonly data: string
  readonly value: string
}

const call = claimKind<CallClaim>(
  "evm-call",
  { kind: s.oneOf("evm-call"), account: s.text, data: s.text, value: s.text },
  (claim, { chain, codes, header, meter, nodes }) =>
    resultOf(
      {
        world: worldOf(header.stateRoot, nodes, codes),
        meter,
        chain: chainNumber(chain),
        number: header.number,
        seconds: (header.time ?? 0n) / 1000n
      },
      exactly("an account", claim.account, 20),
      bytesOf("the data of a call", claim.data, bounds.key)
    )
)

export const evm: Family = {
  namespace: "eip155",
  chain: /^eip155:[1-9]\d{0,15}$/,
  hash: keccak_256,
  readHeader,
  claims: [balance, call, codeHash, slot]
}
