/** Time that a campaign moves: for every process that is started with it, wall clock and monotonic clock jump together. */
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

/** Of Debian's package `faketime`. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"

type Environment = Readonly<Record<string, string>>

export interface MovedTime {
  /** The time by now, epoch milliseconds. */
  readonly now: () => number
  /** Never back, which no monotonic clock does: Node.js ends there. */
  readonly moveTo: (ms: number) => void
  /** What a process is started with. A name is a machine, whose clock can be set apart. */
  readonly on: (machine: string) => Environment
  /** Sets the clock of a machine ahead of the others from the next move on, by milliseconds that are fewer than it moves. */
  readonly setAhead: (machine: string, ms: number) => void
}

export const movedTime = (from: number): Effect.Effect<MovedTime, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "plumbline-time-"))
      // Postgres runs as a user of its own.
      chmodSync(folder, 0o755)
      let offset = from - Date.now()
      const aheads = new Map<string, number>()
      const fileOf = (machine: string) => join(folder, machine)
      // Renamed, for a clock that reads half a file would go back to the real time.
      const write = (machine: string, ahead: number) => {
        writeFileSync(`${fileOf(machine)}.new`, `+${Math.round((offset + ahead) / 1000)}\n`)
        renameSync(`${fileOf(machine)}.new`, fileOf(machine))
      }
      return {
        folder,
        now: () => Date.now() + offset,
        moveTo: (ms: number) => {
          offset = Math.max(offset, ms - Date.now())
          for (const [machine, ahead] of aheads) write(machine, ahead)
        },
        on: (machine: string): Environment => {
          if (!aheads.has(machine)) {
            aheads.set(machine, 0)
            write(machine, 0)
          }
          return {
            LD_PRELOAD: library,
            FAKETIME_TIMESTAMP_FILE: fileOf(machine),
            // A clock that is read once a second would differ from the others for as long after each move.
            FAKETIME_NO_CACHE: "1"
          }
        },
        setAhead: (machine: string, ms: number) => {
          aheads.set(machine, ms)
        }
      }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
