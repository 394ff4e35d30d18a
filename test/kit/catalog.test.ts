/** A new network has a file of its own, and main gathers them in order: no two branches meet in one line. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { linesOf } from "../../core/catalog/added.ts"
import { categoryFindings } from "../../runtime/contributor/check/catalog.ts"
import { addToCatalog, gather } from "../../runtime/contributor/kit/catalog.ts"

const line = (symbol: string) => `{"symbol": "${symbol}", "name": "${symbol}"}`
const folderOf = (...symbols: ReadonlyArray<string>) => {
  const folder = pathToFileURL(`${mkdtempSync(join(tmpdir(), "plumbline-catalog-"))}/`)
  writeFileSync(
    new URL("storage.json", folder),
    `[\n${symbols.map((symbol) => `  ${line(symbol)}`).join(",\n")}\n]\n`
  )
  return folder
}
const messages = (folder: URL) =>
  Effect.map(categoryFindings("storage", folder), (findings) => findings.map(({ says }) => says))

it.effect("two that were added apart stand in the order of symbols, before and after they are gathered", () =>
  Effect.gen(function* () {
    const folder = folderOf("AR", "ZCN")
    const gathered = [{ symbol: "AR" }, { symbol: "ZCN" }]
    assert.isTrue(yield* addToCatalog("storage", "SPON", line("SPON"), folder))
    assert.isTrue(yield* addToCatalog("storage", "$BIN", line("$BIN"), folder))
    assert.isFalse(yield* addToCatalog("storage", "SPON", line("SPON"), folder))
    const order = ["$BIN", "AR", "SPON", "ZCN"]
    assert.deepStrictEqual(
      linesOf("storage", gathered, folder).map(({ symbol }) => symbol),
      order
    )
    assert.deepStrictEqual(yield* messages(folder), [])
    assert.deepStrictEqual(yield* gather(folder), ["core/catalog/networks/storage.json"])
    assert.strictEqual(
      readFileSync(new URL("storage.json", folder), "utf8"),
      `[\n${order.map((symbol) => `  ${line(symbol)}`).join(",\n")}\n]\n`
    )
    assert.isFalse(existsSync(new URL("storage/", folder)))
    assert.deepStrictEqual(yield* messages(folder), [])
    assert.deepStrictEqual(yield* gather(folder), [])
  })
)

it.effect("one out of order, one that stands twice and one under another name are found", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* messages(folderOf("AR", "ZCN", "SPON")), [
      "core/catalog/networks/storage.json: SPON stands after ZCN"
    ])
    const folder = folderOf("AR", "ZCN")
    yield* addToCatalog("storage", "ZCN", line("ZCN"), folder)
    yield* addToCatalog("storage", "SPON", line("SPHERON"), folder)
    assert.deepStrictEqual(yield* messages(folder), [
      "core/catalog/networks/storage/SPON.json is not the file of its network",
      "ZCN is in core/catalog/networks/storage/ZCN.json and in core/catalog/networks/storage.json"
    ])
  })
)
