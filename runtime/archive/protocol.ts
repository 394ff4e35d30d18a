/** What the archive's thread and the service say to each other. The thread answers each message before it takes the next. */
import type { Sealed, Tally } from "../../core/log/archive/FileMaker.ts"
import type { FileRights, FileStatement } from "../../core/proof/archive.ts"

export type ToThread =
  /** Starts a file, or only a tally where there is no path; what was under way is dropped. */
  | {
      readonly begin: {
        readonly path: string | undefined
        readonly statement: FileStatement
        /** Null: the file has no column and no metadata of them. */
        readonly rights: FileRights | null
      }
    }
  | { readonly leaves: ReadonlyArray<Sealed> }
  | { readonly finish: true }

export type FromThread =
  | { readonly accepted: true }
  /** `file` is undefined of a tally. */
  | {
      readonly finished: {
        readonly tally: Tally
        readonly file: { readonly bytes: number; readonly sha256: string } | undefined
      }
    }
  | { readonly failed: string }
