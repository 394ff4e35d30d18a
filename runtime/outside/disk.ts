/** File operations. A refusal by the system is an error that callers see, never a defect. */
import { mkdir, open, rename, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, Schema } from "effect"

/** A missing or unreadable file, or a full or read-only disk, in the system's words. */
export class DiskError extends Schema.TaggedError<DiskError>()("DiskError", {
  message: Schema.String
}) {}

/** Runs a file operation and turns its rejection into a `DiskError`. */
export const onDisk = <A>(work: () => Promise<A>): Effect.Effect<A, DiskError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => new DiskError({ message: cause instanceof Error ? cause.message : String(cause) })
  })

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

/** Why the system does not make this one folder; undefined if it is there now. */
const refusal = async (path: string): Promise<unknown> => {
  try {
    await mkdir(path, { mode: 0o700 })
    return undefined
  } catch (error) {
    return codeOf(error) === "EEXIST" && (await stat(path)).isDirectory() ? undefined : error
  }
}

/**
 * Makes a private folder and the folders above it. Node's own `recursive` never ends below `/proc`, which answers that the
 * folder above is missing, although it is there.
 */
export const makeFolder = async (path: string): Promise<void> => {
  const first = await refusal(path)
  if (first === undefined) return
  const above = dirname(path)
  if (codeOf(first) !== "ENOENT" || above === path) throw first
  await makeFolder(above)
  const second = await refusal(path)
  if (second === undefined) return
  throw codeOf(second) === "ENOENT" ? new Error(`${above} takes no new folders`) : second
}

/** Replaces a file in one step, on disk when it returns: a crash leaves the old content or the new, never half. */
export const replaceFile = (file: string, content: string | Uint8Array): Effect.Effect<void, DiskError> =>
  onDisk(async () => {
    const temporary = `${file}.${process.pid}`
    const handle = await open(temporary, "w", 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
    // The new name is on disk only once its folder is.
    const folder = await open(dirname(file), "r")
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  })
