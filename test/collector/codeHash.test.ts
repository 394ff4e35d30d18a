/** The code hash is what a stranger computes with `find`, `sha256sum` and `sort`. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeHash, own, shared } from "../../runtime/collector/codeHash.ts"
import { portable } from "../../runtime/collector/load.ts"
import { good } from "./plugins.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))

const sourcesOf = (id: string) => Effect.map(Effect.all([own(id), shared]), (both) => both.flat())

/** Of the modules that one imports when it runs, those beside it. */
const importsOf = (path: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import|export) (?!type )[^"']*? from "(\.[^"]+)"/gm)].map(([, to = ""]) =>
    join(dirname(path), to)
  )

describe("the code hash", () => {
  it.effect("names all that its files import of the rooms", () =>
    Effect.gen(function* () {
      const sources = yield* shared
      const paths = new Set(sources.map(({ path }) => path))
      const missing = sources
        .filter(({ path }) => path.endsWith(".ts"))
        .flatMap(({ bytes, path }) => importsOf(path, new TextDecoder().decode(bytes)))
        .filter((path) => !paths.has(path))
      assert.deepStrictEqual([...new Set(missing)], [])
    })
  )

  it.effect("is that of the shell command in its docstring", () =>
    Effect.gen(function* () {
      const command =
        "find plugins/storj core/plugin core/catalog core/proof/chain $(printf 'core/proof/%s.ts ' bytes canonical check leaf merkle reason shape tag time) package.json package-lock.json -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum"
      const printed = execFileSync("sh", ["-c", command], { cwd: top, encoding: "utf8" })
      assert.strictEqual(codeHash(yield* sourcesOf("storj"), {}), printed.slice(0, 64))
    })
  )

  it.effect("changes with a file, its path and a setting, and not with their order", () =>
    Effect.gen(function* () {
      const sources = yield* sourcesOf("storj")
      const hash = codeHash(sources, { a: "1", b: "2" })
      assert.strictEqual(codeHash([...sources].reverse(), { b: "2", a: "1" }), hash)
      const [first, ...rest] = sources
      if (first === undefined) return assert.fail("no sources")
      const others = [
        codeHash(sources, { a: "1", b: "3" }),
        codeHash(sources, { a: "1" }),
        codeHash(rest, { a: "1", b: "2" }),
        codeHash([{ ...first, path: "plugins/storj/other.ts" }, ...rest], { a: "1", b: "2" }),
        codeHash([{ ...first, sha256: createHash("sha256").update("").digest("hex") }, ...rest], {
          a: "1",
          b: "2"
        })
      ]
      assert.strictEqual(new Set([hash, ...others]).size, 6)
    })
  )

  it.effect("of two plugins differs, and covers what each imports", () =>
    Effect.gen(function* () {
      const sources = yield* sourcesOf("storj")
      assert.notStrictEqual(codeHash(sources, {}), codeHash(yield* sourcesOf("filecoin"), {}))
      assert.includeMembers(
        sources.map(({ path }) => path),
        [
          "plugins/storj/index.ts",
          "core/plugin/Upstream.ts",
          "core/catalog/networks/storage.json",
          "package.json",
          "package-lock.json"
        ]
      )
    })
  )
})

it("a manifest changes threads with its durations as milliseconds", () => {
  const { manifest } = good("one", { every: "2 minutes", timeout: "10 seconds" })
  assert.deepStrictEqual(structuredClone(portable(manifest)), {
    ...manifest,
    every: 120_000,
    timeout: 10_000
  })
})
