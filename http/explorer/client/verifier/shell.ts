/** The command of a shell that makes the same checks, for the same reader. */
import { noteKeyText } from "../../../../core/proof/checkpoint.ts"
import type { Trust } from "../../../../core/proof/trust.ts"

/** A word of a shell. */
export const word = (text: string): string =>
  /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The keys that the reader gave; without one, the name of what to put there. */
export const keyOptions = ({ pins = [] }: Trust, missing: "ANSWERS_KEY" | "LOG_KEY"): string =>
  pins.length === 0 ? `--key=${missing}` : pins.map((pin) => `--key=${word(pin)}`).join(" ")

/** All whom the reader trusts, as options of `value` and `bundle`; `signers` may sign blocks of chains. */
export const trustOptions = (trust: Trust, signers: ReadonlyArray<string>): string => {
  const { notaries, witnesses = [] } = trust
  return [
    keyOptions(trust, "LOG_KEY"),
    ...witnesses.map((key) => `--witness ${word(noteKeyText(key))}`),
    ...(notaries?.notaries ?? []).map((key) => `--notary ${word(noteKeyText(key))}`),
    ...(notaries === undefined || notaries.least === 1 ? [] : [`--notaries ${notaries.least}`]),
    ...signers.map((hash) => `--trust ${hash}`)
  ].join(" ")
}
