/**
 * Restarts a log whose format is no longer read: a new log, under an origin and a key of its own, whose first entry commits to
 * the last head of the earlier one. `core/proof/formats/keys.md` says why this and no conversion. Nothing of the earlier log is lost: its
 * rows move to `earlier_row` as they are.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { concat, fromUtf8, toHex, utf8 } from "../proof/bytes.ts"
import { parseNote, type Verifier, verifierOf, verifyNote, vkey } from "../proof/checkpoint.ts"
import { entryBytes } from "../proof/entry.ts"
import { tagged } from "../proof/leaf.ts"
import { buildTree, leafHash, root } from "../proof/merkle.ts"
import {
  type Restart,
  restartKind,
  restartNote,
  restartSubject,
  restartTag,
  restartText
} from "../proof/restart.ts"
import { unlogChanges } from "../readings/ingest/compare/changesToLog.ts"
import { unseal } from "../readings/ingest/sealed.ts"
import { removeFacts, storeFact } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"
import { lastClosedDay } from "./closedDays.ts"
import { keepNote } from "./document.ts"
import { type HeadSigner, sign } from "./Log.ts"
import { sha256 } from "./leaves.ts"

/** The log cannot be restarted; nothing was changed. The message says what to do. */
export class CannotRestart extends Schema.TaggedError<CannotRestart>()("CannotRestart", {
  message: Schema.String
}) {}

/** A log that this code does not read. */
export interface EarlierLog {
  readonly origin: string
  readonly format: number
  readonly size: number
  readonly root: string
  readonly note: string
  /** The last day that it closed. */
  readonly lastDay: string | null
  /** When it signed its first head, epoch milliseconds. */
  readonly since: number
}

/** What the new log is to be. */
export interface NewLog {
  readonly origin: string
  readonly simulated: boolean
  readonly signer: HeadSigner
}

const headRows = rowsOf({ size: Schema.Int, root: Schema.String, note: Schema.String })
const aboutRows = rowsOf({ last: Schema.NullOr(Schema.String), since: Schema.NullOr(Schema.Date) })
const entryRows = rowsOf({ place: Schema.Int, text: Schema.String })
const idRows = rowsOf({ id: Schema.Int })

/** The tables of a log, each after those that refer to it. */
const tables = [
  "anchor_claim",
  "anchor_failure",
  "anchor",
  "cosignature",
  "checkpoint",
  "archive_file",
  "key_document",
  "runs_hour",
  "agreement_value",
  "agreement_observer",
  "agreement_day",
  "document",
  "log_entry",
  "tree_level",
  "leaf",
  "batch"
] as const

/** Facts about the log's own entries. */
const facts = ["log_checked", "revisions_logged"] as const

/** Reads a stored log, whose entries must be those of its last head; undefined if it signed none. Needs no migration. */
export const readEarlier = Effect.fn("Log.readEarlier")(function* (origin: string, format: number) {
  const sql = yield* SqlClient.SqlClient
  const [head] = yield* sql`select size, root, note from checkpoint order by size desc limit 1`.pipe(headRows)
  if (head === undefined) return undefined
  const hashes: Array<Uint8Array> = []
  while (true) {
    const page = yield* sql`
      select place, text from log_entry where place >= ${hashes.length} order by place limit 5000`.pipe(
      entryRows
    )
    for (const { text } of page) hashes.push(leafHash(utf8(text), sha256))
    if (page.length < 5000) break
  }
  if (
    hashes.length !== head.size ||
    toHex(root(buildTree(concat(...hashes), sha256), sha256)) !== head.root
  ) {
    return yield* new CannotRestart({
      message: `nothing was changed: the ${hashes.length} entries of the log are not the ${head.size} of its last head, so the database is damaged; restore a backup, then restart the log`
    })
  }
  const [about] = yield* sql`
    select ${lastClosedDay(sql)}::text as last,
      (select min(signed_at) from checkpoint) as since`.pipe(aboutRows)
  return {
    origin,
    format,
    ...head,
    lastDay: about?.last ?? null,
    since: about?.since?.getTime() ?? 0
  } satisfies EarlierLog
})

/** The key, of these, that signed the log's last head. */
export const keyOfHead = (
  { note, origin }: EarlierLog,
  keys: ReadonlyArray<Uint8Array>
): Verifier | undefined =>
  keys
    .map((key) => verifierOf(origin, key))
    .find((verifier) => verifyNote(parseNote(note), [verifier])?.length === 1)

/**
 * Puts the new log in the place of the earlier one, at a time of the data clock. Call in a transaction, after the migrations.
 * `key` signed the earlier log's last head; `earlierSigner` is the same with its private half, if that is there.
 */
export const restartLog = Effect.fn("Log.restartLog")(function* (
  earlier: EarlierLog,
  { key, earlierSigner }: { readonly key: Verifier; readonly earlierSigner: HeadSigner | undefined },
  { origin, signer, simulated }: NewLog,
  at: number
) {
  const sql = yield* SqlClient.SqlClient
  const [earlierRow] = yield* sql`insert into earlier_log ${sql.insert({
    origin: earlier.origin,
    format: earlier.format,
    size: earlier.size,
    root: earlier.root,
    note: earlier.note,
    last_day: earlier.lastDay,
    restarted_at: new Date(at)
  })} returning id`.pipe(idRows)
  yield* setAside(earlierRow?.id ?? 0)
  const restart: Restart = {
    v: tagged(restartTag, simulated),
    origin,
    key: vkey(origin, signer.publicKey),
    earlier: {
      origin: earlier.origin,
      format: earlier.format,
      size: earlier.size,
      root: earlier.root,
      note: earlier.note,
      key: vkey(key.name, key.publicKey),
      ...(earlier.lastDay === null ? {} : { last_day: earlier.lastDay })
    },
    ...(simulated ? { simulated: true } : {})
  }
  const text = utf8(restartText(restart))
  const body = restartNote(restart, {
    key: signer.sign(text),
    ...(earlierSigner === undefined ? {} : { earlier: earlierSigner.sign(text) })
  })
  const entry = yield* keepNote({ kind: restartKind, subject: restartSubject(restart), body }, at, simulated)
  const bytes = entryBytes(entry)
  const hash = leafHash(bytes, sha256)
  yield* sql`insert into log_entry ${sql.insert({
    place: 0,
    text: fromUtf8(bytes),
    hash,
    recorded_at: new Date(at)
  })}`
  yield* sign(buildTree(hash, sha256), origin, [signer])
  yield* storeFact("log_origin", origin)
  return restart
})

/**
 * Moves the rows of the log out of its tables. What an unfinished close had sealed is open again; what is logged anew from
 * the beginning, incidents, revisions and feeds, counts as not logged yet; sales are for the caller. Runs stay with the log that has them.
 */
const setAside = Effect.fnUntraced(function* (log: number) {
  const sql = yield* SqlClient.SqlClient
  const unfinished = yield* sql`select id from batch where closed_at is null`.pipe(idRows)
  yield* unseal(unfinished.map(({ id }) => id))
  yield* sql`update incident_event set n = null, document = null, log_index = null where n is not null`
  yield* unlogChanges
  yield* sql`update signing_key set log_index = null where log_index is not null`
  for (const table of tables) {
    yield* sql`insert into earlier_row (log, name, row)
      select ${log}::int, ${table}::text, to_jsonb(t) from ${sql(table)} t`
    yield* sql`delete from ${sql(table)}`
  }
  yield* removeFacts(facts)
})
