/** The head of the log over a run's entry: who signed it, by the keys and witnesses that the caller trusts. */
import { Effect } from "effect"
import { fromUtf8, Malformed, toHex } from "../../core/proof/bytes.ts"
import { type Check, notProved } from "../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import { logPath } from "../../core/proof/fetched.ts"
import { readRunProof } from "../../core/proof/observed.ts"
import { verifyHead } from "../../core/proof/verifyHead.ts"
import { keysFor, type Surroundings } from "../../http/client/verifier/src/cli/inputs.ts"
import { withMemory } from "../../http/client/verifier/src/cli/memory.ts"
import type { Values } from "../../http/client/verifier/src/cli/options.ts"
import { UsageError } from "../cli/usage.ts"
import type { Exported } from "./export.ts"

/** The note of that size and the key document: from the service that the caller named, else from the export. */
const signedHead = async (
  { head, observed }: Required<Pick<Exported, "observed">> & Exported,
  values: Values,
  io: Surroundings
) => {
  const url = values.url?.replace(/\/+$/, "")
  if (url === undefined) return head === undefined ? undefined : { ...head, isLive: false }
  const { body, status } = await io.get(`${url}${logPath}/checkpoints/${observed.log.size}`)
  if (status !== 200) throw new Malformed(`${url} has no checkpoint of ${observed.log.size} entries`)
  return {
    checkpoint: fromUtf8(body),
    keys: await keysFor(values, io, url),
    isLive: values.keys === undefined
  }
}

/** The entry of the hour, for its time; undefined where the proof does not hold, which another check says. */
const entryOf = (observed: NonNullable<Exported["observed"]>) => {
  try {
    return readRunProof(observed).entry
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

const rootOf = (note: string) => {
  const { root, size } = parseCheckpointText(parseNote(note).text)
  return { root: toHex(root), size }
}

const checksOf = async (run: Exported, values: Values, io: Surroundings): Promise<ReadonlyArray<Check>> => {
  const { observed } = run
  // That there is no proof at all is said elsewhere.
  if (observed === undefined) return []
  const signed = await signedHead({ ...run, observed }, values, io)
  if (signed === undefined)
    return [
      notProved("entry in the log", "the export has no head of the log; name the service that has it (--url)")
    ]
  const { checkpoint, isLive, keys } = signed
  return withMemory(values, io, { keys, isLive }, (document, trust) => {
    const cosignatures = "cosignatures" in signed ? signed.cosignatures : undefined
    const verified = verifyHead(
      "entry in the log",
      { ...observed.log, checkpoint, ...(cosignatures === undefined ? {} : { cosignatures }) },
      entryOf(observed),
      { ...trust, keys: document }
    )
    return verified.checks.every(({ ok }) => ok !== false)
      ? { ...verified, head: { ...rootOf(checkpoint), note: checkpoint } }
      : verified
  })
}

/** Checks that the log has the entry of the run's hour under a signed head. Fails with `UsageError` where it cannot look. */
export const underSignedHead = (run: Exported, values: Values, io: Surroundings) =>
  Effect.tryPromise({
    try: () => checksOf(run, values, io),
    catch: (error) => new UsageError({ message: error instanceof Error ? error.message : String(error) })
  }).pipe(Effect.withSpan("Derivation.underSignedHead"))
