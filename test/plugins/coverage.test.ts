/** `plugins/README.md` is what the manifests and fixtures say, and every plugin passes its check. */
import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { check } from "../../runtime/check/check.ts"
import * as Coverage from "../../runtime/check/coverage.ts"
import * as Plugins from "../../runtime/plugins.ts"

const names = await Effect.runPromise(Plugins.names())

describe("plugins/README.md", () => {
  it.effect("is up to date (npm run readme)", () =>
    Effect.gen(function* () {
      const text = yield* Effect.promise(() => readFile(new URL("README.md", Plugins.root), "utf8"))
      assert.strictEqual(text, Coverage.readme(yield* Coverage.entries()))
    })
  )
})

describe("plugin check", () => {
  it.effect.each([...names])("finds nothing wrong with %s", (name) =>
    Effect.gen(function* () {
      // Broken payloads have a test of their own.
      const found = yield* check(name, undefined, { broken: false })
      // The table has its own test above; a row that is out of date is no plugin's fault.
      const wrong = found.filter(({ level, where }) => level === "wrong" && where !== "plugins/README.md")
      assert.deepStrictEqual(wrong, [])
    })
  )
})
