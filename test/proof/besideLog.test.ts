/** What `--log` adds: whether a value was replaced, and whether the log ends its days with the events that a reader holds. */
import { sha256 } from "@noble/hashes/sha2.js"
import { assert, describe, it } from "vitest"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { eventsText } from "../../core/proof/eventsDocument.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { leafHashHex, type RowLeaf } from "../../core/proof/leaf.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import { absenceLeaf, type Batch, batches, batchOf, keys, secret } from "../support/publication.ts"
import { chain } from "./corpus/chain.ts"
import { base, bundle, file, logged, lying, run, serveLoopback } from "./loopback.ts"

serveLoopback()
const kid = thumbprint(publicKeyOf(secret))

const firstLeaf = batches[3]?.leaves[2] as RowLeaf
const next = (leaf: RowLeaf, more: Partial<RowLeaf>): RowLeaf => ({
  ...leaf,
  kind: "late",
  version: leaf.version + 1,
  follows: leafHashHex(utf8(canonical(leaf))),
  value: 43,
  ...more
})
const second = next(firstLeaf, { recorded_at: "2026-09-05T10:00:00Z" })
const third = next(second, { recorded_at: "2026-09-06T10:00:00Z" })

const published = (...later: ReadonlyArray<Batch>) => {
  const all = [...batches.slice(0, 4), ...later]
  const path = ({ entry }: Batch) => `/v1/log/batches/${entry.days[0]}/leaves`
  return {
    ...logged(all.map(({ entry }) => entry)),
    files: new Map(all.map((one) => [path(one), one.leaves.map((leaf) => `${canonical(leaf)}\n`).join("")]))
  }
}
const day = (n: number, ...rows: ReadonlyArray<RowLeaf>) =>
  batchOf(`2026-09-0${n}`, [...rows, absenceLeaf(`2026-09-0${n}`)])

describe("a bundle beside the log", () => {
  const verify = () =>
    run([
      "bundle",
      file("genuine", JSON.stringify(bundle)),
      "--log",
      `${base}/`,
      "--key",
      kid,
      "--network",
      "bitcoin-regtest-fixture"
    ])

  it("holds while no later batch has a newer version", async () => {
    const { exit, text } = await lying(published(day(5), day(6)), verify)
    assert.strictEqual(exit, 0, text)
    assert.match(text, /^ok +newest version: no batch up to 2026-09-06 has a newer version/m)
  })

  it("says which version superseded it, and leaves out what it cannot know", async () => {
    const { exit, text } = await lying(published(day(5, second), day(6, third)), verify)
    assert.strictEqual(exit, 2, text)
    assert.match(text, /^not proved +newest version: superseded by version 3, .* 2026-09-06/m)
    assert.match(text, /^ok +value: .* version 1 \(a newer one may exist\)/m)
  })

  it("fails if the log serves other leaves than it has, and is not proved by another log", async () => {
    const honest = published(day(5, second))
    const hidden = new Map([
      ...honest.files,
      ["/v1/log/batches/2026-09-05/leaves", `${canonical(firstLeaf)}\n`]
    ])
    const lied = await lying({ ...honest, files: hidden }, verify)
    assert.deepStrictEqual([lied.exit, /counts none of that kind/.test(lied.text)], [1, true], lied.text)
    const other = await lying(logged([day(1).entry]), verify)
    assert.deepStrictEqual([other.exit, /it is another log/.test(other.text)], [2, true], other.text)
  })
})

describe("events beside the log", () => {
  const document = eventsText(chain.logged)
  const sha = toHex(sha256(utf8(document)))
  const log = {
    ...logged([
      ...batches.slice(0, 4).map(({ entry }) => entry),
      {
        v: "service-entry-v2",
        kind: "events",
        sha256: sha,
        subject: chain.logged.day,
        recorded_at: "2026-09-05T08:00:00Z"
      }
    ]),
    files: new Map([[`/v1/log/documents/${sha}`, document]])
  }
  const verify = (text: string) => () =>
    run([
      "event",
      file("events", text),
      "--keys",
      file("keys", JSON.stringify(keys)),
      "--log",
      base,
      "--key",
      kid
    ])

  it("are those whose head the log has, or are refused", async () => {
    const good = await lying(log, verify(chain.honest))
    assert.strictEqual(good.exit, 0, good.text)
    assert.match(good.text, /^ok +events in log: .* 2 \(2026-09-04\)/m)
    const other = await lying(log, verify(chain.branch))
    assert.deepStrictEqual([other.exit, /another event 2/.test(other.text)], [1, true], other.text)
  })
})
