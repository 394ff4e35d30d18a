import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"

/**
 * The suites that hold what `npm run mutate` changes. They start no database: a suite that does takes longer to begin than
 * all of a mutant's tests may take.
 */
const suites = ["proof/{bytes,canonical,checkpoint,leaf,merkle,tiles}"]

export default mergeConfig(
  base,
  defineConfig({ test: { include: suites.map((suite) => `test/${suite}.test.ts`), reporters: ["default"] } })
)
