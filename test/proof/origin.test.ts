/** The origin of a day, as somebody hostile would write it: it is refused by a rule, and nothing else happens. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import { leafHash } from "../../core/proof/merkle.ts"
import { BatchRows, demandOrigin, type Origin, originText, parseOrigins } from "../../core/proof/origin.ts"
import { type RanLeaf, rowsRoot, rowText } from "../../core/proof/runLeaf.ts"
import { rowLeaf } from "../support/publication.ts"

const leaves = ["FIL", "SC", "STORJ"].map((symbol) => rowLeaf(symbol, "devices_total", "2026-09-04"))
const [first, second] = leaves
if (first === undefined || second === undefined) throw new Error("no leaves")
/** A row that became no leaf. */
const other = { ...first, value: first.value + 1 }
const hashOf = (row: typeof other) => toHex(leafHash(utf8(rowText(row))))
const rows = new BatchRows(leaves)

const run: RanLeaf = {
  v: "service-run-v1",
  run: "0199-1",
  plugin: "testnet",
  began: "2026-09-04T11:00:00Z",
  ended: "2026-09-04T11:00:02Z",
  now: "2026-09-04T11:00:00Z",
  outcome: "stored",
  code_hash: "a".repeat(64),
  targets_sha256: "b".repeat(64),
  settings_sha256: "c".repeat(64),
  rows_root: rowsRoot([first, other, second]),
  n_rows: 3,
  n_refused: 0,
  exchanges: []
}
const origin: Origin = { run: run.run, hour: "2026-09-04T11", index: 0, rows: [0, hashOf(other), 1] }
const line = originText([origin])

/** Reads a file to its end and holds each run of it to the one that the log has. */
const check = (text: string): void => {
  for (const one of parseOrigins(text)) demandOrigin(one, run, rows)
}
const of = (more: object) => `${JSON.stringify({ ...JSON.parse(line), ...more })}\n`

describe("the origin of a day", () => {
  it("holds as it was written", () => assert.doesNotThrow(() => check(line)))

  it.each([
    ["whose line does not end", line.slice(0, -1), /does not end/],
    ["with an empty line", `${line}\n`, /^line 1/],
    ["that names a run twice", line + line, /^line 1 is out of order, or there twice/],
    ["in another order", originText([{ ...origin, index: 1 }]) + line, /^line 1 is out of order/],
    ["that is not canonical", line.replace(",", ", "), /^line 0/],
    ["with members in another order", `${JSON.stringify({ ...origin, aaa: 1 })}\n`, /^line 0/],
    ["with a member twice", line.replace("{", '{"hour":"2026-09-04T11",'), /^line 0/],
    ["with a member too many", of({ zzz: 1 }), /^line 0/],
    ["without rows", of({ rows: [] }), /no leaf is of its rows/],
    ["of hashes alone", of({ rows: [hashOf(other)] }), /no leaf is of its rows/],
    ["of another run", of({ run: "0199-2" }), /is 0199-1, and not 0199-2/],
    ["with a foreign hash", of({ rows: [0, "f".repeat(64), 1] }), /do not hash to its root/],
    ["with a leaf named by its hash", of({ rows: [0, hashOf(other), hashOf(second)] }), /named by its hash/],
    ["with rows in another order", of({ rows: [1, hashOf(other), 0] }), /do not hash to its root/],
    ["with a place behind the batch", of({ rows: [0, hashOf(other), 3] }), /no such leaf/],
    ["with a place beyond all numbers", of({ rows: [0, hashOf(other), 9007199254740992] }), /^line 0/],
    ["with a place below 0", of({ rows: [-1, hashOf(other), 1] }), /^line 0/],
    ["with a hash in capitals", of({ rows: [0, hashOf(other).toUpperCase(), 1] }), /^line 0/],
    ["with a row too few", of({ rows: [0, hashOf(other)] }), /gave 3 rows, and 2 are named/],
    [
      "with a million rows too many",
      of({ rows: Array.from({ length: 1e6 }, () => 0) }),
      /gave 3 rows, and 1000000 are named/
    ],
    ["that is deep", `${"[".repeat(1e5)}\n`, /^line 0/],
    ["of another language", "<html></html>\n", /^line 0/]
  ])("%s is refused", (_, text, says) => {
    assert.throws(() => check(text), Malformed)
    assert.throws(() => check(text), says)
  })

  it("is refused, or says the same, and never crashes, whatever becomes of its bytes", () => {
    fc.assert(
      fc.property(fc.nat(line.length - 1), fc.nat(3), fc.string({ maxLength: 3 }), (at, cut, text) => {
        const changed = line.slice(0, at) + text + line.slice(at + cut)
        try {
          check(changed)
        } catch (error) {
          assert.instanceOf(error, Malformed)
          return
        }
        // Which run of the log it is held to is said by hour and index: here it is always the same one.
        for (const { rows, run } of parseOrigins(changed))
          assert.deepStrictEqual({ rows, run }, { rows: origin.rows, run: origin.run })
      }),
      { numRuns: 2000 }
    )
  })
})
