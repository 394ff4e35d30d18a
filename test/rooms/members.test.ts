/** A member whose name begins with `_` is private to who wrote it, and changes without notice: no source uses one. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname

/** Reads and writes by a dot, by a literal name, and overrides; `_tag` and its like are how Effect names public members. */
const uses = /(\.|\[["'`]|\boverride\s+(async\s+)?)_(?!(tag|id|op|meta)\b)[a-z]\w*/g

const privateMembersIn = (text: string): ReadonlyArray<string> => [...text.matchAll(uses)].map(([use]) => use)

describe("private members of dependencies", () => {
  it.each([
    ["server.", "_requestHandlers"],
    ["server?.", "_transport.send(message)"],
    ['server["', '_transport"]'],
    ["override ", "_wrapHandler() {}"],
    ["override async ", "_onerror() {}"]
  ])("are recognized: %s%s", (before, name) => {
    assert.lengthOf(privateMembersIn(before + name), 1)
  })

  it.each(["error._tag", "const _ = 1", "({ _unused }) => 1", "a.b_c", "1_000._tag"])(
    "%s is none",
    (text) => {
      assert.deepStrictEqual(privateMembersIn(text), [])
    }
  )

  it("are used nowhere", async () => {
    const messages: Array<string> = []
    for await (const path of glob("{core,http,mcp,plugins,runtime,test}/**/*.{ts,tsx,js,mjs}", {
      cwd: top
    })) {
      if (!isOwnSource(path)) continue
      const text = readFileSync(join(top, path), "utf8")
      messages.push(...privateMembersIn(text).map((use) => `${path}: ${use}`))
    }
    assert.deepStrictEqual(messages, [])
  })
})
