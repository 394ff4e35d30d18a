/** The definition of the API is safe for clients: it bundles for a browser and brings no other room along. */
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

  it("brings along definitions alone, of four rooms", async () => {
    const { metafile } = await bundle
    const paths = Object.keys(metafile.inputs).filter((path) => !path.startsWith("node_modules/"))
    const rooms = new Set(paths.map((path) => path.split("/").slice(0, 2).join("/")))
    assert.deepStrictEqual([...rooms].sort(), ["core/plugin", "core/products", "core/wire", "http/api"])
  })
})
