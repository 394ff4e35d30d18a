/**
 * `npm run test:quick`: what a change in one room needs, in under a minute. Compiler, linter, the rules of the rooms, and the
 * tests of every room with a changed file. Rooms can be named instead: `npm run test:quick -- core/log mcp`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const top = fileURLToPath(new URL("..", import.meta.url))

/** Tests of a room, by the beginning of a path; the first that fits counts. Slow ones are left to `npm test`. */
const testsOf: ReadonlyArray<readonly [room: string, tests: ReadonlyArray<string>]> = [
  ["core/plugin", ["plugin/", "kit/manifest", "plugins/broken"]],
  ["core/catalog", ["catalog/", "plugins/coverage"]],
  ["core/proof", ["proof/"]],
  ["core/wire", ["http/requests", "http/released"]],
  ["core/migrations", ["database/"]],
  ["core/readings", ["readings/"]],
  ["core/process", ["readings/loop", "readings/guarded", "rooms/"]],
  ["core/sql", ["readings/"]],
  ["core/clock", ["readings/"]],
  ["core/log", ["log/"]],
  ["core/credits", ["credits/", "counterparties/sale"]],
  ["core/publications", ["products/brief", "products/signals"]],
  ["core/products", ["products/oneFolder", "products/views", "products/golden", "products/statistics"]],
  ["plugins", ["plugins/"]],
  ["fixtures", ["plugins/"]],
  ["http/explorer", ["http/explorer", "http/browser"]],
  ["http/client", ["client/"]],
  ["http/description", ["http/description", "http/released"]],
  ["http", ["http/requests", "http/delivery", "http/signing", "http/released"]],
  ["mcp", ["mcp/tools", "mcp/protocol"]],
  ["runtime/admin", ["fault/owner"]],
  ["runtime/collector", ["collector/"]],
  ["runtime/contributor", ["kit/"]],
  ["runtime/database", ["database/"]],
  ["runtime/demo", ["demo/"]],
  ["runtime/derivation", ["derivation/"]],
  ["runtime/deploy", ["deploy/"]],
  ["runtime/doctor", ["deploy/doctor"]],
  ["runtime/logging", ["service/logging"]],
  ["runtime/metrics", ["http/metrics", "deploy/prometheus"]],
  ["runtime/release", ["deploy/release"]],
  ["runtime/outside", ["outside/"]],
  ["runtime/upstream", ["upstream/"]],
  ["runtime", ["credits/operator", "database/"]]
]

const git = (...args: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", args, { cwd: top, encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "")

const named = process.argv.slice(2)
const changed =
  named.length > 0
    ? named
    : [...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")]

const tests = new Set(["rooms/"])
for (const path of changed) {
  if (path.startsWith("test/")) tests.add(path.slice("test/".length))
  const entry = testsOf.find(([room]) => path === room || path.startsWith(`${room}/`))
  for (const test of entry?.[1] ?? []) tests.add(test)
}

console.log(
  changed.length === 0
    ? "Nothing has changed since the last commit: the rules of the rooms alone."
    : `Tests of what changed: ${[...tests].sort().join(" ")}`
)
for (const [command, ...args] of [
  ["tsc"],
  ["biome", "check", "--changed", "--since=HEAD", "--no-errors-on-unmatched"],
  ["vitest", "run", "--config", "test/vitest.config.ts", ...[...tests].map((test) => `test/${test}`)]
]) {
  const { status } = spawnSync(`node_modules/.bin/${command}`, args, { cwd: top, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}
