/** What a browser loads to check the state proofs of chains, beside the verifier that it has: the light clients are apart. */
import { fileURLToPath } from "node:url"
import { brotliCompressSync } from "node:zlib"
import { build } from "esbuild"
import { assert, describe, it } from "vitest"

const top = fileURLToPath(new URL("../../..", import.meta.url))
const most = 20_000

describe("the check of state proofs", () => {
  it("is at most 20 kB in a browser, compressed, and loaded by itself", async () => {
    const { metafile, outputFiles } = await build({
      absWorkingDir: top,
      entryPoints: ["http/explorer/client/worker.ts"],
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      target: "es2022",
      platform: "browser",
      metafile: true,
      write: false,
      outdir: "out"
    })
    const loadedBy = (name: string, loaded: Set<string> = new Set()): ReadonlySet<string> => {
      if (loaded.has(name)) return loaded
      loaded.add(name)
      for (const { kind, path } of metafile.outputs[name]?.imports ?? [])
        if (kind === "import-statement") loadedBy(path, loaded)
      return loaded
    }
    const outputOf = (source: string): string =>
      Object.keys(metafile.outputs).find((name) => metafile.outputs[name]?.entryPoint === source) ??
      assert.fail(`${source} has no script of its own`)
    const worker = loadedBy(outputOf("http/explorer/client/worker.ts"))
    const beside = [...loadedBy(outputOf("core/proof/checkChainEvidence.ts"))].filter(
      (name) => !worker.has(name)
    )
    const sizes = beside.map((name) => {
      const file = outputFiles.find(({ path }) => path.endsWith(name))
      return brotliCompressSync(file?.contents ?? assert.fail(name)).length
    })
    const size = sizes.reduce((sum, one) => sum + one, 0)
    assert.isAtLeast(size, most / 2, "is it still the check of all families?")
    assert.isAtMost(size, most)
  })
})
