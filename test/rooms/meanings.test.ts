/** Words that had several meanings have one (`core/README.md`, "Words of the code"): names with them are in its rooms alone. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { codeOf } from "../support/codeOf.ts"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname
const page = readFileSync(join(top, "core/README.md"), "utf8").split("## Words of the code")[1] ?? ""

/** Where names with a word may be: in its room, and where its room is asked. */
const rooms: Readonly<Record<string, RegExp>> = {
  agreement:
    /^(core\/(proof|log|wire|events|alerts)|core\/readings\/read|http|mcp|runtime\/(service|metrics|database))\//,
  standing: /^(core\/readings|core\/log|core\/publications|core\/events|runtime\/commands)\//
}

/** Members of the API and columns of tables that keep their names. */
const released = /^(RecheckAgreement\b|(agreement|agreement_pct|standing)\s*\??:)/

/** Names in a source that have the word, as `line: name`. */
const namesWith = (word: string, source: string): ReadonlyArray<string> =>
  codeOf(source)
    .split("\n")
    .flatMap((line, index) =>
      [...line.matchAll(new RegExp(String.raw`(?<!dis)(?<!out)\b\w*(?<!dis)${word}\w*`, "gi"))]
        .filter(({ index: at }) => !released.test(line.slice(at)))
        .map(([name]) => `${index + 1}: ${name}`)
    )

describe.each(Object.entries(rooms))("the word %s", (word, room) => {
  it("is explained", () => {
    assert.include(page, `\n| ${word} |`)
  })

  it("is found in a name, and not in a text or a released member", () => {
    const name = `un${word}s`
    assert.deepStrictEqual(namesWith(word, `const ${name} = 1`), [`1: ${name}`])
    assert.deepStrictEqual(namesWith(word, `const a = "${word}" // ${word}`), [])
    assert.deepStrictEqual(namesWith(word, `({ ${word}: 1 })`), [])
  })

  it("names nothing else elsewhere", async () => {
    const names: Array<string> = []
    for await (const path of glob("{core,http,mcp,runtime}/**/*.ts", { cwd: top })) {
      if (!isOwnSource(path) || room.test(path) || path.startsWith("core/migrations/")) continue
      const source = readFileSync(join(top, path), "utf8")
      names.push(...namesWith(word, source).map((name) => `${path}:${name}`))
    }
    assert.deepStrictEqual(names, [])
  })
})
