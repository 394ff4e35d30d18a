/** The file of pins: what the command remembers of the operators whose keys it was given or has seen. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { CouldNotLook, fromUtf8, Malformed } from "../../../../../core/proof/bytes.ts"
import { allHold, allProved, type Check, notProved, subjectOf } from "../../../../../core/proof/check.ts"
import { isDemoLog, type KeyDocument, parseKeyDocument } from "../../../../../core/proof/keys.ts"
import type { Trust } from "../../../../../core/proof/trust.ts"
import {
  contradicted,
  forkCheck,
  isStale,
  type Memory,
  memoryChecks,
  memoryText,
  parseMemory,
  type RememberedLog,
  remember,
  rememberedLog,
  type Sighting,
  vouchedKids,
  withFork,
  withRememberedEnds
} from "../pins.ts"
import { type Surroundings, trustOf } from "./inputs.ts"
import type { Values } from "./options.ts"
import { checkSameLog } from "./sameLog.ts"

/** Where the file is: as asked for, else in the user's folder for settings. Undefined where nothing is to be remembered. */
const placeOf = (values: Values, { env }: Surroundings): string | undefined => {
  const named = values.pins ?? env.PLUMBLINE_PINS
  if (named !== undefined) return named === "none" ? undefined : named
  const folder = env.XDG_CONFIG_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, ".config"))
  return folder === undefined ? undefined : join(folder, "plumbline", "pins.json")
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT"

const readMemory = async (place: string | undefined): Promise<Memory> => {
  if (place === undefined) return []
  try {
    return parseMemory(fromUtf8(await readFile(place)))
  } catch (error) {
    if (isMissing(error)) return []
    const why = error instanceof Error ? error.message : String(error)
    throw new CouldNotLook(
      `the file of pins ${place} cannot be used: ${why}; name another with --pins, or --pins none`
    )
  }
}

/** Writes the file whole: another command may read it meanwhile. What cannot be remembered does not make a proof fail. */
const writeMemory = async (place: string, memory: Memory): Promise<void> => {
  const temporary = `${place}.${process.pid}`
  try {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    await writeFile(temporary, memoryText(memory), { mode: 0o600 })
    await rename(temporary, place)
  } catch (error) {
    if (!(error instanceof Error)) throw error
  }
}

/** What a verification found, and what of it is worth remembering. */
export interface Verified extends Partial<Pick<Sighting, "head" | "runsFrom">> {
  readonly checks: ReadonlyArray<Check>
  readonly signers: ReadonlyArray<string>
}

const documentOf = (keys: unknown): KeyDocument | undefined => {
  try {
    return parseKeyDocument(keys)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

const outdatedBy = (remembered: RememberedLog): string =>
  `the keys of ${remembered.origin} were last looked up on ${remembered.checked.slice(0, 10)}, so a rotation since then would not be known; ` +
  "check something at its own address (`verify value --url`), or give its key again (--key)"

/** What is said of a key that was seen before and that nobody vouches for. */
const seenBefore = (
  checks: ReadonlyArray<Check>,
  remembered: RememberedLog,
  signers: ReadonlyArray<string>
) =>
  checks.map((one): Check => {
    const key = remembered.keys.find(({ kid }) => signers.includes(kid))
    return subjectOf(one) === "operator's key" && one.ok === "not proved" && key?.by === "first use"
      ? {
          ...one,
          detail: `${one.detail}. It is the key that this reader first saw on ${key.since.slice(0, 10)}`
        }
      : one
  })

/**
 * Verifies with what is remembered of the operator: his keys, unless the caller gives some, and the ends of those that he
 * replaced. Afterwards remembers what held; of what nobody vouches for, that it was seen.
 */
export const withMemory = async (
  values: Values,
  io: Surroundings,
  source: { readonly keys: unknown; readonly isLive: boolean; readonly isAnswer?: boolean },
  verify: (keys: unknown, trust: Trust) => Promise<Verified> | Verified
): Promise<ReadonlyArray<Check>> => {
  const trust = await trustOf(values)
  const explicit = trust.pins ?? []
  const document = documentOf(source.keys)
  const place = placeOf(values, io)
  if (document === undefined || place === undefined) return (await verify(source.keys, trust)).checks
  const memory = await readMemory(place)
  // Each demo makes keys of its own, so none is remembered. But a key of another log is none of a demo.
  if (isDemoLog(document.checkpointOrigin))
    return [...(await verify(source.keys, trust)).checks, ...memoryChecks(memory, document)]
  const remembered = rememberedLog(memory, document.checkpointOrigin)
  const now = Date.now()
  // A key that was given by hand, or a document that was fetched just now, is fresh.
  const outdated =
    remembered !== undefined && explicit.length === 0 && !source.isLive && isStale(remembered, now)
      ? outdatedBy(remembered)
      : undefined
  const { checks, head, runsFrom, signers } = await verify(withRememberedEnds(source.keys, remembered), {
    ...trust,
    pins: explicit.length > 0 || values.kept !== undefined ? explicit : vouchedKids(remembered),
    runsFrom: remembered?.runs_from,
    outdated
  })
  const at = `${new Date(now).toISOString().slice(0, 19)}Z`
  const { checkpointOrigin: origin } = document
  const earlier = contradicted(remembered, head)
  const isForked = earlier !== undefined && head !== undefined
  if (isForked)
    await writeMemory(place, withFork(memory, origin, { at, remembered: earlier.note, other: head.note }))
  const ofHead = isForked
    ? [forkCheck(origin, earlier, head, place)]
    : await checkSameLog(values, io, remembered, head)
  const all = [
    ...(remembered === undefined ? checks : seenBefore(checks, remembered, signers)),
    // An answer says itself when it was signed, so nothing else dates it.
    ...(outdated !== undefined && source.isAnswer === true
      ? [notProved("remembered keys", outdated, "key")]
      : []),
    ...memoryChecks(memory, document),
    ...ofHead
  ]
  const isKnown = allProved(all) || onlyUnvouched(all)
  if (allHold(all) && isKnown && signers.length > 0) {
    await writeMemory(
      place,
      remember(memory, {
        document,
        signers,
        given: allProved(all) ? explicit : [],
        isLive: source.isLive,
        at,
        runsFrom,
        // One that nobody held to the others is none that a later one could be held to.
        ...(head === undefined || ofHead.some(({ ok }) => ok !== true) ? {} : { head })
      })
    )
  }
  return all
}

const onlyUnvouched = (checks: ReadonlyArray<Check>): boolean =>
  checks.every((one) => one.ok === true || one.ok === "not checked" || subjectOf(one) === "operator's key")
