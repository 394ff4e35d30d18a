/** At the start no plugin runs that declares a series of another one; all the others do. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { load } from "../../runtime/collector/load.ts"
import { manifest } from "../support/runs.ts"

const core = new URL("../../core/plugin/index.ts", import.meta.url).href

it.effect("two plugins of one series are both refused, each with the name of the other", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-shared-"))
    for (const [id, source] of [
      ["first", "one_feed"],
      ["second", "one_feed"],
      ["third", "its_own"]
    ]) {
      const declared = JSON.stringify({ ...manifest, id, source })
      mkdirSync(join(folder, id ?? ""))
      writeFileSync(
        join(folder, `${id}/index.ts`),
        `import { Plugin } from "${core}"\nexport default Plugin.define({ ...${declared}, collect: () => { throw new Error("not run") } })\n`
      )
    }
    const around = { before: () => {}, after: () => {} }
    const { broken, plugins } = yield* load(["first", "second", "third"], pathToFileURL(`${folder}/`), around)
    assert.deepStrictEqual(
      plugins.map(({ manifest }) => manifest.id),
      ["third"]
    )
    assert.deepStrictEqual(
      broken.map(({ plugin }) => plugin),
      ["first", "second"]
    )
    assert.include(broken[0]?.reason, "one_feed is declared by plugins/second")
  })
)
