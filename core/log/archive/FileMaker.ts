/** Makes the archive's Parquet files on the local disk. What is in them is for `Archive.ts` to say. */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { FileRights, FileStatement } from "../../proof/archive.ts"
import type { ArchiveUnavailable, Content } from "./ArchiveFiles.ts"

/** A leaf as it was sealed. */
export interface Sealed {
  readonly text: string
  readonly hash: Uint8Array
}

/** What tells leaves from others, hashed from their texts. */
export interface Tally {
  readonly rows: number
  /** Lower-case hex: the Merkle root over the leaves in their order, and over the absence leaf of the file of a day. */
  readonly root: string
  /** Lower-case hex: the sum of the hashes of the rows modulo 2^256, whatever their order. */
  readonly sum: string
  /** The first leaf whose text does not have its hash; undefined if there is none. */
  readonly altered: string | undefined
}

/** A finished file that is not published yet. */
export interface Draft extends Content, Tally {}

/** What a file says of itself, and its leaves page by page. */
export interface FilePlan {
  readonly statement: FileStatement
  readonly pages: Stream.Stream<ReadonlyArray<Sealed>, SqlError>
}

export class FileMaker extends Context.Service<
  FileMaker,
  {
    /**
     * Writes a file of these leaves, a row for each, in their order; removes it when the scope closes. One page is in
     * memory at a time. The same leaves and rights give the same bytes in one version of the software, not in the next.
     */
    readonly make: (
      plan: FilePlan,
      /** Null of files from before they had any. */
      rights: FileRights | null
    ) => Effect.Effect<Draft, ArchiveUnavailable | SqlError, Scope.Scope>
    /** The same without a file. */
    readonly tally: (plan: FilePlan) => Effect.Effect<Tally, ArchiveUnavailable | SqlError, Scope.Scope>
  }
>()("core/log/archive/FileMaker") {}
