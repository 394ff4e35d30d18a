import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

// Where the command line keeps it too. Each file runs in a process of its own, which then compiles no package again.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache")

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    reporters: ["default", new URL("support/counts.ts", import.meta.url).pathname],
    globalSetup: [new URL("support/setup.ts", import.meta.url).pathname],
    pool: "forks",
    // Left to itself it keeps a core free: on two cores the files would run one after the other.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
