/**
 * Follows the log of a notary: it only appends, every session that it opened becomes something, under a number without a gap, and the
 * statements that others hold are in it, as is the head that each of them names.
 */
import { demandExtends } from "../../../../../core/proof/appendOnly.ts"
import { equalBytes, fromHex, fromUtf8, inPlace, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import {
  type Check,
  check,
  demand,
  failed,
  notChecked,
  notProved,
  refused
} from "../../../../../core/proof/check.ts"
import {
  type Checkpoint,
  noteKeyText,
  parseCheckpointText,
  parseNote,
  type Verifier,
  verifyNote
} from "../../../../../core/proof/checkpoint.ts"
import { type Edge, grown, noEdge, rootOfEdge } from "../../../../../core/proof/edge.ts"
import { leafHash, verifyInclusion } from "../../../../../core/proof/merkle.ts"
import {
  type Notarisation,
  noteHash,
  parseNotarisation,
  readNotarisation
} from "../../../../../core/proof/notarisation.ts"
import { NotarySessions, parseNotaryEntry } from "../../../../../core/proof/notaryLog.ts"
import {
  entriesPath,
  parseEntryBundle,
  type Tile,
  tileAt,
  tilePath,
  tileWidth
} from "../../../../../core/proof/tiles.ts"
import { day as dayMs } from "../../../../../core/proof/time.ts"
import {
  consistencyOfTiles,
  consistencyTiles,
  inclusionOfTiles,
  inclusionTiles
} from "../../../../../core/proof/verifyLog.ts"
import { edgeOfNotary, type NotaryState, notaryStateOf } from "./notaryState.ts"
import { type Source, SourceUnreachable } from "./source.ts"

export interface NotaryLooking {
  /** The files of the notary's log: `/checkpoint`, `/tile/...`. */
  readonly source: Source
  readonly verifier: Verifier
  /** What an earlier look remembered. */
  readonly last?: NotaryState | undefined
  /** Signed statements that must be in the log if this notary signed them. */
  readonly statements: ReadonlyArray<string>
  /** The follower's clock, in epoch milliseconds. */
  readonly now: number
}

export interface NotaryLook {
  readonly checks: ReadonlyArray<Check>
  /** What to remember; what it was before, with the head that contradicts it, where something does not hold. */
  readonly state: NotaryState | undefined
}

/** A head with the note that it is in. */
interface SignedHead extends Checkpoint {
  readonly note: string
}

/** A day that is over is remembered for so long: nothing more may be of it. */
const daysKept = 7 * dayMs

/** Entries after the head of a statement among which its own must be: those that a notary writes while it signs. */
const entriesBetween = 16 * tileWidth

const headIn = (note: string, verifier: Verifier): SignedHead => {
  const parsed = parseNote(note)
  demand(
    (verifyNote(parsed, [verifier]) ?? []).length > 0,
    `the head is not signed with the key ${noteKeyText(verifier)}`,
    "signature"
  )
  const checkpoint = parseCheckpointText(parsed.text)
  demand(
    checkpoint.origin === verifier.name,
    `the head is of ${checkpoint.origin}, not of ${verifier.name}`,
    "origin"
  )
  return { ...checkpoint, note }
}

const needed = async (source: Source, path: string): Promise<Uint8Array> => {
  const bytes = await source.read(path)
  if (bytes === undefined) throw new SourceUnreachable(`${source.name}${path}: no such file`)
  return bytes
}

/** The entries of a bundle, as far as a log of this size has them. The part of one that has filled up meanwhile is gone. */
const entriesOf = async (source: Source, size: number, index: number): Promise<ReadonlyArray<Uint8Array>> => {
  const width = tileAt(size, 0, index)?.width ?? 0
  const part = await source.read(`/${entriesPath(index, width)}`)
  const bytes = part ?? (await needed(source, `/${entriesPath(index, tileWidth)}`))
  const entries = parseEntryBundle(bytes).slice(0, width)
  demand(entries.length === width, `${entriesPath(index, width)} has ${entries.length} entries, not ${width}`)
  return entries
}

const readTiles = async (
  source: Source,
  tiles: ReadonlyArray<Tile>
): Promise<ReadonlyMap<string, Uint8Array>> => {
  const read = new Map<string, Uint8Array>()
  for (const tile of tiles) read.set(tilePath(tile), await needed(source, `/${tilePath(tile)}`))
  return read
}

/** Throws `Malformed` unless the log of `now` begins with that of `before`. */
const demandGrown = async (source: Source, before: Checkpoint, now: Checkpoint): Promise<void> => {
  const tiles = await readTiles(source, consistencyTiles(before.size, now.size))
  demandExtends(before, now, consistencyOfTiles(before.size, now.size, tiles))
}

/** `check` of what has to be read first. */
const checkRead = async (name: string, work: () => Promise<string>): Promise<Check> => {
  try {
    return { name, ok: true, detail: await work() }
  } catch (error) {
    if (error instanceof Malformed) return refused(name, error)
    throw error
  }
}

/** Reads what is new; the edge of the whole log then. Throws `Malformed`, naming the entry. */
const follow = async (
  source: Source,
  head: Checkpoint,
  edge: Edge,
  sessions: NotarySessions
): Promise<Edge> => {
  let now = edge
  for (let index = Math.floor(edge.size / tileWidth); index * tileWidth < head.size; index++) {
    const entries = await entriesOf(source, head.size, index)
    for (const entry of entries.slice(now.size - index * tileWidth)) {
      try {
        sessions.add(parseNotaryEntry(fromUtf8(entry)))
      } catch (error) {
        if (error instanceof Malformed) throw inPlace(`entry ${now.size}`, error)
        throw error
      }
      now = grown(now, leafHash(entry))
    }
    sessions.forget(new Date(Date.parse(sessions.newestDay) - daysKept).toISOString().slice(0, 10))
  }
  demand(
    equalBytes(rootOfEdge(now), head.root),
    `the ${now.size} entries that are served have the root ${toHex(rootOfEdge(now))}, not the signed ${toHex(head.root)}`,
    "hash"
  )
  return now
}

/** The sessions of the days that are remembered, in words. */
const sessionsSay = (sessions: NotarySessions, entries: number): string => {
  const records = sessions.records()
  const sum = (name: "lost" | "opened" | "refused" | "stated") =>
    records.reduce((all, record) => all + record[name], 0)
  const days = new Set(records.map(({ day }) => day)).size
  const open = records.reduce((all, record) => all + record.open.length, 0)
  return `${entries} new entries; of ${sum("opened")} sessions of the last ${days} days, numbered without a gap, ${sum("stated")} were stated, ${sum("refused")} refused, ${sum("lost")} lost, ${open} are open`
}

/** The place of a statement's entry. Throws `Malformed` where it has none near the head that it names. */
const entryOfStatement = async (
  source: Source,
  head: Checkpoint,
  { collector, day, log, n }: Notarisation,
  sha256: string
): Promise<{ readonly entry: Uint8Array; readonly index: number }> => {
  const until = Math.min(head.size, log.size + entriesBetween)
  for (let index = Math.floor(log.size / tileWidth); index * tileWidth < until; index++) {
    const entries = await entriesOf(source, head.size, index)
    for (const [at, entry] of entries.entries()) {
      const read = parseNotaryEntry(fromUtf8(entry))
      if (!("what" in read) || read.what !== "stated" || read.note !== sha256) continue
      demand(
        read.collector === collector && read.day === day && read.n === n,
        `entry ${index * tileWidth + at} has it as session ${read.n} of ${read.collector} on ${read.day}, and the statement says ${n} of ${collector} on ${day}`,
        "contradiction"
      )
      return { entry, index: index * tileWidth + at }
    }
  }
  throw new Malformed(
    `session ${n} of ${collector} on ${day}: the log has no entry of it after the ${log.size} entries that the statement names`,
    "missing"
  )
}

const checkStatement = async (
  { source, verifier }: NotaryLooking,
  head: Checkpoint,
  text: string
): Promise<Check> => {
  const sha256 = noteHash(text)
  const name = `statement ${sha256.slice(0, 12)}`
  return checkRead(name, async () => {
    const statement = readNotarisation(text, [verifier])?.statement
    if (statement === undefined) throw new Malformed("it is not signed by this notary", "signature")
    const { host, log, n } = statement
    // A notary that shows its collectors another log than the public is seen here.
    await demandGrown(source, { origin: head.origin, size: log.size, root: fromHex(log.root, 32) }, head)
    const { entry, index } = await entryOfStatement(source, head, statement, sha256)
    const tiles = await readTiles(source, inclusionTiles(head.size, index))
    const path = inclusionOfTiles(head.size, index, tiles)
    demand(
      verifyInclusion({ leaf: leafHash(entry), index, size: head.size, path, root: head.root }),
      `the inclusion proof does not lead from entry ${index} to the head's root`,
      "hash"
    )
    return `session ${n} with ${host} is entry ${index}, and the head of ${log.size} entries that it names is of this log`
  })
}

/** Whose statement it is, for one that another notary signed. */
const isBy = (text: string, { name }: Verifier): boolean => {
  try {
    return parseNotarisation(text).notary === name
  } catch (error) {
    if (error instanceof Malformed) return true
    throw error
  }
}

const checkStatements = async (looking: NotaryLooking, head: Checkpoint): Promise<ReadonlyArray<Check>> => {
  const own = looking.statements.filter((text) => isBy(text, looking.verifier))
  const checks: Array<Check> = []
  for (const text of own) checks.push(await checkStatement(looking, head, text))
  const others = looking.statements.length - own.length
  return others === 0
    ? checks
    : [...checks, notChecked("statements", `${others} are of other notaries, which have logs of their own`)]
}

/**
 * Looks once. Throws `SourceUnreachable` where files of the log cannot be read, which says nothing about the log, and `Malformed` where
 * the state is of another notary.
 */
export const lookAtNotary = async (looking: NotaryLooking): Promise<NotaryLook> => {
  const { last, now, source, verifier } = looking
  const text = fromUtf8(await needed(source, "/checkpoint"))
  let head: SignedHead
  try {
    head = headIn(text, verifier)
  } catch (error) {
    if (error instanceof Malformed)
      return { checks: [failed("operator's key", error.message, error.reason)], state: last }
    throw error
  }
  const before = last === undefined ? undefined : headIn(last.checkpoint, verifier)
  const signed: Check = {
    name: "operator's key",
    ok: true,
    detail: `the head of ${head.size} entries is signed with the key of ${verifier.name} that you gave`
  }
  const grownCheck =
    before === undefined
      ? notChecked(
          "append-only",
          "this is the first head that is seen; keep it with --state, and ask again later"
        )
      : await checkRead("append-only", async () => {
          await demandGrown(source, before, head)
          return `the first ${before.size} of ${head.size} entries are those that were remembered`
        })
  if (grownCheck.ok === false || (last?.contradictions ?? []).length > 0)
    return {
      checks: [
        signed,
        grownCheck,
        ...(last?.contradictions ?? []).map(({ seen_at }) =>
          check("append-only", () => {
            throw new Malformed(
              `a head that was seen at ${seen_at} contradicts the log; both are in the state file`,
              "contradiction"
            )
          })
        )
      ],
      state: last === undefined ? undefined : contradicted(last, head, grownCheck, now)
    }
  const sessions = new NotarySessions(last?.days)
  const edge = last === undefined ? noEdge : edgeOfNotary(last)
  let whole: Edge | undefined
  const followed = await checkRead("sessions", async () => {
    whole = await follow(source, head, edge, sessions)
    return sessionsSay(sessions, whole.size - edge.size)
  })
  const statements =
    followed.ok === true
      ? await checkStatements(looking, head)
      : looking.statements.length === 0
        ? []
        : [notProved("statements", "the log does not hold", "unavailable")]
  return {
    checks: [signed, grownCheck, followed, ...statements],
    state:
      whole === undefined ? last : notaryStateOf({ verifier, note: head.note, edge: whole, sessions, now })
  }
}

/** Heads that contradict a log and are kept. */
const mostContradictions = 10

const contradicted = (last: NotaryState, { note }: SignedHead, { ok }: Check, now: number): NotaryState => {
  const before = last.contradictions ?? []
  if (
    ok !== false ||
    before.some(({ checkpoint }) => checkpoint === note) ||
    before.length >= mostContradictions
  )
    return last
  return {
    ...last,
    contradictions: [...before, { checkpoint: note, seen_at: new Date(now).toISOString() }]
  }
}
