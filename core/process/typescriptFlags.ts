/** What lets Node run TypeScript below node_modules, in another process (`typescript.js`). This module imports nothing. */

/** Not all flags of this process: with `-e` the other one would do the same again. */
export const typescriptFlags: ReadonlyArray<string> = process.execArgv.filter((flag) =>
  flag.startsWith("--import=")
)
