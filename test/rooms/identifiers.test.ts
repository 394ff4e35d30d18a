/** Names of the field in the code: a participle says nothing of the thing that it names. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { codeOf } from "../support/codeOf.ts"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname

/** A name that is one of these words, in lower or upper case at its start, and what to write instead. */
const banned = {
  found: "the noun: account, row, match; in tests actual",
  kept: "stored, cached, receipt",
  asked: "params, request",
  made: "built, rendered",
  said: "reply, statement",
  held: "locked, lock, onHold",
  told: "reported, notice",
  given: "input, options",
  wanted: "requested, expected",
  taken: "claimed",
  known: "registered, cached, or what is known",
  heard: "event, message",
  seen: "visited, observedAt",
  shown: "visible, displayed",
  got: "actual, response",
  sent: "request, transaction",
  ours: "own and a noun",
  theirs: "remote and a noun",
  mine: "own and a noun",
  saying: "a noun",
  asking: "request",
  telling: "a noun",
  keeping: "storage, cache",
  making: "a noun"
} as const

const words = Object.keys(banned).flatMap((word) => [word, word[0]?.toUpperCase() + word.slice(1)])

/** Members of an object keep the names that they have on the wire; a local variable beside them does not. */
const form = new RegExp(String.raw`(?<!\.)(?<![\w$])(${words.join("|")})(?![\w$]|\s*\??:)`, "g")

/** Uses of such names in a source, as `line: name`. */
const dialect = (source: string): ReadonlyArray<string> =>
  codeOf(source)
    .split("\n")
    .flatMap((line, index) => [...line.matchAll(form)].map(([word]) => `${index + 1}: ${word}`))

/** The placeholder of a template, in pieces: this file has none. */
const hole = (code: string) => `$${"{"}${code}}`

describe("a name", () => {
  it.each(Object.keys(banned))("%s is not used, by itself or as a type", (word) => {
    const type = word[0]?.toUpperCase() + word.slice(1)
    assert.deepStrictEqual(dialect(`const ${word} = 1`), [`1: ${word}`])
    assert.deepStrictEqual(dialect(`\ninterface ${type} {}`), [`2: ${type}`])
    assert.deepStrictEqual(dialect(`class A { #${word} = 1 }`), [`1: ${word}`])
  })

  it("of a member, in a text, a comment or a longer name may be such a word", () => {
    for (const source of [
      "const row = { found: 1 }",
      "const row = answer.found",
      'const text = "found"',
      `const text = \`found ${hole("row")} kept\``,
      "// found\n/* kept */",
      "const foundation = /found`/.test(row) / 2",
      `const text = \`${hole(`rows.map((row) => \`${hole("row")} found\`)`)} kept\``
    ]) {
      assert.deepStrictEqual(dialect(source), [], source)
    }
    const nested = `const text = \`${hole(`rows.map((row) => \`${hole("kept")} found\`)`)}\``
    assert.deepStrictEqual(dialect(nested), ["1: kept"])
  })

  it("is of the field everywhere", async () => {
    const uses: Array<string> = []
    for await (const path of glob("{core,http,mcp,plugins,runtime,test}/**/*.ts", { cwd: top })) {
      if (!isOwnSource(path)) continue
      uses.push(...dialect(readFileSync(join(top, path), "utf8")).map((use) => `${path}:${use}`))
    }
    assert.deepStrictEqual(uses, [])
  })
})
