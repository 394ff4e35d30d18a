import { defineConfig } from "vitest/config"

/**
 * The suites that hold what `npm run mutate` changes. They start no database, which would take longer than all of a mutant's
 * tests.
 */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/proof/{bytes,canonical,leaf,merkle,tiles}.test.ts"]
  }
})
