import { configDefaults, defineConfig } from "vitest/config"
import { longGlobs } from "./sets.ts"
import all from "./vitest.config.ts"

/** What `npm test` runs. */
export default defineConfig({
  ...all,
  test: { ...all.test, exclude: [...configDefaults.exclude, ...longGlobs] }
})
