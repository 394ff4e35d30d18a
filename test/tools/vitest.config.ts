import { defineConfig, mergeConfig } from "vitest/config"
import base from "../vitest.config.ts"

/** The suites that hold what `npm run mutate` changes, without those that start processes or close a month of days. */
const suites = [
  "proof/{bytes,canonical,checkpoint,leaf,merkle,signal,statement,tiles,trust}",
  "credits/{Limits,Money,tiers}",
  "products/{divergence,statistics,geoConcentration}",

  "log/leaves",
  "http/{limits,requests,delivery}"
]

export default mergeConfig(
  base,
  defineConfig({ test: { include: suites.map((suite) => `test/${suite}.test.ts`), reporters: ["default"] } })
)
