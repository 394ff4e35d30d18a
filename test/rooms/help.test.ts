/** Help fits a terminal of 80 columns, without a word lost. */
import { assert, describe, it } from "@effect/vitest"
import { wrapped } from "../../runtime/cli/help.ts"
import { settingsHelp } from "../../runtime/settings/settingsHelp.ts"

const words = (text: string): ReadonlyArray<string> => text.split(/\s+/)

describe("help", () => {
  it("continues a long line under its last column, or below it if that is far to the right", () => {
    const about = "word ".repeat(20).trim()
    assert.deepStrictEqual(wrapped(`  name    ${about}`).split("\n"), [
      `  name    ${"word ".repeat(14).trim()}`,
      `          ${"word ".repeat(6).trim()}`
    ])
    const flag = `  --one-with-a-long-name-and-values <a|b|c|d>    ${about}`
    assert.deepStrictEqual(wrapped(flag).split("\n"), [
      "  --one-with-a-long-name-and-values <a|b|c|d>",
      `        ${"word ".repeat(14).trim()}`,
      `        ${"word ".repeat(6).trim()}`
    ])
    assert.strictEqual(wrapped("  short    line"), "  short    line")
  })

  it("keeps every word of the longest help", () => {
    const help = wrapped(settingsHelp)
    for (const line of help.split("\n")) assert.isAtMost(line.length, 80, line)
    assert.deepStrictEqual(words(help), words(settingsHelp))
  })
})
