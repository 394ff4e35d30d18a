/**
 * Fills a place with the public files of the log, those that it lacks, and compares what it has with the log. The newest
 * checkpoint is written last, and only if nothing is missing: a reader of the place never sees a head without its files.
 */
import { createHash } from "node:crypto"
import { Effect, Schema, Stream } from "effect"
import { equalBytes, fromUtf8, Malformed } from "../../../proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../../proof/checkpoint.ts"
import { logPath } from "../../../proof/fetched.ts"
import { Log } from "../../Log.ts"
import * as Files from "../files.ts"
import type { Place, PlaceUnusable } from "./Place.ts"
import { type FileError, type FileSources, type PublicFile, publicFiles } from "./publicFiles.ts"

/** Nothing can be published, or compared. The message says why. */
class NotPublished extends Schema.TaggedError<NotPublished>()("NotPublished", {
  message: Schema.String
}) {}

/** What became of a place. */
export interface Published {
  /** Of the head that the place has now; undefined if it has none. */
  readonly size: number | undefined
  readonly written: number
  readonly present: number
  /** Files that the service itself no longer has, such as the leaves of old runs. */
  readonly gone: number
  /** Files that could not be published or are not as they should be, and why. */
  readonly faults: ReadonlyArray<{ readonly path: string; readonly fault: string }>
}

/** Hears how far the work is. */
type Say = (line: string) => Effect.Effect<void>

/** Files between two lines of progress. */
const saidEach = 500

const checkpointPath = `${logPath.slice(1)}/checkpoint`

const hashOf = Effect.fnUntraced(function* (file: PublicFile) {
  const hash = createHash("sha256")
  yield* Stream.runForEach(file.parts, (part) => Effect.sync(() => hash.update(part)))
  return hash.digest("hex")
})

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** What the work on one file came to: nothing if the service has no such file, or a fault that does not end the work. */
const outcome = <A, E extends FileError | PlaceUnusable>(work: Effect.Effect<A, E, FileSources>) =>
  work.pipe(
    Effect.map((done) => ({ done })),
    Effect.catchIf(
      (error) => error._tag === "NotFound",
      () => Effect.succeed({ gone: true as const })
    ),
    Effect.catchIf(
      (error) => error._tag === "Unavailable" || error._tag === "ArchiveUnavailable",
      ({ message }) => Effect.succeed({ fault: message })
    )
  )

/** The size of the head that a place has. */
const sizeIn = Effect.fnUntraced(function* (place: Place) {
  const note = yield* place.read(checkpointPath)
  if (note === undefined) return undefined
  return yield* Effect.try({
    try: () => parseCheckpointText(parseNote(fromUtf8(note)).text),
    catch: (error) => {
      if (!(error instanceof Malformed)) throw error
      return new NotPublished({
        message: `${place.name}/${checkpointPath} is no checkpoint: ${error.message}`
      })
    }
  })
})

/** Writes what the place lacks; with `again`, only those, even if they are there. */
export const publish = Effect.fn("Log.publish")(function* (
  place: Place,
  say: Say,
  again: ReadonlySet<string> = new Set()
) {
  const { note, size } = yield* (yield* Log).served
  if (note === null) return yield* new NotPublished({ message: "the log is still empty" })
  const files = yield* publicFiles(size)
  const there = yield* place.list
  const faults: Array<Published["faults"][number]> = []
  let [written, present, gone, looked] = [0, 0, 0, 0]
  const put = (file: PublicFile, isLasting: boolean) =>
    Effect.map(
      outcome(place.write({ path: file.path, contentType: file.contentType, isLasting }, file.parts)),
      (result) => {
        if ("fault" in result) faults.push({ path: file.path, fault: result.fault })
        else if ("gone" in result) gone += 1
        else written += 1
      }
    )
  for (const file of files.fixed) {
    if (there.has(file.path) && !again.has(file.path)) present += 1
    else yield* put(file, true)
    if (++looked % saidEach === 0) yield* say(`${looked} of ${files.fixed.length} files, ${written} written`)
  }
  const last = files.changing.length - 1
  for (const [n, file] of files.changing.entries()) {
    // A head is for those who will ask for all that it commits to.
    if (n === last && faults.length > 0) break
    const stored = there.has(file.path) ? yield* place.read(file.path) : undefined
    const isSame = stored && (yield* outcome(hashOf(file)))
    if (isSame && "done" in isSame && isSame.done === sha256Of(stored)) present += 1
    else yield* put(file, false)
  }
  const head = yield* sizeIn(place)
  return { size: head?.size, written, present, gone, faults } satisfies Published
})

/** Compares each file that the head of the place commits to with the log's. Changes nothing. */
export const checkPlace = Effect.fn("Log.checkPlace")(function* (place: Place, say: Say) {
  const head = yield* sizeIn(place)
  if (head === undefined) return yield* new NotPublished({ message: `${place.name} has no checkpoint` })
  const own = yield* Effect.catchTag(Files.checkpointAt(String(head.size)), "NotFound", () =>
    Effect.succeed(undefined)
  )
  if (own === undefined || !equalBytes(parseCheckpointText(parseNote(own).text).root, head.root))
    return yield* new NotPublished({
      message: `${place.name} has a head of ${head.size} entries that this log never signed: it is of another log, or newer than this database`
    })
  const files = yield* publicFiles(head.size)
  const there = yield* place.list
  const faults: Array<Published["faults"][number]> = []
  let [present, gone] = [0, 0]
  for (const [n, file] of files.fixed.entries()) {
    const expected = yield* outcome(hashOf(file))
    const stored = there.has(file.path) ? yield* place.read(file.path) : undefined
    if ("gone" in expected) gone += 1
    else if ("fault" in expected) faults.push({ path: file.path, fault: expected.fault })
    else if (stored === undefined) faults.push({ path: file.path, fault: "missing" })
    else if (sha256Of(stored) !== expected.done) faults.push({ path: file.path, fault: "damaged" })
    else present += 1
    if ((n + 1) % saidEach === 0) yield* say(`${n + 1} of ${files.fixed.length} files compared`)
  }
  for (const { path } of files.changing) {
    if (there.has(path)) present += 1
    else faults.push({ path, fault: "missing" })
  }
  return { size: head.size, written: 0, present, gone, faults } satisfies Published
})
