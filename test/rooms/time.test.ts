/** Lengths of time are written once: `core/plugin/time.ts`, and for the verifier, which is published alone, `core/proof/time.ts`. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import * as Plugin from "../../core/plugin/index.ts"
import * as Time from "../../core/plugin/time.ts"
import * as ProofTime from "../../core/proof/time.ts"
import { codeOf } from "../support/codeOf.ts"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname
const homes = ["core/plugin/time.ts", "core/proof/time.ts"]

/** Milliseconds of a minute, an hour or a day, as a number or a product. */
const form =
  /(?<![\w.])(86_?400_?000|8\.64e7|3_?600_?000|3\.6e6|60_?000|6e4|24 \* (60|3_?600|hour)\w*|60 \* (60|1_?000|minute)\w*|(86_?400|3_?600|60) \* 1_?000|1_?000 \* (86_?400|3_?600|60))(?!\w)|\b(day|hour|minute)(s?Ms|Length)? = \d/g

/** What a source writes itself, as `line: text`. */
const lengths = (source: string): ReadonlyArray<string> =>
  codeOf(source)
    .split("\n")
    .flatMap((line, index) => [...line.matchAll(form)].map(([text]) => `${index + 1}: ${text}`))

describe("a length of time", () => {
  it.each([
    "const day = 86_400_000",
    "const dayMs = 24 * 60 * 60 * 1000",
    "const dayLength = 24 * hour",
    "const retention = 3 * 86400000",
    "const hour = 3_600_000",
    "const validMs = 5 * 60_000",
    `const text = \`$${"{60 * 1000}"}\``,
    "const minute = 6"
  ])("is recognised in %s", (code) => {
    assert.isNotEmpty(lengths(code))
  })

  it("is no other number, and none in a text or a comment", () => {
    assert.deepStrictEqual(
      lengths('const leastVersion = 160_000 // 60_000\nconst text = "w=86400000"\nconst day = dateOf(3)\n'),
      []
    )
  })

  it("is written in its home and nowhere else", async () => {
    const messages: Array<string> = []
    for await (const path of glob("{core,runtime,http,mcp}/**/*.ts", { cwd: top })) {
      if (!isOwnSource(path) || homes.includes(path)) continue
      const source = readFileSync(join(top, path), "utf8")
      messages.push(...lengths(source).map((text) => `${path}:${text}; import it from core/plugin/time.ts`))
    }
    assert.deepStrictEqual(messages, [])
  })

  it("is the same for plugins and for the verifier", () => {
    assert.deepStrictEqual({ ...ProofTime }, { ...Time })
    const { day, hour, minute } = Plugin
    assert.deepStrictEqual({ day, hour, minute }, { ...Time })
    assert.deepStrictEqual([Time.minute, Time.hour, Time.day], [60_000, 3_600_000, 86_400_000])
  })
})
