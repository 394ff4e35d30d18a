/** Every plugin passes its check; and on main, where they are generated, the READMEs are what the manifests and fixtures say. */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { settingsIn, variableOf } from "../../runtime/collector/run.ts"
import { check } from "../../runtime/contributor/check/check.ts"
import * as Coverage from "../../runtime/contributor/check/coverage.ts"
import { figures, withFigures } from "../../runtime/contributor/check/figures.ts"
import { upstreamKeys } from "../../runtime/service/feeds.ts"
import { isMain } from "../support/branch.ts"
import { triedOf } from "../support/onlyPlugins.ts"

// A branch that adds a plugin leaves them alone, or two such branches would meet in one line.
const onMain = isMain(fileURLToPath(new URL("..", Plugins.root)), process.env)

const names = await Effect.runPromise(Plugins.names())

describe("plugins/README.md", () => {
  it.effect.skipIf(!onMain)("is up to date on main (npm run readme)", () =>
    Effect.gen(function* () {
      const text = yield* Effect.promise(() => readFile(new URL("README.md", Plugins.root), "utf8"))
      assert.strictEqual(text, Coverage.readme(yield* Coverage.entries()))
    })
  )
})

describe("README.md", () => {
  it.effect.skipIf(!onMain)(
    "has on main the figures that the catalog, manifests and cases give (npm run readme)",
    () =>
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
  it.effect.each([...triedOf(names)])("finds nothing wrong with %s", (name) =>
    Effect.gen(function* () {
      // Broken payloads have a test of their own.
      const findings = yield* check(name, undefined, { broken: false })
      const wrong = findings.filter(({ level }) => level === "wrong")
      assert.deepStrictEqual(wrong, [])
    })
  )
})
