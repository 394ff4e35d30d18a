import { defineConfig } from "vitest/config"

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
