/**
 * The two sets of tests. `npm test` runs the short one, `npm run test:all` both: kills, long histories, backups, upgrades, containers
 * and whatever takes more than 15 seconds by itself on a quiet machine (`support/counts.ts` names a file that does).
 */

/** Beginnings of paths below `test/`. */
const long = [
  "backup/",
  "cluster/lock",
  "collector/thread",
  "database/confirm",
  "database/copy",
  "database/newFolder",
  "demo/Demo",
  "demo/readme",
  "demo/repeat",
  "deploy/container",
  "derivation/rederive",
  "fault/",
  "http/fresh",
  "http/largeExport",
  "http/metricsSize",
  "http/testMode",
  "kit/contributing",
  "kit/dev",
  "log/copies",
  "log/damagedArchive",
  "mcp/hostile",
  "plugins/absurd",
  "products/recomputed",
  "proof/lies",
  "property/",
  "release/",
  "service/refused",
  "upgrade/"
]

/** Globs of the long set, from the top. */
export const longGlobs: ReadonlyArray<string> = long.map((path) =>
  path.endsWith("/") ? `test/${path}**/*.test.ts` : `test/${path}.test.ts`
)

/** Whether a file is of the long set, by any path that ends with the one from the top. */
export const isLong = (path: string): boolean => long.some((beginning) => path.includes(`/test/${beginning}`))
