/** Who signed a text as a wallet does (EIP-191), strictly: one signature has one form. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex, utf8 } from "../../proof/bytes.ts"

/** Half the order of secp256k1: a signature with a greater s is the same signature written another way. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Why a text is no signature that we take; undefined when it is one. */
export const signatureFault = (signature: string): string | undefined => {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) {
    return "signature takes 65 bytes as 0x and 130 hex digits (r, s, v)"
  }
  if (BigInt(`0x${signature.slice(66, 130)}`) > halfOrder)
    return "signature has a high s: sign again with a current wallet"
  if (!["00", "01", "1b", "1c"].includes(signature.slice(130).toLowerCase()))
    return "signature has a v that is none"
  return undefined
}

/** The address whose key signed `message`, lower case; undefined when none can have. */
export const signerOf = async (message: string, signature: string): Promise<string | undefined> => {
  const { recoverMessageAddress } = await import("viem")
  return recoverMessageAddress({ message, signature: signature as `0x${string}` }).then(
    (address) => address.toLowerCase(),
    () => undefined
  )
}

/** An address in lower case; undefined for what is none, or has a wrong checksum. */
export const addressOf = (text: string): string | undefined =>
  /^0x[0-9a-f]{40}$/.test(text) || (/^0x[0-9a-fA-F]{40}$/.test(text) && text === checksummed(text))
    ? text.toLowerCase()
    : undefined

/** The address as wallets show it: its capitals are a checksum (EIP-55). */
export const checksummed = (address: string): string => {
  const digits = address.slice(2).toLowerCase()
  const hash = toHex(keccak_256(utf8(digits)))
  return `0x${digits.replace(/[a-f]/g, (digit, at: number) => (/[89a-f]/.test(hash.charAt(at)) ? digit.toUpperCase() : digit))}`
}

/**
 * What the code at an address says of it: none is a plain wallet; `0xef0100` and an address is one that delegated to a
 * contract (EIP-7702), still signed for by its key; anything else is a contract.
 */
export const walletKind = (code: string): "plain" | "delegated" | "contract" =>
  code === "0x" || code === "" ? "plain" : /^0xef0100[0-9a-f]{40}$/i.test(code) ? "delegated" : "contract"
