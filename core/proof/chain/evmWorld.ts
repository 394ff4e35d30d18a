/** What code reads of the state of a block, as far as nodes and codes prove it. */
import { fromHex, Malformed, toHex } from "../bytes.ts"
import type { Blobs } from "./blobs.ts"
import { type Account, accountAt, emptyCode, wordAt } from "./evmState.ts"

export interface World {
  readonly account: (address: Uint8Array) => Account
  readonly slot: (address: Uint8Array, slot: Uint8Array) => bigint
  readonly code: (address: Uint8Array) => Uint8Array
}

/** What a proof lacks, so that a node can be asked for it: an account, one slot of it, or its code. Addresses and slots are hex. */
export interface Lacking {
  readonly account: string
  readonly slot?: string
  readonly code?: true
}

/** The proof says neither what the state has there, nor that it has nothing. */
export class Lacks extends Malformed {
  readonly lacking: Lacking

  constructor(lacking: Lacking, { message }: Malformed) {
    super(message, "missing")
    this.lacking = lacking
  }
}

const orLacks = <A>(lacking: Lacking, read: () => A): A => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed && error.reason === "missing") throw new Lacks(lacking, error)
    throw error
  }
}

const remembered = <A>(read: (name: string) => A): ((name: string) => A) => {
  const values = new Map<string, { readonly value: A }>()
  return (name) => {
    const before = values.get(name)
    if (before !== undefined) return before.value
    const value = read(name)
    values.set(name, { value })
    return value
  }
}

const emptyCodeHash = toHex(emptyCode)

/** The state under a root. What it reads throws `Malformed`: `Lacks` where nodes or codes are missing. */
export const worldOf = (
  stateRoot: Uint8Array,
  nodes: Pick<Blobs, "get">,
  codes: Pick<Blobs, "get">
): World => {
  const accountNamed = remembered((account) =>
    orLacks({ account }, () => accountAt(stateRoot, fromHex(account), nodes))
  )
  const slotNamed = remembered((name) => {
    const [account = "", slot = ""] = name.split(" ")
    return orLacks({ account, slot }, () => wordAt(accountNamed(account).storageRoot, fromHex(slot), nodes))
  })
  const codeNamed = remembered((account) => {
    const { codeHash } = accountNamed(account)
    return toHex(codeHash) === emptyCodeHash
      ? new Uint8Array()
      : orLacks({ account, code: true }, () => codes.get(codeHash))
  })
  return {
    account: (address) => accountNamed(toHex(address)),
    slot: (address, slot) => slotNamed(`${toHex(address)} ${toHex(slot)}`),
    code: (address) => codeNamed(toHex(address))
  }
}
