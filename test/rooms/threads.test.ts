/** What takes long is done in threads: the main thread does not even load it. */
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"

describe("the service", () => {
  it("loads neither what draws pictures nor what describes the API, but in threads", async () => {
    const { metafile } = await build({
      absWorkingDir: fileURLToPath(new URL("../..", import.meta.url)),
      entryPoints: ["http/server.ts"],
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      packages: "external",
      splitting: true,
      outdir: "none",
      logLevel: "silent"
    })
    const own = Object.keys(metafile.inputs)
    assert.include(own, "http/pages/docs/Documents.ts")
    assert.include(own, "http/explorer/charts/Painter.ts")
    const inThreads = new Set([
      "http/description/description.ts",
      "http/explorer/charts/png.ts",
      "http/pages/docs/documentation.ts",
      "http/pages/x402.ts"
    ])
    assert.deepStrictEqual(
      own.filter((path) => inThreads.has(path) || path.endsWith(".thread.ts")),
      []
    )
  })
})
