/** A refusal is declared once: its class, the words of its page and the hint that an agent gets. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { hints, problems } from "../../core/wire/problems/all.ts"
import { Api } from "../../http/api/Api.ts"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

describe("problems", () => {
  it("of the API are all declared in core/wire, where each has its page", () => {
    const types = [...JSON.stringify(OpenApi.fromApi(Api)).matchAll(/"\/problems\/([a-z-]+)"/g)]
    const declared = new Set(types.map(([, id]) => id ?? ""))
    assert.isAbove(declared.size, 20)
    assert.deepStrictEqual(
      [...declared].filter((id) => !problems.has(id)),
      []
    )
  })

  it("have words of their own", () => {
    assert.isAbove(problems.size, 30)
    for (const key of ["title", "meaning", "remedy"] as const) {
      assert.strictEqual(new Set([...problems.values()].map((entry) => entry[key])).size, problems.size, key)
    }
  })

  it("are what core fails with: no second class has the name of one", async () => {
    const named = new Set([...problems.keys()].map((id) => id.replaceAll("-", "")))
    // Beside the answer it carries the settlement, for a header.
    named.delete("settlementpending")
    const twice: Array<string> = []
    for await (const path of glob("{core,http,mcp}/**/*.ts", { cwd: top })) {
      if (!isOwnSource(path)) continue
      const source = readFileSync(join(top, path), "utf8")
      for (const [, name = ""] of source.matchAll(/class (\w+) extends (?!problem<)/g)) {
        if (named.has(name.toLowerCase())) twice.push(`${path}: ${name}`)
      }
    }
    assert.deepStrictEqual(twice, [])
  })

  it("tell the public edition nothing of accounts", () => {
    const plain = [...hints.values()].flatMap(({ hint }) => hint ?? [])
    assert.isAbove(plain.length, 2)
    for (const hint of plain) assert.notMatch(hint, /api_key|credits|balance|topup|purchase|tier/)
  })
})
