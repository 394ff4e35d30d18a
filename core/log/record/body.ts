/** The answer in which a value stands, for its bundle: where the upstream's terms allow that its bodies are handed on, and anybody may ask. */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Body, largestBody, saidIn } from "../../proof/body.ts"
import { Malformed } from "../../proof/bytes.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { parseRunLeaf, type RanLeaf } from "../../proof/runLeaf.ts"
import { Feeds } from "../../readings/Feeds.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { placesOf } from "../../readings/recheck/places.ts"
import { mayUse } from "../../rights/mayUse.ts"
import { inForce } from "../../rights/Permissions.ts"
import { rowsOf } from "../../sql/rows.ts"
import { wherever } from "../runFiles/movedRuns.ts"

const decompress = promisify(zstdDecompress)

/** Bodies of a run that are looked through. */
const mostBodies = 64

const hashRows = rowsOf({ sha256: Schema.String })

/** The bodies of a run that are small enough to be in a bundle, by their hashes: no other is read. */
const smallBodies = Effect.fnUntraced(function* (run: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* wherever(
    [run],
    ({ exchange }) =>
      sql`
        select sha256 from ${exchange} x where run = ${run} and size <= ${largestBody}
        group by sha256 order by min(n) limit ${mostBodies}`.pipe(hashRows),
    () => run
  )
})

/** A small body in UTF-8; undefined for what is none, or no longer kept. */
const textOf = Effect.fnUntraced(function* (sha256: string) {
  const stored = yield* (yield* Blobs).get(sha256)
  if (Option.isNone(stored)) return undefined
  // biome-ignore lint/plugin/promise: unpacks in memory; a body that is too large or damaged is caught inside
  return yield* Effect.promise(async () => {
    try {
      const bytes = await decompress(stored.value, { maxOutputLength: largestBody })
      return { bytes, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) }
    } catch {
      return undefined
    }
  })
})

/** Whether a reader who looks finds the value there. */
const stands = (body: Body, run: RanLeaf, leaf: RowLeaf): boolean => {
  try {
    saidIn(body, run, leaf)
    return true
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

/** The body of a run's exchange that alone has the value of a leaf, once; none where no terms allow it, or it was derived. */
export const bodyOf = Effect.fn("Log.bodyOf")(function* (runText: string, leaf: RowLeaf) {
  const run = parseRunLeaf(runText)
  if (run.outcome === "skipped") return Option.none<Body>()
  const { manifests } = yield* Feeds
  const manifest = manifests.find(({ id }) => id === run.plugin)
  // What is behind a key is no public answer.
  if (manifest === undefined || manifest.auth !== undefined) return Option.none<Body>()
  if (!mayUse(manifest, "bodies", yield* inForce)) return Option.none<Body>()
  const texts = new Map<string, string>()
  const bodies = yield* Effect.forEach(yield* smallBodies(run.run), ({ sha256 }) =>
    Effect.map(textOf(sha256), (read) => {
      if (read !== undefined) texts.set(sha256, read.text)
      return read === undefined ? [] : [{ sha256, bytes: read.bytes }]
    })
  )
  const place = placesOf(new Set([leaf.value]), bodies.flat()).get(leaf.value)
  if (place?.kind !== "in_body") return Option.none<Body>()
  const body: Body = {
    exchange: run.exchanges.findIndex(({ sha256 }) => sha256 === place.sha256),
    text: texts.get(place.sha256) ?? "",
    pointer: place.pointer
  }
  return stands(body, run, leaf) ? Option.some(body) : Option.none<Body>()
})
