/** The files of a notary's log as anybody could publish them: true ones and lies. */
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { checkpointText, noteText, signatureLine } from "../../../core/proof/checkpoint.ts"
import type { Get } from "../../../core/proof/fetched.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"
import { type NotaryEntry, notaryEntryText } from "../../../core/proof/notaryLog.ts"
import {
  entriesPath,
  entryBundle,
  tileBytes,
  tilePath,
  tilesOf,
  tileWidth
} from "../../../core/proof/tiles.ts"
import type { StatingNotary } from "./statements.ts"

const collector = "log.example.net/test"

/** What the log has of a session, from its number on: opened, and stated, refused or lost. */
export const sessionEntries = (
  n: number,
  end: { readonly note: string } | { readonly why: string },
  day = "2026-09-05"
): ReadonlyArray<NotaryEntry> => {
  const at = `${day}T12:00:00.000Z`
  const common = { v: "service-notary-session-v1", collector, day, n, at } as const
  return [
    { ...common, what: "opened", host: "stats.example.net" },
    "note" in end ? { ...common, what: "stated", note: end.note } : { ...common, what: "lost", why: end.why }
  ]
}

/** The head of a log of these entries, as a statement names it. */
export const headOf = (entries: ReadonlyArray<NotaryEntry>) => {
  const tree = treeOf(entries.map((entry) => utf8(notaryEntryText(entry))))
  return { size: entries.length, root: toHex(root(tree)) }
}

/** The files of a log with a head over these entries; `served` are other ones in its bundles. */
export const published = (
  { sign, verifier }: StatingNotary,
  entries: ReadonlyArray<NotaryEntry>,
  {
    origin = verifier.name,
    served = entries
  }: {
    readonly origin?: string
    readonly served?: ReadonlyArray<NotaryEntry>
  } = {}
): ReadonlyMap<string, Uint8Array> => {
  const bytes = (all: ReadonlyArray<NotaryEntry>) => all.map((entry) => utf8(notaryEntryText(entry)))
  const tree = treeOf(bytes(entries))
  const text = checkpointText({ origin, size: tree.size, root: root(tree) })
  const files = new Map([["/checkpoint", utf8(noteText(text, [signatureLine(verifier, sign(utf8(text)))]))]])
  for (const tile of tilesOf(tree.size)) files.set(`/${tilePath(tile)}`, tileBytes(tree, tile))
  for (let index = 0; index * tileWidth < served.length; index++) {
    const some = bytes(served).slice(index * tileWidth, (index + 1) * tileWidth)
    files.set(`/${entriesPath(index, some.length)}`, entryBundle(some))
  }
  return files
}

export const notaryUrl = "http://notary.test"

/** A client to whom the notary serves these files. */
export const clientOf =
  (files: ReadonlyMap<string, Uint8Array>): Get =>
  async (url) => {
    const body = files.get(url.slice(notaryUrl.length))
    return body === undefined
      ? { status: 404, headers: {}, body: new Uint8Array() }
      : { status: 200, headers: {}, body }
  }
