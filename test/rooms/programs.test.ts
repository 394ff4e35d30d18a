/** What a run says of the programs that it lacks. */
import { assert, describe, it } from "vitest"
import { skippedReport } from "../support/counts.ts"
import { installCommand, missing, missingProgramsOf, type Name } from "../support/programs.ts"

const all: ReadonlyArray<Name> = [
  "caddy",
  "chromium",
  "counterparties",
  "nginx",
  "prometheus",
  "promtool",
  "swift"
]

describe("programs that tests need", () => {
  it("are installed by one command, each package once", () => {
    assert.strictEqual(
      installCommand(["prometheus", "promtool", "nginx"]),
      "apt-get update && apt-get install -y --no-install-recommends prometheus nginx-light"
    )
    assert.strictEqual(
      installCommand(["caddy", "counterparties"]),
      "apt-get update && apt-get install -y --no-install-recommends caddy && npm ci --prefix test/counterparties"
    )
  })

  it("are named with the files that lack them", () => {
    const absent = all.filter((name) => !(process.env["CI"] ?? process.env["REQUIRE_TOOLS"]) && missing(name))
    for (const name of all) {
      const text = `describe.skipIf(missing("${name}"))("a", () => {})`
      assert.deepStrictEqual(missingProgramsOf(text), absent.includes(name) ? [name] : [], name)
      const lines = skippedReport([{ path: "test/a.test.ts", tests: 2, text }])
      assert.deepStrictEqual(
        lines.filter((line) => line.startsWith("  ")),
        absent.includes(name) ? [`  ${name}: test/a.test.ts (2)`, `  ${installCommand([name])}`] : [],
        name
      )
    }
    assert.deepStrictEqual(skippedReport([]), [])
  })
})
