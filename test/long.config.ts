import { defineConfig } from "vitest/config"
import { longGlobs } from "./sets.ts"
import all from "./vitest.config.ts"

/** What `npm run test:all` adds to `npm test`. */
export default defineConfig({ ...all, test: { ...all.test, include: [...longGlobs] } })
