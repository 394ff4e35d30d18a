/** Texts that customers read name no environment variable: they cannot set it, and it says nothing to them. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { transform } from "esbuild"
import { assert, describe, it } from "vitest"
import { settingsHelp } from "../../runtime/settings/settingsHelp.ts"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname

/** Every setting of the service, as `serve --help` lists them. */
const settings = new Set(
  settingsHelp.split("\n").flatMap((line) => /^ {2}(\S.*)$/.exec(line)?.[1]?.split(", ") ?? [])
)

/** What no customer meets: the books, which the operator's own commands read, and a verifier that its own user runs. */
const isOthers = (path: string): boolean =>
  /^(core\/credits\/books\/|core\/proof\/|http\/client\/)/.test(path) || path.endsWith(".d.ts")

/** The settings that a text names. A placeholder such as `--key=LOG_KEY` is not one. */
const namedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)+\b/g)]
    .map(([name]) => name)
    .filter((name) => settings.has(name))

/** The settings named by the code of a source with its texts, comments left out. */
const namesOf = async (source: string): Promise<ReadonlyArray<string>> =>
  namedIn((await transform(source, { loader: "ts", legalComments: "none" })).code)

describe("texts for customers", () => {
  it("would be found to name a setting", async () => {
    assert.isAbove(settings.size, 30)
    const source = `/** PORT, DATABASE_URL */ export const a = "x (EVM_RPC_URL)", b = 'BASE_URL', c = "--key=LOG_KEY"`
    assert.deepStrictEqual(await namesOf(source), ["EVM_RPC_URL", "BASE_URL"])
  })

  it("name none, in pages, API, MCP and core", async () => {
    const faults: Array<string> = []
    let files = 0
    for await (const path of glob("{core,http,mcp}/**/*.ts", { cwd: top })) {
      if (!isOwnSource(path) || isOthers(path)) continue
      files++
      const names = await namesOf(readFileSync(join(top, path), "utf8"))
      faults.push(...names.map((name) => `${path}: ${name}`))
    }
    assert.isAbove(files, 300)
    assert.deepStrictEqual(faults, [])
  })
})
