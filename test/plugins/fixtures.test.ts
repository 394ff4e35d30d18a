/** Walks `plugins/` and `fixtures/`: a new plugin adds no test code. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { layout } from "../../runtime/contributor/kit/layout.ts"
import { plugins, triedPlugins } from "../support/plugins.ts"

const names = await Effect.runPromise(Plugins.names())
const cases = await Promise.all(
  triedPlugins.map(async (plugin) => ({
    plugin,
    cases: await Effect.runPromise(Fixtures.casesOf(plugin.manifest.id))
  }))
)

describe("plugins", () => {
  it("are folders named by their id", () => {
    assert.deepStrictEqual(
      plugins.map(({ manifest }) => manifest.id),
      [...names]
    )
  })

  it.each(cases.map(({ cases, plugin }) => [plugin.manifest.id, cases] as const))(
    "%s has the cases",
    (_, cases) => {
      assert.includeMembers([...cases], ["ok", "measured-zero", "missing-field", "refused", "changed-shape"])
    }
  )

  it.each(names.map((name) => [name]))("%s has a README with the four sections", async (name) => {
    const readme = await readFile(new URL(`${name}/README.md`, Plugins.root), "utf8")
    for (const section of ["## Reads", "## Metrics", "## Check it yourself", "## Not covered"]) {
      assert.include(readme, section)
    }
  })

  it.effect("no fixture folder is without its plugin", () =>
    Effect.gen(function* () {
      for (const name of yield* Plugins.names(new URL(`file://${Fixtures.root}`))) {
        if (existsSync(join(Fixtures.root, name, "ok.json"))) assert.include(names, name)
      }
    })
  )
})

describe.each(cases)("$plugin.manifest.id", ({ cases, plugin }) => {
  it.effect.each([...cases])("%s replays to the kept rows, whatever the clock says", (name) =>
    Effect.gen(function* () {
      const place = join(Fixtures.root, plugin.manifest.id, name)
      const text = yield* Effect.promise(() => readFile(`${place}.json`, "utf8"))
      // So that a case which is written again changes no line that says the same.
      assert.strictEqual(text, `${layout(JSON.parse(text))}\n`)
      const { recording, tape } = yield* Fixtures.load(place)
      assert.strictEqual(recording.plugin, plugin.manifest.id)
      const expected = yield* Fixtures.expected(place)
      const rows = yield* Fixtures.replay(plugin, tape)
      assert.deepStrictEqual(rows, expected)
      yield* TestClock.adjust("9 days")
      assert.deepStrictEqual(yield* Fixtures.replay(plugin, tape), expected)
      if ("observations" in rows) {
        if (name === "ok") assert.isNotEmpty(rows.observations)
        for (const { source, unit, verify_url } of rows.observations) {
          assert.match(verify_url, /^https:\/\//)
          assert.isNotEmpty(source)
          assert.isNotEmpty(unit)
        }
      } else {
        assert.notStrictEqual(name, "ok")
      }
    })
  )
})
