/** Phrases that must not come back: stilted English, and references to documents that readers do not have. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname

/** What is counted by time, such as "three calls"; "once a day" and "a value a week before" are plain English. */
const countOf = String.raw`(\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|million|dozen|a few)`
const counted =
  "(requests?|calls?|readings?|values?|answers?|rows?|runs?|keys|queries|pages?|messages?|lines?|events|entries|credits|USD|dollars|MiB|tokens)"
const time = "(second|minute|hour|(UTC )?day|week|month|year)"
/** Each of these by itself: one row per request, several keys per account. */
const each = "(call|request|run|line|page|account|section|purchase|client|process|network|plugin|key)"

/** A phrase, what to write instead, and an example that the check must find. Examples are split, so this file passes. */
const phrases: ReadonlyArray<readonly [form: RegExp, instead: string, example: string]> = [
  [
    new RegExp(
      String.raw`\b(${countOf}( ${counted})?|${counted}) an? ${time}\b(?! (time|before|earlier|later|ago|after|apart|old|may)\b)`
    ),
    "per",
    ["at most three calls", "a day"].join(" ")
  ],
  [
    new RegExp(String.raw`\b${countOf} (${counted}|keys) an? ${each}\b(?! (costs|may|of)\b)`),
    "per",
    ["it shows two keys", "an account"].join(" ")
  ],
  [/\b(is|are) not kept any more\b/i, "no longer retained", ["which are not", "kept any more"].join(" ")],
  [/\bfor ever\b/i, "permanently, forever", ["marked for", "ever"].join(" ")],
  [
    /\b(goes|going|went|gone) round (a|an|the|it|them)\b/i,
    "skip",
    ["the close goes", "round a row"].join(" ")
  ],
  [/\b(tries|tried|trying) (it |them )?again\b/i, "retry", ["a delivery is tried", "again"].join(" ")],
  [/\b(lets|letting|let) go of\b/i, "release", ["it lets", "go of the lock"].join(" ")],
  [/\bpress(es)? (from|away)\b/i, "clicks", ["at most three presses", "from home"].join(" ")],
  [/\bin silence\b/i, "silently", ["it drops nothing in", "silence"].join(" ")],
  [/\bthe other way round\b/i, "vice versa", ["and the other", "way round"].join(" ")],
  [/\bha(s|ve|d) (it|them) made\b/i, "it is generated when", ["the first reader has", "them made"].join(" ")],
  [/\bforger would\b/i, "an attacker would", ["a forger", "would send his own"].join(" ")],
  [
    /\bkey that you have from elsewhere\b/i,
    "obtained independently",
    ["a key that you", "have from elsewhere"].join(" ")
  ],
  [
    /\bknows? no conditional\b/i,
    "does not support",
    ["a store that knows", "no conditional writes"].join(" ")
  ],
  [/\bwrit(es|ten) anew\b/i, "rewritten", ["tables are written", "anew"].join(" ")],
  [
    /\b(besides|beside) answering\b/i,
    "in addition to serving requests",
    ["what it does besides", "answering"].join(" ")
  ],
  [/\bcan not\b/i, "cannot", ["It can", "not be read."].join(" ")],
  [
    /(?<!there )\bis no [\w-]+ (of|in)\b/i,
    "is not a ... of",
    ["GOLD is", "no tier of this service"].join(" ")
  ],
  [/\bexact in case\b/i, "case-sensitive", ["a symbol, exact", "in case"].join(" ")],
  [/\bone is such as\b/i, "expected e.g. ...", ["no origin; one is", "such as https://a.b"].join(" ")],
  [
    /\bcom?e to (its|an) end\b|\bcame to (its|an) end\b/i,
    "did not finish, failed",
    ["did not come", "to its end"].join(" ")
  ],
  [
    /\bstands? beside\b|\bcan be had\b/i,
    "is next to, is available",
    ["It can be", "had for free."].join(" ")
  ],
  [
    /\bstored (files?|clients?|answers?|cop(y|ies)) (of|that|code|\d)/i,
    "a repository at a commit; readers cannot open a private index",
    ["two stored", "clients of the page"].join(" ")
  ],
  [/\bmend(s|ed)?\b/i, "fix", ["now me", "nd index.ts"].join("")],
  [
    /\b(spec|design|issue|finding|style)( guide)?,? (section )?#?\d+(\.\d+)*\b/i,
    "the reason itself; readers do not have that document",
    ["as spec", "4.2 says"].join(" ")
  ]
]

/** Everything that people read: fixtures hold the words of upstreams. */
const covered = [
  "*.md",
  "{core,http,mcp,plugins,runtime,test}/**/*.{ts,md}",
  "core/catalog/networks/**/*.json"
]

/** Lines of a text with such a phrase. A phrase may be broken over two lines of a comment. */
const faults = (text: string): ReadonlyArray<string> => {
  const flat = text.replace(/\n\s*(\*|\/\/)?[ \t]*/g, " ")
  return phrases.flatMap(([form, instead]) =>
    [...flat.matchAll(new RegExp(form, "gi"))].map(
      ({ 0: phrase, index }) =>
        `"${phrase}" (write: ${instead}) in: ${flat.slice(Math.max(0, index - 30), index + phrase.length + 30)}`
    )
  )
}

describe("the words", () => {
  it.each(phrases)("of %s are found", (_, __, example) => {
    assert.strictEqual(faults(example).length, 1)
    assert.strictEqual(faults(` * ${example.replace(" ", "\n * ")}`).length, example.includes(" ") ? 1 : 0)
  })

  it("of plain English are let through", () => {
    const plain =
      "It cannot be read, an issue on GitHub; 3 findings; there is no value of today; recommended; amended; RFC 9421."
    assert.deepStrictEqual(faults(plain), [])
  })

  it("of the texts are plain English", async () => {
    const messages: Array<string> = []
    for await (const path of glob([...covered], { cwd: top })) {
      if (!isOwnSource(path)) continue
      messages.push(...faults(readFileSync(join(top, path), "utf8")).map((fault) => `${path}: ${fault}`))
    }
    assert.deepStrictEqual(messages, [])
  })
})
