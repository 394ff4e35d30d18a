/** Reading the entries of a log whose head claims more of them than are served. */
import { assert, describe, it } from "vitest"
import { utf8 } from "../../core/proof/bytes.ts"
import { noEdge } from "../../core/proof/edge.ts"
import { logPath } from "../../core/proof/fetched.ts"
import { entriesPath, entryBundle, tileWidth } from "../../core/proof/tiles.ts"
import { readEntries } from "../../http/client/verifier/src/monitor/entries.ts"

/** A server that counts what it was asked for. */
const serving = (files: ReadonlyMap<string, Uint8Array>) => {
  const paths: Array<string> = []
  const source = {
    name: "made up",
    read: async (path: string) => {
      paths.push(path)
      return files.get(path)
    }
  }
  return { paths, source }
}

const head = (size: number) => ({ origin: "example.org/log", size, root: new Uint8Array(32) })

describe("a head of ten million million entries", () => {
  it("ends at the first bundle that is not served, with a finding", async () => {
    const { paths, source } = serving(new Map())
    const { edge, findings } = await readEntries(source, head(10_000_000_000_000), undefined, noEdge)
    assert.isUndefined(edge)
    assert.isBelow(paths.length, 10)
    assert.deepStrictEqual(
      findings.map(({ what, where }) => ({ what, where })),
      [{ what: "entries", where: `${logPath}/${entriesPath(0, tileWidth)}` }]
    )
  })

  it("ends after a hundred findings, where every bundle is served and no tile fits", async () => {
    const bundle = entryBundle(Array.from({ length: tileWidth }, (_, n) => utf8(String(n))))
    const paths: Array<string> = []
    const source = {
      name: "made up",
      read: async (path: string) => {
        paths.push(path)
        return path.includes("/entries/") ? bundle : undefined
      }
    }
    const { findings } = await readEntries(source, head(10_000_000_000_000), undefined, noEdge)
    assert.isAtLeast(findings.length, 100)
    assert.isBelow(findings.length, 300)
    assert.isBelow(paths.length, 1000)
  })
})
