/** Strict recovery of the wallet that signed a text (EIP-191): each signature is accepted in one form only. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex, utf8 } from "../../proof/bytes.ts"

/** Half the order of secp256k1. A signature with a larger s is a second form of the same signature. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Why a signature is not acceptable; undefined if it is. */
export const signatureFault = (signature: string): string | undefined => {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) {
    return "signature must be 65 bytes (r, s, v) as 0x and 130 hex digits."
  }
  if (BigInt(`0x${signature.slice(66, 130)}`) > halfOrder)
    return "signature has a high s value. Sign again with an up-to-date wallet."
  if (!["00", "01", "1b", "1c"].includes(signature.slice(130).toLowerCase()))
    return "signature has an invalid v: it must be 0, 1, 27 or 28."
  return undefined
}

/** The lower-case address that signed `message`; undefined if the signature cannot be valid. */
export const signerOf = async (message: string, signature: string): Promise<string | undefined> => {
  const { recoverMessageAddress } = await import("viem")
  return recoverMessageAddress({ message, signature: signature as `0x${string}` }).then(
    (address) => address.toLowerCase(),
    () => undefined
  )
}

/** The address in lower case; undefined if it is malformed or its checksum is wrong. */
export const addressOf = (text: string): string | undefined =>
  /^0x[0-9a-f]{40}$/.test(text) || (/^0x[0-9a-fA-F]{40}$/.test(text) && text === checksummed(text))
    ? text.toLowerCase()
    : undefined

/** The address in mixed case, where the capitals are a checksum (EIP-55). */
export const checksummed = (address: string): string => {
  const digits = address.slice(2).toLowerCase()
  const hash = toHex(keccak_256(utf8(digits)))
  return `0x${digits.replace(/[a-f]/g, (digit, at: number) => (/[89a-f]/.test(hash.charAt(at)) ? digit.toUpperCase() : digit))}`
}

/**
 * Classifies an address by its code. No code: a plain wallet. `0xef0100` and an address: a wallet that delegates to a
 * contract (EIP-7702) but still signs with its own key. Anything else: a contract.
 */
export const walletKind = (code: string): "plain" | "delegated" | "contract" =>
  code === "0x" || code === "" ? "plain" : /^0xef0100[0-9a-f]{40}$/i.test(code) ? "delegated" : "contract"
