/** `plumbline verify notary`: follows the log of a notary, and looks for statements in it. */
import { setTimeout as sleep } from "node:timers/promises"
import { CouldNotLook, fromUtf8, Malformed } from "../../../../../core/proof/bytes.ts"
import type { Check } from "../../../../../core/proof/check.ts"
import { noteKeyText, parseVkey, type Verifier } from "../../../../../core/proof/checkpoint.ts"
import { parseEvidence } from "../../../../../core/proof/evidence.ts"
import { readIfThere, writeWhole } from "../folder.ts"
import { lookAtNotary } from "../monitor/notary.ts"
import { type NotaryState, parseNotaryState } from "../monitor/notaryState.ts"
import { patient, SourceUnreachable, served } from "../monitor/source.ts"
import { need, readText, type Surroundings } from "./inputs.ts"
import type { Values } from "./options.ts"

const stateIn = async (file: string | undefined): Promise<NotaryState | undefined> => {
  const bytes = file === undefined ? undefined : await readIfThere(file)
  if (bytes === undefined) return undefined
  try {
    return parseNotaryState(fromUtf8(bytes))
  } catch (error) {
    if (error instanceof Malformed) throw new CouldNotLook(`--state ${file}: ${error.message}`)
    throw error
  }
}

/** The key that was given, which must be the one that the state is of; without one, that of the state. */
const verifierOf = ({ key, state: file }: Values, state: NotaryState | undefined): Verifier => {
  const [first, ...more] = key
  if (more.length > 0) throw new CouldNotLook("--key: a notary has one key")
  const named = need(first ?? state?.notary, "--key (the verifier key of the notary)")
  let verifier: Verifier
  try {
    verifier = parseVkey(named)
  } catch (error) {
    if (error instanceof Malformed) throw new CouldNotLook(`--key: ${error.message}`)
    throw error
  }
  if (state !== undefined && state.notary !== noteKeyText(verifier))
    throw new CouldNotLook(`--state ${file} is of the notary ${state.notary}, not of ${named}`)
  return verifier
}

/** The statements in a file: those of the evidence beside a bundle, or the one that it is. */
const statementsIn = async (file: string): Promise<ReadonlyArray<string>> => {
  const text = await readText(file)
  if (!text.trimStart().startsWith("{") || text.includes("\n\n— ")) return [text]
  const notes = parseEvidence(text).observed?.notes ?? []
  if (notes.length === 0) throw new CouldNotLook(`${file}: this evidence has no statement of a notary`)
  return notes
}

/** Looks once at the notary at `address`. */
export const notaryCommand = async (
  address: string | undefined,
  values: Values,
  io: Surroundings
): Promise<ReadonlyArray<Check>> => {
  const base = need(address, "the address of the notary").replace(/\/+$/, "")
  try {
    const last = await stateIn(values.state)
    const verifier = verifierOf(values, last)
    const statements = (await Promise.all(values.statements.map(statementsIn))).flat()
    const source = served(patient(io.get, { wait: (ms) => sleep(ms) }), base)
    const { checks, state } = await lookAtNotary({ source, verifier, last, statements, now: Date.now() })
    if (values.state !== undefined && state !== undefined && state !== last)
      await writeWhole(values.state, `${JSON.stringify(state, null, 2)}\n`)
    return checks
  } catch (error) {
    if (error instanceof SourceUnreachable) throw new CouldNotLook(error.message)
    throw error
  }
}
