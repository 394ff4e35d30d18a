import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    reporters: ["default", new URL("support/counts.ts", import.meta.url).pathname],
    globalSetup: [new URL("support/setup.ts", import.meta.url).pathname],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
