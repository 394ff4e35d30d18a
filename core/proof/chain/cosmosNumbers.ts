/** How balances stand in the bank's store of Cosmos chains. */
import { fromUtf8, Malformed } from "../bytes.ts"
import { bytesAt, fieldsOf } from "./proto.ts"

/** Each undefined where the bytes are none. */
type Codec = (bytes: Uint8Array) => bigint | undefined

const whole = (bytes: Uint8Array): bigint | undefined => {
  const text = fromUtf8(bytes)
  return /^(0|[1-9]\d{0,77})$/.test(text) ? BigInt(text) : undefined
}

const orUndefined = (work: () => bigint | undefined): bigint | undefined => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** A whole number as decimal digits: what a balance is since 0.46. */
export const digits: Codec = (bytes) => orUndefined(() => whole(bytes))

/** The amount of a coin, a message of a denomination and digits: what it was before. */
export const coinAmount: Codec = (bytes) =>
  orUndefined(() => {
    const amount = bytesAt(fieldsOf(bytes, [1, 2]), 2)
    return amount === undefined ? undefined : whole(amount)
  })
