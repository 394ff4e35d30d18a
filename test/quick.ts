/**
 * `npm run test:quick`: what a commit is checked by. Compiler, linter, the rules of the rooms, and the test files that the change
 * since HEAD can reach (`support/reach.ts`), on Postgres alone and without the long set, which `npm test` and `npm run test:all` run.
 * Files can be named instead: `npm run test:quick -- core/log/Log.ts`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { isLong } from "./sets.ts"
import { readGraph, testsReached, top } from "./support/reach.ts"

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: top, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "")

const named = process.argv.slice(2)
const changed =
  named.length > 0
    ? named
    : [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")]
const reached = testsReached(readGraph(), changed)
const tests = reached.filter((path) => !isLong(`/${path}`))
const left = reached.length - tests.length

console.log(
  changed.length === 0
    ? "Nothing has changed since the last commit: the rules of the rooms alone."
    : `${tests.length} test files that ${changed.length} changed files reach${left === 0 ? "" : `; ${left} more of the long set are left to npm run test:all`}.`
)
for (const [command, ...args] of [
  ["tsc"],
  ["biome", "check", "--changed", "--since=HEAD", "--no-errors-on-unmatched"],
  ["vitest", "run", "--config", "test/short.config.ts", "test/rooms/", ...tests]
]) {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, {
    cwd: top,
    stdio: "inherit",
    env: { ...process.env, ENGINES: "postgres" }
  })
  if (status !== 0) process.exit(status ?? 1)
}
