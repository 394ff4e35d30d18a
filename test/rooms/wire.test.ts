/** The definition of the API is safe for clients: it bundles for a browser and brings little code along. */
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"

const top = fileURLToPath(new URL("../..", import.meta.url))

/** A bundle of the definition; fails on whatever a browser lacks. */
const bundle = build({
  entryPoints: ["http/api/Api.ts"],
  absWorkingDir: top,
  bundle: true,
  platform: "browser",
  format: "esm",
  metafile: true,
  write: false
})

describe("the definition of the API", () => {
  it("bundles for a browser, without a module of node", async () => {
    const { metafile, warnings } = await bundle
    assert.deepStrictEqual(warnings, [])
    const outside = Object.values(metafile.outputs).flatMap((output) => output.imports)
    assert.deepStrictEqual(outside, [])
  })

  it("needs few files of ours", async () => {
    const { metafile } = await bundle
    const ownFiles = Object.entries(metafile.inputs).filter(([path]) => !path.startsWith("node_modules/"))
    const rooms = new Set(ownFiles.map(([path]) => path.split("/").slice(0, 2).join("/")))
    assert.deepStrictEqual([...rooms].sort(), ["core/plugin", "core/products", "core/wire", "http/api"])
    assert.isAtMost(ownFiles.length, 132)
    assert.isAtMost(
      ownFiles.reduce((sum, [, { bytes }]) => sum + bytes, 0),
      450_000
    )
  })
})
