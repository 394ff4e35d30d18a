/** Whose statements of what hosts answered count for a reader, and how many of these notaries he asks for. */
import { Malformed, toHex } from "./bytes.ts"
import { demand } from "./check.ts"
import { parseVkey, type Verifier } from "./checkpoint.ts"

export interface NotaryPolicy {
  readonly notaries: ReadonlyArray<Verifier>
  /** How many of them must have carried what a value was read from. */
  readonly least: number
}

/**
 * Reads verifier keys and a number as a reader writes them: 1 without it. Undefined where he names no notary and no number. Throws
 * `Malformed`.
 */
export const notaryPolicyOf = (keys: ReadonlyArray<string>, least?: string): NotaryPolicy | undefined => {
  if (least !== undefined && !/^[1-9]\d{0,3}$/.test(least))
    throw new Malformed(`"${least}" must be a number of notaries, 1 or more`)
  const notaries = keys.map(parseVkey)
  demand(
    new Set(notaries.map(({ publicKey }) => toHex(publicKey))).size === notaries.length,
    "a key is given twice"
  )
  const number = Number(least ?? 1)
  demand(
    least === undefined || number <= notaries.length,
    `${number} of ${notaries.length} notaries can never be met; name more`
  )
  return notaries.length === 0 ? undefined : { notaries, least: number }
}
