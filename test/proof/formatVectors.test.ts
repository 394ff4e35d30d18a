/** The vectors of the formats, which another program made: this verifier gives each its verdict, the check that finds it, and its reason. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { missing, pathOf } from "../support/programs.ts"
import { formats, vectorsOf, verdictOf } from "../support/vectors.ts"

describe.each(formats.map((format) => [format] as const))("the vectors of the format %s", (format) => {
  it.each(vectorsOf(format).map((vector) => [vector.name, vector] as const))("%s", async (_, vector) => {
    const { checks, open, verdict } = await verdictOf(format, vector)
    const says = open
      .map(({ detail, name, ok, reason }) => `${name}: ${ok} (${reason}): ${detail}`)
      .join("\n")
    assert.strictEqual(verdict, vector.verdict, says)
    const statedAs = (ok: string | boolean): ReadonlyArray<string> =>
      checks.filter((one) => one.ok === ok).map(({ name, reason }) => `${name}: ${reason}`)
    for (const { check, reason } of vector.not_checked ?? [])
      assert.include(statedAs("not checked"), `${check}: ${reason}`)
    if (vector.check !== undefined)
      assert.include(
        statedAs(verdict === "does not hold" ? false : "not proved"),
        `${vector.check}: ${vector.reason}`,
        says
      )
  })
})

const filesIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\/(making|__pycache__)/.test(`${entry.parentPath}/`))
      .map(({ name, parentPath }) => join(parentPath, name))
      .filter((path) => !/(make\.py|README\.md)$/.test(path))
      .map((path) => [path.slice(folder.length), readFileSync(path, "base64")])
  )

describe.skipIf(missing("python"))("the program that made the vectors", () => {
  const folder = mkdtempSync(join(tmpdir(), "vectors-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("makes them again, byte for byte", () => {
    const home = fileURLToPath(new URL("../../fixtures/vectors", import.meta.url))
    execFileSync(pathOf("python"), [join(home, "make.py")], {
      cwd: folder,
      env: { PYTHONDONTWRITEBYTECODE: "1" }
    })
    const [again, here] = [filesIn(folder), filesIn(home)]
    assert.deepStrictEqual([...again.keys()].sort(), [...here.keys()].sort())
    assert.deepStrictEqual(
      [...here].filter(([name, bytes]) => again.get(name) !== bytes).map(([name]) => name),
      []
    )
  })

  it("makes at least 400 that must be refused", () => {
    const refused = formats.flatMap(vectorsOf).filter(({ verdict }) => verdict !== "holds")
    assert.isAtLeast(refused.length, 400)
  })
})
