/** What the archive's thread and the service say to each other. The thread answers each message before it takes the next. */
import type { Sealed } from "../../core/log/archive/FileMaker.ts"
import type { FileStatement } from "../../core/proof/archive.ts"

export type ToThread =
  /** Starts a file; one that was under way is dropped. */
  | { readonly begin: { readonly path: string; readonly statement: FileStatement } }
  | { readonly leaves: ReadonlyArray<Sealed> }
  | { readonly finish: true }

export type FromThread =
  | { readonly accepted: true }
  | { readonly finished: { readonly bytes: number; readonly rows: number; readonly sha256: string } }
  | { readonly failed: string }
