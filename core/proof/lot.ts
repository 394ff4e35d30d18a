/** The draw of a run's notary, which anybody can repeat from what the log has of the run. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex, utf8 } from "./bytes.ts"

/** What a run is known by before it begins: a run that no schedule asked for, by its id. */
export interface DrawnRun {
  readonly id: string
  readonly plugin: string
  /** ISO 8601. */
  readonly due?: string
}

/** Verifier keys in the order of the draw. */
export const notariesInOrder = (keys: ReadonlyArray<string>): ReadonlyArray<string> => [...keys].sort()

/** SHA-256 that names the notaries that a run draws from: over their verifier keys in order, each with a newline. */
export const notaryListHash = (inOrder: ReadonlyArray<string>): string =>
  toHex(sha256(utf8(inOrder.map((key) => `${key}\n`).join(""))))

/**
 * The notary of a run: number SHA-256(`<head>\n<plugin>\n<due, or the run's id>\n`), its first 48 bits, modulo how many there are. `head` is
 * the hash of a cosigned checkpoint: the collector cannot choose it, and a run's time was published the day before, so neither
 * can it choose its notary. Undefined where there is none.
 */
export const drawnNotary = (
  inOrder: ReadonlyArray<string>,
  head: string,
  { due, id, plugin }: DrawnRun
): string | undefined => {
  const digest = sha256(utf8(`${head}\n${plugin}\n${due ?? id}\n`))
  // 48 bits over a handful of notaries: as even as it can be seen.
  const number = digest.slice(0, 6).reduce((sum, byte) => sum * 256 + byte, 0)
  return inOrder[number % Math.max(1, inOrder.length)]
}
