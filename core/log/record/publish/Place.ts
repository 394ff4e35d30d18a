/** A place behind a web server or a CDN that serves the public files of the log under the paths of the service. */
import { type Effect, Schema, type Stream } from "effect"

/** The place cannot be read or written. The message names the file and the reason. */
export class PlaceUnusable extends Schema.TaggedError<PlaceUnusable>()("PlaceUnusable", {
  message: Schema.String
}) {}

export interface Place {
  /** For people. */
  readonly name: string
  /** The paths of the files that are there, from the top of the site, without a slash in front. */
  readonly list: Effect.Effect<ReadonlySet<string>, PlaceUnusable>
  /** The file; undefined if there is none. */
  readonly read: (path: string) => Effect.Effect<Uint8Array | undefined, PlaceUnusable>
  /** Writes a file, whole or not at all, in the place of one that is there. */
  readonly write: <E, R>(
    file: { readonly path: string; readonly contentType: string; readonly isLasting: boolean },
    parts: Stream.Stream<Uint8Array, E, R>
  ) => Effect.Effect<void, E | PlaceUnusable, R>
}
