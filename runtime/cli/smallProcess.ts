import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Limits the young generation of the service's heap. Runs turn into garbage soon after they arrive, and a young
 * generation of V8's default size keeps tens of MiB of it for hours: 60 of 314 MiB when idle with 400 plugins on
 * Postgres, measured with `npm run bench -- start` (Node 24.21, two cores). Four MiB instead of eight save another 10 to
 * 25 MiB; over eight alternating rounds a mixed load had 4 % fewer answers per second, less than rounds differ. A limit of
 * the old generation's growth (`--heap-growing-percent=20`) would save 25 MiB more, and takes a fifth of them.
 */
export const flag = "--max-semi-space-size=4"

/**
 * The demo's: playing its past took a tenth less processor time with 16 MiB than with four, but the process then held up to
 * 1,070 MiB; with eight it held 990 at most.
 */
export const demoFlag = "--max-semi-space-size=8"

/**
 * What else is read only at start. With the compile cache on before the first module, no start but the first loads Node's
 * type stripper, which never leaves memory (17 MiB). glibc keeps freed memory in an arena per thread; with two arenas
 * and a fixed threshold it returns more (about 20 MiB).
 */
const environment = {
  NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
  MALLOC_ARENA_MAX: "2",
  MALLOC_TRIM_THRESHOLD_: "131072"
}

/**
 * Replaces this process with itself plus a flag and the environment, because they are read only at start. Values that
 * are set already stay. Does nothing when the size of the young generation is already set, when the process has an IPC
 * channel to its parent (exec would close it), or when the platform has no exec.
 */
export const keepSmall = ({ isDemo = false } = {}): void => {
  const chosen = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((option) =>
    /semi[-_]space[-_]size/.test(option)
  )
  if (chosen || process.connected || process.platform === "win32") return
  process.execve?.(
    process.execPath,
    [process.execPath, isDemo ? demoFlag : flag, ...process.execArgv, ...process.argv.slice(1)],
    { ...environment, ...process.env }
  )
}
