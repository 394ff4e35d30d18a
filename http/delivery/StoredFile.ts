/** A file that never changes, as a response: whole or a part of it, streamed from where it is kept. */
import { Result, type Stream } from "effect"

/** Bytes from one place to another, the end excluded. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

export class StoredFile {
  readonly _tag = "StoredFile"
  /** SHA-256 of the whole file, lower-case hex. */
  readonly sha256: string
  /** Bytes of the whole file. */
  readonly size: number
  /** The part that this response has; undefined: all of it. */
  readonly part: ByteRange | undefined
  readonly bytes: Stream.Stream<Uint8Array, unknown>

  constructor(
    file: { readonly sha256: string; readonly size: number },
    part: ByteRange | undefined,
    bytes: Stream.Stream<Uint8Array, unknown>
  ) {
    this.sha256 = file.sha256
    this.size = file.size
    this.part = part
    this.bytes = bytes
  }
}

/** The ETag of a file with this hash. */
export const tagOf = (sha256: string): string => `"${sha256}"`

const form = /^bytes=(\d*)-(\d*)$/i

/**
 * The part that a GET asks for (RFC 9110, section 14): undefined for the whole file, which is also the answer to several
 * ranges, to units that we do not have, and where `If-Range` names another file. Fails if the file has no such part.
 */
export const rangeOf = (
  { "if-range": ifRange, range }: Readonly<Record<string, string | undefined>>,
  { sha256, size }: { readonly sha256: string; readonly size: number }
): Result.Result<ByteRange | undefined, "not in the file"> => {
  const match = form.exec(range?.trim() ?? "")
  const [, first = "", last = ""] = match ?? []
  if (match === null || (first === "" && last === "")) return Result.succeed(undefined)
  if (ifRange !== undefined && ifRange.trim() !== tagOf(sha256)) return Result.succeed(undefined)
  if (first !== "" && last !== "" && Number(last) < Number(first)) return Result.succeed(undefined)
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === "" || last === "" ? size : Math.min(size, Number(last) + 1)
  return from < to ? Result.succeed({ from, to }) : Result.fail("not in the file")
}
