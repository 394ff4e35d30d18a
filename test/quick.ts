/**
 * `npm run test:quick`: what a commit is checked by. Compiler, linter, the rules of the rooms, and the test files that the change
 * since HEAD can reach (`support/reach.ts`) and that executed a changed function when `npm run test:record` last looked
 * (`support/chosen.ts`), on Postgres alone and without the long set, which `npm test` and `npm run test:all` run. Files can be named
 * instead, then imports alone decide: `npm run test:quick -- core/log/Log.ts`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isLong } from "./sets.ts"
import { type Change, testsOf } from "./support/chosen.ts"
import { readGraph, testsReached, top } from "./support/reach.ts"
import { readRecords } from "./support/record.ts"

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: top, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "")

const named = process.argv.slice(2)
const changed = [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")]

/** The file at HEAD; git says on its error output where there is none. */
const before = (path: string): string | undefined => {
  const { status, stdout } = spawnSync("git", ["show", `HEAD:${path}`], { cwd: top, encoding: "utf8" })
  return status === 0 ? stdout : undefined
}
const changeOf = (path: string): Change => ({
  path,
  before: before(path),
  after: existsSync(join(top, path)) ? readFileSync(join(top, path), "utf8") : undefined
})

const graph = readGraph()
const records = readRecords()
const reached = named.length > 0 ? testsReached(graph, named) : testsOf(graph, records, changed.map(changeOf))
const tests = reached.filter((path) => !isLong(`/${path}`))
const left = reached.length - tests.length

console.log(
  changed.length + named.length === 0
    ? "Nothing has changed since the last commit: the rules of the rooms alone."
    : `${tests.length} test files that ${named.length || changed.length} changed files reach${left === 0 ? "" : `; ${left} more of the long set are left to npm run test:all`}.`
)
if (records.size === 0)
  console.log("No record of what tests execute: imports alone decide (npm run test:record).")
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
