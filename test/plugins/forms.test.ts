/** Plugins are written in one way: `sourceFindings` has the rules. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { sourceFindings } from "../../runtime/contributor/check/source.ts"
import { sourcesOf } from "../../runtime/contributor/check/sources.ts"

const names = await Effect.runPromise(Plugins.names())
const sources = await Promise.all(
  names.map((name) => Effect.runPromise(sourcesOf(new URL(`${name}/`, Plugins.root))))
)

describe("plugins", () => {
  it.each(names.map((name, n) => [name, sources[n] ?? []] as const))(
    "%s is written as all are",
    (_, files) => {
      assert.isNotEmpty(files)
      assert.deepStrictEqual(
        sourceFindings(files).filter(({ level }) => level === "wrong"),
        []
      )
    }
  )

  it("that are data alone are at least 25", () => {
    const declared = sources.flat().filter(({ text }) => text.includes("export default declare({"))
    assert.isAtLeast(declared.length, 25)
  })
})
