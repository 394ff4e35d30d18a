import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import SlowFirst from "./support/slowFirst.ts"

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const needed = Number(engines.node.replace(">=", ""))
if (Number.parseInt(process.versions.node, 10) < needed) {
  // The stack of an error would hide the line.
  console.error(
    `the tests need Node ${needed} or newer, and this is ${process.version}: npx vitest takes the one that npm ci installed`
  )
  process.exit(1)
}

// Where the command line keeps it too, so that no process compiles a package again.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache")
// No test leaves what it verified in the settings of whoever runs it.
process.env["PLUMBLINE_PINS"] ??= "none"
// For what tests make once on a machine: `setup.ts` gives a run a temporary folder of its own.
process.env["KEPT_BETWEEN_RUNS"] ??= tmpdir()

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    reporters: ["default", new URL("support/counts.ts", import.meta.url).pathname],
    globalSetup: [new URL("support/setup.ts", import.meta.url).pathname],
    setupFiles: [new URL("support/afterFile.ts", import.meta.url).pathname],
    pool: "forks",
    // Freed machine code of WebAssembly is what `keepWrappers` of runtime/database/Pglite.ts is about: a run starts hundreds of databases.
    execArgv: ["--no-wasm-code-gc"],
    // A process keeps its modules, and what they compile to, for the files that it runs one after the other: loading them
    // for each file takes a fifth of the whole run. So a file leaves no state behind in a module or in the process.
    isolate: false,
    // Many files wait for processes of their own, so one more than there are cores keeps these busy.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // It ends what hangs, and nothing else: the longest test of the short set works for two minutes where six programs share its core. How
    // long a test takes depends on the machine, and what it may take is measured by `npm run bench`.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
