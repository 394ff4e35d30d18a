/** Reads the newest checkpoint of a log: who signed it, whether that key may sign now, and which witnesses saw it. */
import { fromUtf8, toHex } from "../../../../../core/proof/bytes.ts"
import type { Check } from "../../../../../core/proof/check.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "../../../../../core/proof/checkpoint.ts"
import { keysPath, logPath } from "../../../../../core/proof/fetched.ts"
import { type Finding, findingOf } from "../../../../../core/proof/finding.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import {
  isDemoLog,
  type KeyDocument,
  type LogServiceKey,
  parseKeyDocument
} from "../../../../../core/proof/keys.ts"
import { signerChecks, type Trust } from "../../../../../core/proof/trust.ts"
import { signersOf } from "../../../../../core/proof/verifyCheckpoint.ts"
import { type Source, SourceUnreachable } from "./source.ts"
import type { State } from "./state.ts"

export interface Head {
  /** The signed note as served. */
  readonly note: string
  readonly checkpoint: Checkpoint
  readonly keys: KeyDocument
  readonly signers: ReadonlyArray<LogServiceKey>
}

export interface HeadLook {
  /** Undefined if there is nothing to go on from. */
  readonly head: Head | undefined
  readonly findings: ReadonlyArray<Finding>
  /** Who vouches for the head, and who does not. */
  readonly checks: ReadonlyArray<Check>
}

const checkpointPath = `${logPath}/checkpoint`

const needed = async (source: Source, path: string): Promise<Uint8Array> => {
  const bytes = await source.read(path)
  if (bytes === undefined) throw new SourceUnreachable(`${source.name}${path}: no such file`)
  return bytes
}

/** Reads the head. `now` is the monitor's clock, in epoch milliseconds. Throws `SourceUnreachable`. */
export const readHead = async (
  source: Source,
  state: State | undefined,
  trust: Trust,
  now: number
): Promise<HeadLook> => {
  const [note, keysText] = [await needed(source, checkpointPath), await needed(source, keysPath)]
  let head: Head | undefined
  const findings = findingOf(
    { what: "head", where: checkpointPath, expected: "a checkpoint signed by a key of the log" },
    () => {
      const text = fromUtf8(note)
      const keys = parseKeyDocument(parseJson(fromUtf8(keysText)))
      head = {
        note: text,
        checkpoint: parseCheckpointText(parseNote(text).text),
        keys,
        signers: signersOf(text, keys)
      }
    }
  )
  if (head === undefined) return { head, findings, checks: [] }
  const isForeign = state !== undefined && state.origin !== head.checkpoint.origin
  if (isForeign) {
    const actual = `a head of ${head.checkpoint.origin}`
    return {
      head: undefined,
      findings: [
        {
          what: "head",
          where: checkpointPath,
          expected: `a head of ${state.origin}`,
          found: actual,
          reason: "origin"
        }
      ],
      checks: []
    }
  }
  const judged = judge(head, state, { ...trust, now })
  return {
    head,
    findings: [...findings, ...judged.findings, ...periodOf(head, state, now)],
    checks: judged.checks
  }
}

/** Whether the operator vouches for the key (given, remembered, or its successor), and the witnesses for the head. */
const judge = ({ keys, note, signers }: Head, state: State | undefined, trust: Trust) => {
  const pinned = trust.pins ?? []
  const pins = pinned.length > 0 ? pinned : (state?.keys ?? [])
  const checks = signerChecks({ note, cosignatures: [] }, signers, keys, { ...trust, pins })
  return {
    findings: checks.flatMap(
      (one): ReadonlyArray<Finding> =>
        one.ok === false
          ? [
              {
                what: one.name,
                where: checkpointPath,
                expected: `that it holds, by ${pins.length === 0 ? "no key" : pins.join(", ")}`,
                found: one.detail,
                reason: one.reason
              }
            ]
          : []
    ),
    checks
  }
}

/**
 * Whether the key may sign now. A head that is new since the last look was signed after it, by the monitor's own clock: a key
 * cannot move that. The keys of a demo go by its own clock, and its document alone tells which are in use.
 */
const periodOf = (
  { checkpoint, signers }: Head,
  state: State | undefined,
  now: number
): ReadonlyArray<Finding> => {
  if (state === undefined || isDemoLog(checkpoint.origin)) return []
  const previous = parseCheckpointText(parseNote(state.checkpoint).text)
  if (checkpoint.size <= previous.size) return []
  const since = Date.parse(state.seen_at)
  const isInUse = ({ notAfter, notBefore }: LogServiceKey) =>
    Date.parse(notBefore) <= now && (notAfter === null || Date.parse(notAfter) >= since)
  if (signers.some(isInUse)) return []
  return [
    {
      what: "key in use",
      where: checkpointPath,
      expected: `a key in use after ${state.seen_at}, when the log had ${previous.size} entries`,
      found: signers
        .map(({ kid, notAfter, notBefore }) => `key ${kid}, from ${notBefore} to ${notAfter}`)
        .join("; "),
      reason: "time"
    }
  ]
}

/** A head in words. */
export const describeHead = ({ root, size }: Pick<Checkpoint, "root" | "size">): string =>
  `${size} entries, root ${toHex(root)}`
