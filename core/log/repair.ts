/**
 * Repairs a log from a mirror: entries that the database lost or altered are imported again, if all of them together give
 * the greatest head that is known. What the database holds besides the log is not in a mirror.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { archiveKind } from "../proof/archive.ts"
import { equalBytes, fromUtf8, toHex, utf8 } from "../proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../proof/checkpoint.ts"
import { isBatch, type LogEntry, parseEntryBytes } from "../proof/entry.ts"
import { buildTree, hashLeaves, leafHash, type Tree } from "../proof/merkle.ts"
import { entriesPath, parseEntryBundle, tileWidth } from "../proof/tiles.ts"
import { announce } from "../readings/Changes.ts"
import { rowsOf } from "../sql/rows.ts"
import { conflictWith, type LogEvidence, rootAt, signedHead } from "./checkHeads.ts"
import { storeDocument } from "./document.ts"
import { importBatch } from "./importBatch.ts"
import type { KnownHead } from "./KnownHeads.ts"
import { Log } from "./Log.ts"
import { sha256 } from "./leaves.ts"
import { CannotRepair, fetched, type Mirror, reading, restore } from "./mirror.ts"

/** What was imported. */
export interface Repaired {
  readonly size: number
  readonly entries: number
  readonly documents: number
  readonly batches: number
}

const entryRows = rowsOf({ place: Schema.Int, text: Schema.String, hash: Schema.Uint8Array })
const hashRows = rowsOf({ sha256: Schema.String })
const sizeRows = rowsOf({ size: Schema.Int })

/** The first `size` entries of the mirror. */
const entriesOf = Effect.fnUntraced(function* (mirror: Mirror, size: number) {
  const note = fromUtf8(yield* fetched(mirror, "checkpoint"))
  const there = (yield* reading("the mirror's checkpoint", () => parseCheckpointText(parseNote(note).text)))
    .size
  if (there < size) {
    return yield* new CannotRepair({
      message: `the mirror has only ${there} entries, and a head of ${size} was signed; use a newer mirror, or ${restore}`
    })
  }
  const entries: Array<Uint8Array> = []
  for (let index = 0; index * tileWidth < size; index++) {
    const path = entriesPath(index, Math.min(tileWidth, there - index * tileWidth))
    const bundle = yield* fetched(mirror, path)
    entries.push(...(yield* reading(`the mirror's ${path}`, () => parseEntryBundle(bundle))))
  }
  return entries.slice(0, size)
})

export const repair = Effect.fn("Log.repair")(function* (mirror: Mirror) {
  const sql = yield* SqlClient.SqlClient
  const log = yield* Log
  const evidence = yield* log.evidence
  const { origin, verifiers } = evidence
  const heads: ReadonlyArray<KnownHead & { readonly note?: string }> = [
    ...(yield* reading("a remembered head", () =>
      evidence.notes.map((one) => ({ ...signedHead(one, origin, verifiers), note: one.note }))
    )),
    ...evidence.heads
  ]
  const target = heads.toSorted((a, b) => b.size - a.size)[0]
  if (target === undefined) {
    return yield* new CannotRepair({
      message: "no head of this log is known, so there is nothing to compare a mirror with"
    })
  }
  const entries = yield* entriesOf(mirror, target.size)
  const tree = buildTree(hashLeaves(entries, sha256), sha256)
  const why = conflictWith({ name: "the mirror", tree }, evidence, sha256)
  if (why !== undefined) {
    return yield* new CannotRepair({
      message: `nothing was changed: ${why}. Use another mirror, or ${restore}`
    })
  }

  const work = Effect.gen(function* () {
    yield* sql`lock table log_entry in exclusive mode`
    const imported = yield* importEntries(entries)
    const documents = yield* importDocuments(mirror, imported)
    let batches = 0
    for (const { entry, place } of imported) {
      if (isBatch(entry) && (yield* importBatch(mirror, entry, place))) batches++
    }
    yield* importHeads(mirror, tree, target.note, { origin, verifiers })
    // A service that runs meanwhile is halted, and looks at its log again when it hears of this.
    yield* announce("log")
    return { size: target.size, entries: imported.length, documents, batches } satisfies Repaired
  })
  const done = yield* sql.withTransaction(work)
  yield* log.refresh
  const halted = yield* log.halted
  return halted === undefined
    ? done
    : yield* new CannotRepair({ message: `the log was imported, but it still signs nothing: ${halted}` })
})

interface Imported {
  readonly entry: LogEntry
  readonly place: number
}

/** Writes the entries that the database lacks or has otherwise. */
const importEntries = Effect.fnUntraced(function* (entries: ReadonlyArray<Uint8Array>) {
  const sql = yield* SqlClient.SqlClient
  const stored = new Map<number, { readonly text: string; readonly hash: Uint8Array }>()
  for (let from = 0; from < entries.length; from += 5000) {
    const page = yield* sql`
      select place, text, hash from log_entry where place >= ${from} and place < ${from + 5000}`.pipe(
      entryRows
    )
    for (const { place, ...row } of page) stored.set(place, row)
  }
  const imported: Array<Imported> = []
  for (const [place, bytes] of entries.entries()) {
    const [text, hash] = [fromUtf8(bytes), leafHash(bytes, sha256)]
    const row = stored.get(place)
    if (row !== undefined && row.text === text && equalBytes(row.hash, hash)) continue
    const entry = yield* reading(`entry ${place} of the mirror`, () => parseEntryBytes(bytes))
    const recorded = new Date(isBatch(entry) ? entry.closed_at : entry.recorded_at)
    yield* sql`insert into log_entry ${sql.insert({ place, text, hash, recorded_at: recorded })}
      on conflict (place) do update set text = excluded.text, hash = excluded.hash`
    imported.push({ entry, place })
  }
  return imported
})

/** Stores the documents of imported entries that the database lacks; returns how many. */
const importDocuments = Effect.fnUntraced(function* (mirror: Mirror, imported: ReadonlyArray<Imported>) {
  const sql = yield* SqlClient.SqlClient
  let documents = 0
  for (const { entry, place } of imported) {
    // The signal ledger's entries name a row's hash, the archive's a file's: `Archive.run` makes the file again.
    if (isBatch(entry) || entry.kind === "signals" || entry.kind === archiveKind) continue
    const [there] = yield* sql`select sha256 from document where sha256 = ${entry.sha256}`.pipe(hashRows)
    if (there !== undefined) continue
    const body = yield* fetched(mirror, `documents/${entry.sha256}`)
    if (toHex(sha256(body)) !== entry.sha256) {
      return yield* new CannotRepair({
        message: `nothing was changed: the mirror's document of entry ${place} does not have the hash in the log; use another mirror`
      })
    }
    const { kind, recorded_at, sha256: hash, subject } = entry
    const media_type = kind === "rotation" ? "text/plain" : "application/json"
    yield* storeDocument(
      { sha256: hash, kind, subject, media_type, body: fromUtf8(body) },
      Date.parse(recorded_at)
    )
    documents++
  }
  return documents
})

/** Stores the newest head, and the earlier ones that the mirror still has. */
const importHeads = Effect.fnUntraced(function* (
  mirror: Mirror,
  tree: Tree,
  remembered: string | undefined,
  log: Pick<LogEvidence, "origin" | "verifiers">
) {
  const sql = yield* SqlClient.SqlClient
  const sizes = yield* sql`select size from checkpoint`.pipe(sizeRows)
  const stored = new Set(sizes.map(({ size }) => size))
  const last = Math.max(0, ...[...stored].filter((size) => size <= tree.size))
  for (let size = last + 1; size <= tree.size; size++) {
    const own = size === tree.size ? remembered : undefined
    const bytes = own === undefined ? yield* mirror(`checkpoints/${size}`) : utf8(own)
    if (bytes === undefined) {
      if (size < tree.size) continue
      return yield* new CannotRepair({
        message: `the mirror lacks the head of ${size} entries; use another one`
      })
    }
    const note = fromUtf8(bytes)
    const { root, size: signed } = yield* reading(`the mirror's checkpoint of ${size} entries`, () =>
      signedHead({ from: "It", note }, log.origin, log.verifiers)
    )
    if (signed !== size || !equalBytes(root, rootAt(tree, size, sha256))) {
      return yield* new CannotRepair({
        message: `nothing was changed: the mirror's checkpoint of ${size} entries is not of these entries; use another mirror`
      })
    }
    yield* sql`insert into checkpoint ${sql.insert({
      size,
      root: toHex(root),
      note,
      signed_at: new Date(yield* DataClock.now)
    })}`
  }
})
