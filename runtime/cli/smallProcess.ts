import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Limits the heap's generations. Runs turn into garbage soon after they arrive, and a young generation of V8's default size
 * keeps tens of MiB of it for hours: 60 of 314 MiB when idle with 400 plugins on Postgres. The old generation is collected
 * when it has grown by a factor, and V8's own keeps what the start and the busiest hour left behind: 20 to 30 MiB when
 * idle, 80 after 25,000 requests, which cost 9 to 16 collections of 25 to 40 ms instead of 6. Measured with
 * the services of `npm run bench -- start` and `--trace-gc` (Node 24.21, two cores).
 */
export const flags = ["--max-semi-space-size=8", "--heap-growing-percent=20"]

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
 * Replaces this process with itself plus the flags and the environment, because they are read only at start. Values that
 * are set already stay. Does nothing when the size of the young generation is already set, when the process has an IPC
 * channel to its parent (exec would close it), or when the platform has no exec.
 */
export const keepSmall = (): void => {
  const chosen = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((words) =>
    /semi[-_]space[-_]size/.test(words)
  )
  if (chosen || process.connected || process.platform === "win32") return
  process.execve?.(
    process.execPath,
    [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)],
    { ...environment, ...process.env }
  )
}
