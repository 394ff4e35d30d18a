/** How lost or damaged private files come back. */
import { program } from "../../core/process/program.ts"

/** The sentence that every message about a key or secret of a database in use ends with. */
export const restoring = `Restore it from a backup: ${program} restore <folder of the backup> --keys-only`
