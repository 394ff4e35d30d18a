/** `plugins/README.md` is what the manifests and fixtures say, and every plugin passes its check. */
import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { settingsIn, variableOf } from "../../runtime/collector/run.ts"
import { check } from "../../runtime/contributor/check/check.ts"
import * as Coverage from "../../runtime/contributor/check/coverage.ts"
import { figures, withFigures } from "../../runtime/contributor/check/figures.ts"
import { upstreamKeys } from "../../runtime/service/feeds.ts"

const names = await Effect.runPromise(Plugins.names())

describe("plugins/README.md", () => {
  it.effect("is up to date (npm run readme)", () =>
    Effect.gen(function* () {
      const text = yield* Effect.promise(() => readFile(new URL("README.md", Plugins.root), "utf8"))
      assert.strictEqual(text, Coverage.readme(yield* Coverage.entries()))
    })
  )
})

describe("README.md", () => {
  it.effect("has the figures that the catalog, manifests and cases give (npm run readme)", () =>
    Effect.gen(function* () {
      const text = yield* Effect.promise(() => readFile(new URL("../README.md", Plugins.root), "utf8"))
      assert.strictEqual(withFigures(text, yield* figures(yield* Plugins.all())), text)
    })
  )

  it("without the marks is left alone", () => {
    assert.isUndefined(withFigures("# Title\n", "- 1 network"))
  })
})

describe("the environment", () => {
  it.effect("gives plugins what they declare, keys as keys, and nothing else", () =>
    Effect.gen(function* () {
      const manifests = (yield* Plugins.all()).map(({ manifest }) => manifest)
      const keys = manifests.flatMap(({ auth = {} }) => Object.values(auth).map(({ setting }) => setting))
      assert.sameMembers([...upstreamKeys], [...new Set(keys)])
      const declared = manifests.flatMap(({ id, settings = {} }) =>
        Object.keys(settings).map((name) => variableOf(id, name))
      )
      assert.isAbove(declared.length, 0)
      const others = ["X402_SETTLER_KEY", "STRIPE_SECRET_KEY", "DATABASE_URL", "AI_API_KEY", "PATH"]
      const environment = Object.fromEntries([...declared, ...keys, ...others].map((name) => [name, "set"]))
      const settings = settingsIn({ ...environment, UNSET: undefined }, names, new Set(upstreamKeys))
      assert.deepStrictEqual(settings, Object.fromEntries(declared.map((name) => [name, "set"])))
    })
  )
})

describe("plugin check", () => {
  it.effect.each([...names])("finds nothing wrong with %s", (name) =>
    Effect.gen(function* () {
      // Broken payloads have a test of their own.
      const findings = yield* check(name, undefined, { broken: false })
      // The table has its own test above; a row that is out of date is no plugin's fault.
      const wrong = findings.filter(({ level, where }) => level === "wrong" && where !== "plugins/README.md")
      assert.deepStrictEqual(wrong, [])
    })
  )
})
