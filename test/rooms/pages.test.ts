/** Pages name files that exist: whoever follows a page finds what it speaks of. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { top } from "../support/reach.ts"

const tracked = execFileSync("git", ["ls-files"], { cwd: top, encoding: "utf8", maxBuffer: 2 ** 26 })
  .split("\n")
  .filter((path) => existsSync(join(top, path)))

/** What a page of before said stays as it was. */
const pages = tracked.filter((path) => path.endsWith(".md") && path !== "CHANGELOG.md")

const withFolders = new Set(
  tracked.flatMap((path) => path.split("/").map((_, n, parts) => parts.slice(n).join("/")))
)

/** What a reader makes himself, or what lies elsewhere. */
const others: ReadonlyArray<RegExp> = [
  /[<>*{}$…]/,
  /acme/,
  /^https?:/,
  /^mailto:/,
  /^\//,
  /^~/,
  /^node_modules/,
  /^\.\w/,
  /vN/
]

/** A name in code that says what the file is written in; data has a folder, or it may be a reader's own. */
const codeNames = /`([\w.@/-]+\.(?:ts|mjs|css|md|grit|sql|yml)|[\w.@/-]+\/[\w.-]+\.(?:json|py|sh|txt))`/g

const isThere = (page: string, name: string): boolean =>
  existsSync(join(top, dirname(page), name)) || existsSync(join(top, name)) || withFolders.has(name)

/** Where a link of a page leads in the repository, and what it names in code. */
const namesIn = (text: string): ReadonlyArray<string> =>
  [
    ...[...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path),
    ...[...text.matchAll(codeNames)].map(([, name = ""]) => name)
  ].filter((name) => !others.some((other) => other.test(name)))

/** What a collector's page names in code is of the upstream's repository. */
const namesOf = (page: string, text: string): ReadonlyArray<string> =>
  namesIn(page.startsWith("plugins/") ? text.replaceAll(/`[^`]*`/g, "") : text)

const missingIn = (page: string, text: string): ReadonlyArray<string> =>
  [...new Set(namesOf(page, text))].filter((name) => !isThere(page, name)).map((name) => `${page}: ${name}`)

/** The name that a link gives a heading. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-")

const slugsOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...readFileSync(join(top, page), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => slugOf(text))
  )

/** Links to a chapter that its page does not have. */
const lostIn = (page: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\((?!\w+:)([^)\s#]*)#([^)\s]+)\)/g)]
    .filter(([, path = "", slug = ""]) => {
      const target = path === "" ? page : join(dirname(page), path)
      return target.endsWith(".md") && existsSync(join(top, target)) && !slugsOf(target).has(slug)
    })
    .map(([, path, slug]) => `${page}: ${path}#${slug}`)

describe("a page", () => {
  it("names no file that is gone", () => {
    assert.deepStrictEqual(
      pages.flatMap((page) => missingIn(page, readFileSync(join(top, page), "utf8"))),
      []
    )
  })

  it("leads to chapters that are there", () => {
    assert.deepStrictEqual(
      pages.flatMap((page) => lostIn(page, readFileSync(join(top, page), "utf8"))),
      []
    )
    assert.deepStrictEqual(
      lostIn("core/README.md", "[a](proof/README.md#nowhere), [b](#words-of-the-code)"),
      ["core/README.md: proof/README.md#nowhere"]
    )
  })

  it("is found out by a link and by a name", () => {
    const text =
      "[one](none.md#part) and `core/readings/None.ts`, [two](README.md), `differing.ts`, https://a.b/c.ts"
    assert.deepStrictEqual(missingIn("core/README.md", text), [
      "core/README.md: none.md",
      "core/README.md: core/readings/None.ts"
    ])
  })
})
