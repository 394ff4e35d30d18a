/** `verify sale` on a log of six days: what was sold is what the log has, and each forgery is named. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sha256 } from "@noble/hashes/sha2.js"
import { assert, describe, it } from "vitest"
import { compareBytes, fromHex, toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { inclusionProof, root, treeOf } from "../../core/proof/merkle.ts"
import { commitmentOf } from "../../core/proof/sales.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import { checkpointOf, keys, secret } from "../support/publication.ts"
import { at, dayOf, filesOf, type Loose, sales, story } from "./lies/story.ts"

const hashOf = (value: unknown): string => toHex(sha256(utf8(canonical(value))))

/** FIL power is 40 + n on day n, and 50 on the second since the upstream restated it. */
const history = (change: (values: Array<number>) => void = () => undefined) => {
  const values = [41, 50, 43, 44, 45, 46, 47]
  change(values)
  return {
    n_series: 1,
    n_points: 7,
    series: [
      {
        symbol: "FIL",
        metric: "power",
        source: "feed",
        dates: [1, 2, 3, 4, 5, 6, 7].map(dayOf),
        values
      }
    ]
  }
}

const value = (n: number, more: Loose = {}) => ({
  symbol: "AKT",
  inputs: [{ metric: "nodes_online", value: 40 + n, source: "feed", as_of: at(n, "11:00"), ...more }]
})

const salt = "ab".repeat(32)
const saleOf = (data: unknown, more: Loose = {}) => ({
  status: "purchased",
  purchase_id: "pur_1",
  product_key: "depin_history",
  payload_sha256: hashOf(data),
  commitment: { salt, sha256: commitmentOf(salt, hashOf(data)) },
  data,
  ...more
})

/** A log whose document of the fifth day commits to a sale, and the proof of that. */
const published = (commitment: string) => {
  const leaves = [
    fromHex(commitment, 32),
    ...Array.from({ length: 15 }, (_, n) => sha256(utf8(`other ${n}`)))
  ].toSorted(compareBytes)
  const tree = treeOf(leaves)
  const place = leaves.findIndex((leaf) => toHex(leaf) === commitment)
  const written = story()
  const [before = []] = written.closes.slice(4, 5).map((close) => close.before)
  const document = sales(at(6, "01:00"), dayOf(5), { root: toHex(root(tree)) })
  before.splice(-1, 1, document)
  const files = filesOf(written)
  const index = files.entries.findIndex((entry) => entry.includes(hashOf(JSON.parse(document.text))))
  const log = treeOf(files.entries.map(utf8))
  const proof = {
    v: "service-sale-proof-v1",
    commitment,
    tree: { index: place, size: 16, path: inclusionProof(tree, place).map(toHex) },
    document: document.text,
    entry: files.entries[index],
    log: {
      index,
      size: log.size,
      path: inclusionProof(log, index).map(toHex),
      checkpoint: checkpointOf(log)
    },
    anchor: { network: "bitcoin", status: "none" },
    keys
  }
  return { source: files.sourceOf(files.entries.length), proof }
}

const log = published(commitmentOf(salt, hashOf(history())))
const folder = mkdtempSync(join(tmpdir(), "verify-sale-"))

const verify = async (sale: unknown, { proof, source }: Partial<typeof log> = log) => {
  const file = join(folder, "sale.json")
  writeFileSync(file, JSON.stringify(sale))
  const lines: Array<string> = []
  const exit = await main(
    [
      "sale",
      file,
      "--url",
      "https://log.example",
      "--key",
      thumbprint(publicKeyOf(secret)),
      "--pins",
      "none"
    ],
    {
      print: (line) => lines.push(line),
      env: {},
      get: async (url) => {
        const path = new URL(url).pathname
        const isProof = path.startsWith("/v1/log/sales/")
        const body = isProof
          ? proof === undefined
            ? undefined
            : utf8(JSON.stringify(proof))
          : await (source ?? log.source).read(path)
        return { status: body === undefined ? 404 : 200, headers: {}, body: body ?? new Uint8Array() }
      }
    }
  )
  return { exit, text: lines.join("\n") }
}

describe("verify sale", () => {
  it("does not call a row wrong that leaves explain which are not there", async () => {
    const lacking = new RegExp(`batches/(${[3, 4, 5, 6].map(dayOf).join("|")})/leaves$`)
    const { read } = log.source
    const source = {
      ...log.source,
      read: async (path: string) => (lacking.test(path) ? undefined : read(path))
    }
    const { exit, text } = await verify(saleOf(history()), { source, proof: log.proof })
    assert.strictEqual(exit, 2, text)
    assert.match(text, /^not proved +leaves: the leaves of 5 rows are not there: .*2026-09-02 = 50/m)
  })

  it("holds for what the log has, and says what it could not compare", async () => {
    const { exit, text } = await verify(saleOf(history()))
    assert.match(text, /ok\s+rows: 6 of 7 rows are leaves of 6 closed days/)
    assert.match(text, /not checked\s+open days: 1 rows/)
    assert.match(text, /ok\s+commitment/)
    assert.match(text, /ok\s+sales of the day: the document of 2026-09-05 commits to this sale/)
    assert.strictEqual(exit, 0, text)
  })

  it("holds for the value before a restatement, and for a single row", async () => {
    const earlier = history((values) => values.splice(1, 1, 42))
    assert.match((await verify(saleOf(earlier))).text, /ok\s+rows: 6 of 7/)
    assert.match((await verify(saleOf([value(1), value(3)]))).text, /ok\s+rows: 2 of 2/)
    const morning = await verify(saleOf([value(1), value(3, { as_of: at(3, "06:00"), value: 7 })]))
    assert.match(morning.text, /ok\s+rows: 1 of 2/)
    assert.match(morning.text, /not checked\s+later readings: 1 rows/)
  })

  it("counts what it could not compare, and says why", async () => {
    const whole = value(1, { unit: "count", verify_url: "https://upstream.example/stats" })
    const [{ value: number, ...input } = assert.fail()] = value(3).inputs
    const { as_of, source, ...bare } = input
    const { exit, text } = await verify(
      saleOf([
        whole,
        { symbol: "AKT", inputs: [{ ...bare, value: 9999, as_of }] },
        { symbol: "AKT", inputs: [{ ...bare, value: 9999, source }] },
        { symbol: "AKT", inputs: [{ ...input, value: "9999" }] },
        { symbol: "AKT", inputs: [{ ...input, nodes: 9999 }] },
        { metric: "nodes_online", value: 9999, source, as_of },
        { symbol: "AKT", score: 77, rank: 1 },
        { symbol: "AKT", metric: "nodes_online", source, dates: [dayOf(1)], values: [] }
      ]),
      { source: log.source }
    )
    assert.strictEqual(number, 43)
    assert.match(text, /ok\s+rows: 1 of 1 rows/)
    const line = /not checked\s+no rows: (.*)/.exec(text)?.[1] ?? assert.fail(text)
    assert.deepStrictEqual(line.split(/: |; /).slice(0, 8), [
      "7 objects name a network or a metric and cannot be compared with a leaf",
      "/1/inputs/0 has no `source`",
      "/2/inputs/0 has no `as_of`",
      "/3/inputs/0 has no `value` that is a number",
      "/4/inputs/0 has no `value` that is a number",
      "/5 has no `symbol`",
      "/6 has no `metric`, and no figure in US dollars with its source and time",
      "/7 has no `dates` with as many `values`"
    ])
    assert.match(text, /not checked\s+derived figures: 6 numbers are in no row/)
    assert.strictEqual(exit, 2, text)
  })

  it.each([
    ["a row in another unit", value(3, { unit: "thousand" }), /AKT nodes_online of feed on 2026-09-03 = 43/],
    [
      "a row with the address of a stranger",
      value(3, { verify_url: "https://stranger.example/" }),
      /AKT nodes_online of feed on 2026-09-03 = 43/
    ],
    [
      "a history in another unit",
      { ...history(), series: [{ ...history().series[0], unit: "thousand" }] },
      /FIL power of feed on 2026-09-03 = 43/
    ],
    [
      "a row that was changed",
      history((values) => values.splice(2, 1, 9999)),
      /FIL power of feed on 2026-09-03 = 9999/
    ],
    [
      "a row of another day",
      value(4, { as_of: at(3, "11:00") }),
      /AKT nodes_online of feed on 2026-09-03 = 44/
    ],
    [
      "a reading that nobody knows",
      value(3, { as_of: at(3, "23:00") }),
      /AKT nodes_online of feed on 2026-09-03 = 43/
    ],
    ["a series that the log has not", value(3, { source: "other" }), /AKT nodes_online of other/],
    [
      "a row dropped from a list that says how long it is",
      { ...history((values) => values.pop()) },
      /whole list: .* 7 points, and has 1 and 6/
    ]
  ])("names %s", async (_, data, says) => {
    const { exit, text } = await verify(saleOf(data))
    assert.match(text, says)
    assert.strictEqual(exit, 1, text)
  })

  it("refuses other data, another salt, and the proof of another sale", async () => {
    const data = history()
    const other = await verify({ ...saleOf(data), data: history((values) => values.splice(0, 1, 42)) })
    assert.match(other.text, /FAILED\s+payload/)
    const salted = saleOf(data, {
      commitment: { salt: "cd".repeat(32), sha256: commitmentOf(salt, hashOf(data)) }
    })
    assert.match((await verify(salted)).text, /FAILED\s+commitment: the salt does not open/)
    const another = await verify(saleOf([value(1)]))
    assert.match(another.text, /FAILED\s+sales of the day: the proof is of another sale/)
    assert.deepStrictEqual([other.exit, another.exit], [1, 1])
  })

  it("does not prove a sale that the log does not commit to yet", async () => {
    const { exit, text } = await verify(saleOf(history()), { source: log.source })
    assert.match(text, /not proved\s+sales of the day/)
    assert.strictEqual(exit, 2, text)
  })

  it("finds leaves that are not those of the log", async () => {
    const source = {
      ...log.source,
      read: (path: string) =>
        log.source.read(path.endsWith(`${dayOf(3)}/leaves`) ? path.replace(dayOf(3), dayOf(4)) : path)
    }
    const { exit, text } = await verify(saleOf(history()), { ...log, source })
    assert.match(text, /FAILED\s+leaves/)
    assert.strictEqual(exit, 1, text)
  })
})
