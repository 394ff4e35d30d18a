/** What is published for others: small, whole, and usable from a folder that has nothing else. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { describedRequest } from "../../http/description/described.ts"
import { description } from "../../http/description/description.ts"
import { operationsOf } from "../../http/description/document.ts"
import { exampleValues } from "../../http/description/requests.ts"
import { samplesOf } from "../../http/description/samples.ts"
import { isWithinLimit } from "../support/limits.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))
const clients = join(top, "http/client")
const folder = mkdtempSync(join(tmpdir(), "plumbline-packages-"))
afterAll(() => rmSync(folder, { recursive: true }))

const node = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, args, { cwd, encoding: "utf8" })

/** Puts a package where a project of somebody else would have it: what `files` names, and its dependencies. */
const install = (name: string): void => {
  const from = join(clients, name)
  const {
    dependencies = {},
    files,
    name: full
  } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"))
  for (const file of ["package.json", ...files]) {
    cpSync(join(from, file), join(folder, "node_modules", full, file), { recursive: true })
  }
  for (const each of Object.keys(dependencies).flatMap((one) => [one, `${one}-helpers`])) {
    const packageFolder = [from, top].map((at) => join(at, "node_modules", each)).find(existsSync)
    const helpers = each.replace("openapi-fetch-helpers", "openapi-typescript-helpers")
    const source = packageFolder ?? join(top, "node_modules", helpers)
    cpSync(source, join(folder, "node_modules", packageFolder === undefined ? helpers : each), {
      recursive: true,
      dereference: true
    })
  }
}

/** What the compiler says of files of somebody else's project. */
const compile = (...files: ReadonlyArray<string>): string => {
  const compiler = join(top, "node_modules/typescript/bin/tsc")
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", ""]
  return spawnSync(process.execPath, [compiler, ...options, "--lib", "es2023,dom,dom.iterable", ...files], {
    cwd: folder,
    encoding: "utf8"
  }).stdout
}

describe("a package of ours", () => {
  beforeAll(() => {
    for (const name of ["typescript", "verifier"]) {
      node(top, "http/client/build.ts", name)
      install(name)
    }
    mkdirSync(join(folder, "src"))
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  }, 60_000)

  it("for TypeScript is within its limit in a browser, compressed and with everything in it", async () => {
    const { outputFiles, warnings } = await build({
      stdin: { contents: 'export { createClient } from "@plumbline/client"', resolveDir: folder },
      bundle: true,
      minify: true,
      platform: "browser",
      format: "esm",
      write: false
    })
    assert.deepStrictEqual(warnings, [])
    isWithinLimit(
      "bytes of the TypeScript client in a browser",
      gzipSync(outputFiles[0]?.contents ?? "").length
    )
  })

  it("types what it gives, and refuses paths and parameters that are not there", () => {
    writeFileSync(
      join(folder, "src/index.ts"),
      `
import { createClient } from "@plumbline/client"
import { verifyResponse, type Check } from "@plumbline/verifier"
const client = createClient({ baseUrl: "https://plumbline.example", apiKey: "plk_", keys: ["kid"] })
const { data, error } = await client.GET("/v1/history", { params: { query: { network: "FIL", days: 30 } } })
const points: ReadonlyArray<{ date: string; value: number }> = data?.data["FIL"]?.["nodes_online"]?.points ?? []
const said: string | undefined = error?.message
for await (const rows of client.pages("/v1/market", { params: { query: { limit: 2 } } })) rows[0]?.price_usd?.toFixed()
const checks: ReadonlyArray<Check> = verifyResponse(await Promise.reject(), { keys: {} })
// @ts-expect-error
void client.GET("/v1/histories", {})
// @ts-expect-error
void client.GET("/v1/history", { params: { query: { network: "FIL", days: "thirty" } } })
export { checks, points, said }
`
    )
    assert.strictEqual(compile("src/index.ts"), "")
  }, 60_000)

  it("takes every sample of the documentation", () => {
    mkdirSync(join(folder, "samples"))
    const places = operationsOf(description)
    for (const [n, place] of places.entries()) {
      const request = describedRequest(place)
      const { TypeScript: sample } = samplesOf("https://plumbline.example", request, exampleValues(request))
      // Each is a module, also the one that imports nothing.
      writeFileSync(join(folder, "samples", `${n}.ts`), `${sample}\nexport {}\n`)
    }
    assert.strictEqual(compile(...places.map((_, n) => `samples/${n}.ts`)), "")
    const wrong = `import { createClient } from "@plumbline/client"
await createClient({ baseUrl: "" }).GET("/v1/history", { params: { query: { network: 1 } } })`
    writeFileSync(join(folder, "samples/wrong.ts"), wrong)
    assert.match(compile("samples/wrong.ts"), /error TS/)
  }, 60_000)

  it("is a command that verifies, on its own", () => {
    const cli = join(folder, "node_modules/@plumbline/verifier/dist/cli.js")
    const run = (...args: ReadonlyArray<string>) =>
      spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: "utf8" })
    const example = join(top, "fixtures/vectors/signals.json")
    const { status, stdout } = run("signals", example)
    assert.match(stdout, /^ok +links: rows 1 to 3 are linked/m)
    // Nobody vouches for what is checked.
    assert.strictEqual(status, 2)
    assert.match(run("--help").stdout, /verify response <url>/)
  })

  it("tells nobody to run a name that is not ours", () => {
    for (const name of ["", "typescript/", "python/", "verifier/"]) {
      const text = readFileSync(join(clients, `${name}README.md`), "utf8")
      assert.notMatch(text, /npx /)
      if (name !== "") assert.include(text, "not published to a registry yet")
    }
  })
})
