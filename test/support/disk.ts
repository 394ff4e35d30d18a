/** Disks of a few MiB for tests that fill them, or make them read-only. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const folder = () => mkdtempSync(join(tmpdir(), "plumbline-disk-"))

const mount = (path: string, options: string) =>
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path], { stdio: "ignore" })

/** False where these tests cannot be run: only root may mount. */
export const mayMount = (() => {
  const path = folder()
  try {
    mount(path, "size=64k")
    execFileSync("umount", [path])
    return true
  } catch {
    return false
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
})()

/** What a test that needs a disk of its own says where it is skipped. */
export const skipped = mayMount ? "" : " (skipped: only root may mount a disk)"

export interface Disk {
  readonly path: string
  readonly readOnly: (yes: boolean) => void
  /** Leaves no room, until `clear`. */
  readonly fill: () => void
  readonly clear: () => void
}

/** A disk of that many MiB, for the life of the scope. */
export const disk = (megabytes: number) =>
  Effect.acquireRelease(
    Effect.sync((): Disk => {
      const path = folder()
      const size = `size=${megabytes}m`
      mount(path, size)
      const filler = join(path, "filler")
      return {
        path,
        readOnly: (yes) => mount(path, `remount,${yes ? "ro" : "rw"},${size}`),
        fill: () => {
          try {
            writeFileSync(filler, Buffer.alloc(megabytes * 2 ** 20))
          } catch {
            // Full: what fitted stays.
          }
        },
        clear: () => rmSync(filler, { force: true })
      }
    }),
    ({ path }) =>
      Effect.sync(() => {
        execFileSync("umount", ["--lazy", path])
        rmSync(path, { recursive: true, force: true })
      })
  )
