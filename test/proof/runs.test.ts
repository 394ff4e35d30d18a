/** The documents of runs and schedules, and the leaves of runs: one text each, and nothing that contradicts itself. */
import { sha256 } from "@noble/hashes/sha2.js"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { drawnNotary, notaryListHash } from "../../core/proof/lot.ts"
import { inclusionProof, leafHash, root, treeOf, verifyInclusion } from "../../core/proof/merkle.ts"
import {
  compareRunLeaves,
  type Lot,
  noRows,
  parseRunLeaf,
  parseRunLeaves,
  type RanLeaf,
  type Row,
  type RunLeaf,
  rowsRoot,
  rowText,
  runLeafText,
  type SkippedLeaf
} from "../../core/proof/runLeaf.ts"
import {
  checkRunsOf,
  countsOf,
  hourOf,
  isLateRuns,
  parseRuns,
  type Runs,
  runsSubject,
  runsText
} from "../../core/proof/runs.ts"
import { parseSchedule, type Schedule, scheduleSubject, scheduleText } from "../../core/proof/schedule.ts"

const refuses = (parse: (text: string) => unknown, changed: unknown, says = /./) =>
  assert.throws(() => parse(canonical(changed)), says)

const row: Row = {
  symbol: "FIL",
  metric: "nodes_online",
  source: "test_feed",
  as_of: "2026-09-05T12:00:00Z",
  value: 3107,
  unit: "count",
  verify_url: "https://stats.example.net/v1/nodes"
}

const ran: RanLeaf = {
  v: "service-run-v1",
  run: "0199-1",
  plugin: "testnet",
  due: "2026-09-05T12:00:00Z",
  began: "2026-09-05T12:00:00.004Z",
  ended: "2026-09-05T12:00:02Z",
  now: "2026-09-05T12:00:00.004Z",
  outcome: "stored",
  code_hash: "a".repeat(64),
  targets_sha256: "b".repeat(64),
  settings_sha256: "c".repeat(64),
  rows_root: rowsRoot([row]),
  n_rows: 1,
  n_refused: 0,
  exchanges: [
    {
      method: "GET",
      url: "https://stats.example.net/v1/nodes",
      at: "2026-09-05T12:00:01Z",
      status: 200,
      sha256: "d".repeat(64),
      notes: []
    }
  ]
}

const failed: RanLeaf = { ...ran, run: "0199-2", outcome: "failed", rows_root: noRows, n_rows: 0 }

const skipped: SkippedLeaf = {
  v: "service-run-v1",
  plugin: "testnet",
  due: "2026-09-05T11:45:00Z",
  until: "2026-09-05T12:00:00Z",
  outcome: "skipped",
  cause: "the run before it took too long"
}

const documentOf = (leaves: ReadonlyArray<RunLeaf>, more: Partial<Runs> = {}): Runs => ({
  v: "service-runs-v1",
  n: 1,
  hour: "2026-09-05T12",
  late: false,
  root: toHex(root(treeOf(leaves.map((leaf) => utf8(runLeafText(leaf)))))),
  tree_size: leaves.length,
  notaries: [],
  ...countsOf(leaves),
  ...more
})

describe("the leaf of a run", () => {
  it("is read back, whether it took place or not", () => {
    for (const leaf of [ran, failed, skipped]) assert.deepStrictEqual(parseRunLeaf(runLeafText(leaf)), leaf)
    assert.deepStrictEqual(parseRunLeaves(`${runLeafText(ran)}\n${runLeafText(skipped)}\n`), [ran, skipped])
    assert.throws(() => parseRunLeaves(runLeafText(ran)), /does not end/)
    assert.throws(() => parseRunLeaves(`${runLeafText(ran)}\n{}\n`), /^run 1: /)
  })

  it("is refused where it contradicts itself, or in any other shape", () => {
    const [exchange] = ran.exchanges
    const { url: _, ...without } = exchange ?? { url: "" }
    for (const [bad, says] of [
      [{ ...ran, v: "service-run-v1-demo" }, /contradict/],
      [{ ...ran, ended: "2026-09-05T11:59:00Z" }, /before it began/],
      [{ ...ran, rows_root: noRows }, /root of nothing/],
      [{ ...failed, outcome: "stored" }, /stored none/],
      [{ ...ran, outcome: "failed" }, /has no rows/],
      [{ ...failed, outcome: "refused" }, /nothing was refused/],
      [{ ...ran, outcome: "lost" }, /outcome/],
      [{ ...ran, cause: "none" }, /unknown member/],
      [{ ...ran, exchanges: [without] }, /either `url` or `url_sha256`/],
      [{ ...ran, exchanges: [{ ...exchange, url_sha256: "e".repeat(64) }] }, /either `url` or `url_sha256`/],
      [{ ...ran, exchanges: [{ ...exchange, url: "u".repeat(501) }] }, /500 characters/],
      [{ ...skipped, until: skipped.due }, /cannot be skipped/],
      [{ ...skipped, run: "0199-3" }, /unknown member/],
      [{ ...skipped, cause: "" }, /cause/],
      [{ ...skipped, late: true }, /unknown member/]
    ] as const)
      refuses(parseRunLeaf, bad, says)
  })

  it("commits to each of its rows, which has a path, by the lines of the derivation", () => {
    const rows = Array.from({ length: 7 }, (_, n): Row => ({ ...row, value: n, value_text: `${n}.0` }))
    const tree = treeOf(rows.map((one) => utf8(rowText(one))))
    assert.isTrue(
      verifyInclusion({
        leaf: leafHash(utf8(rowText({ ...row, value: 4, value_text: "4.0" }))),
        index: 4,
        size: 7,
        path: inclusionProof(tree, 4),
        root: fromHex(rowsRoot(rows), 32)
      })
    )
    assert.strictEqual(
      rowText(row),
      '["FIL","nodes_online","test_feed","2026-09-05T12:00:00Z",3107,null,"count","https://stats.example.net/v1/nodes"]'
    )
    assert.strictEqual(rowsRoot([]), toHex(sha256(new Uint8Array())))
  })

  it("has one place among others, whatever their order was", () => {
    const leaves = [ran, failed, skipped, { ...skipped, due: "2026-09-05T11:30:00Z" }]
    fc.assert(
      fc.property(fc.shuffledSubarray(leaves, { minLength: 4 }), (shuffled) => {
        assert.deepStrictEqual(
          shuffled.toSorted(compareRunLeaves).map((leaf) => leaf.due),
          [ran.due, failed.due, "2026-09-05T11:30:00Z", skipped.due]
        )
      })
    )
  })
})

describe("the document of an hour's runs", () => {
  const late: RanLeaf = {
    ...ran,
    run: "0198-9",
    late: true,
    began: "2026-09-05T10:00:00Z",
    ended: "2026-09-05T10:00:01Z"
  }
  const leaves: ReadonlyArray<RunLeaf> = [late, ran, failed, skipped]
  const document = documentOf(leaves)

  it("is read back, counts its leaves, and its subject is the hour", () => {
    assert.deepStrictEqual(parseRuns(runsText(document)), document)
    assert.strictEqual(runsSubject(document), "2026-09-05T12")
    assert.include(document, { n_late: 1, n_skipped: 1, n_exchanges: 3, n_notarised: 0, tree_size: 4 })
    checkRunsOf(document, leaves)
    assert.strictEqual(hourOf("2026-09-05T12:59:59.999Z"), "2026-09-05T12")
  })

  it("is late from eleven minutes after the hour on", () => {
    assert.isFalse(isLateRuns("2026-09-05T12", Date.UTC(2026, 8, 5, 13, 10)))
    assert.isTrue(isLateRuns("2026-09-05T12", Date.UTC(2026, 8, 5, 13, 10, 0, 1)))
  })

  it("is refused in any other shape", () => {
    for (const bad of [
      { ...document, hour: "2026-09-05T24" },
      { ...document, hour: "2026-02-30T12" },
      { ...document, hour: "2026-09-05T12:00:00Z" },
      { ...document, tree_size: 0 },
      { ...document, n_late: 5 },
      { ...document, n_notarised: 4 },
      { ...document, notaries: ["b", "a"] },
      { ...document, notaries: ["a", "a"] },
      { ...document, simulated: true }
    ])
      refuses(parseRuns, bad)
  })

  it("is not of other leaves, in another order, or of another hour", () => {
    const wrong = (others: ReadonlyArray<RunLeaf>, says: RegExp, of = document) =>
      assert.throws(() => checkRunsOf(of, others), says)
    const [first, second, ...rest] = leaves
    assert.isDefined(first)
    assert.isDefined(second)
    if (first === undefined || second === undefined) return
    wrong([second, first, ...rest], /out of order/)
    wrong([first, first, second, ...rest], /out of order, or there twice/)
    wrong([first, second], /has 2 runs/)
    wrong([first, { ...ran, n_refused: 1 }, ...rest], /do not hash/)
    wrong([first, { ...ran, exchanges: [] }, ...rest], /n_exchanges/)
    wrong([{ ...late, ended: "2026-09-05T13:00:00Z" }, second, ...rest], /ended after the hour/)
    const { late: _, ...punctual } = late
    wrong([punctual, second, ...rest], /exactly if it ended before/)
    wrong([first, { ...ran, late: true }, ...rest], /exactly if it ended before/)
    wrong([first, second, failed, { ...skipped, until: "2026-09-05T12:00:01Z" }], /cannot have been skipped/)
    wrong([first, { ...ran, v: "service-run-v1-demo", simulated: true }, ...rest], /simulated/)
  })
})

describe("the notary of a run", () => {
  const notaries = ["n1", "n2", "n3"]
  const head = "a".repeat(64)
  const drawn = drawnNotary(notaries, head, { id: ran.run, plugin: ran.plugin, due: ran.due ?? "" }) ?? ""
  const carried = (lot: Partial<Lot> = {}): RanLeaf => ({
    ...ran,
    lot: { head, notary: drawn, from: notaryListHash(notaries), ...lot }
  })
  const check = (leaf: RanLeaf, more: Partial<Runs> = { drawn_from: [notaries] }) =>
    checkRunsOf(documentOf([leaf], more), [leaf])

  it("is the one that the lot fell on, by what the log has of the run", () => {
    check(carried())
    for (const notary of notaries.filter((one) => one !== drawn))
      assert.throws(() => check(carried({ notary })), /used the notary n\d, but the lot fell on n\d/)
    assert.throws(() => check(carried({ notary: "n4" })), /used the notary n4/)
    // Another head, another time: another lot, for some of them.
    const heads = Array.from({ length: 12 }, (_, n) => n.toString(16).repeat(64).slice(0, 64))
    assert.isTrue(
      heads.some((other) => {
        try {
          check(carried({ head: other }))
          return false
        } catch (error) {
          return error instanceof Malformed
        }
      })
    )
  })

  it("is drawn from what the hour lists, and of an earlier version nobody knows from what", () => {
    for (const more of [{}, { drawn_from: [["n1", "n2"]] }, { drawn_from: [[drawn]] }])
      assert.throws(() => check(carried(), more), /does not list the notaries/)
    const { from: _, ...lot } = carried().lot ?? { head, notary: drawn }
    check({ ...ran, lot }, {})
    for (const bad of [[], [[]], [["n2", "n1"]], [["n1", "n1"]]])
      refuses(parseRuns, { ...documentOf([ran]), drawn_from: bad })
  })
})

describe("the schedule of a day", () => {
  const document: Schedule = {
    v: "service-schedule-v1",
    n: 1,
    day: "2026-09-05",
    feeds: [
      { plugin: "akash", every: 3600, first: "2026-09-05T00:12:00.500Z" },
      { plugin: "filecoin", every: 86_400, first: "2026-09-05T07:00:00Z" }
    ]
  }

  it("is read back, and its subject is the day", () => {
    assert.deepStrictEqual(parseSchedule(scheduleText(document)), document)
    assert.strictEqual(scheduleSubject(document), "2026-09-05")
  })

  it("is refused in any other shape", () => {
    const [akash, filecoin] = document.feeds
    for (const bad of [
      { ...document, feeds: [filecoin, akash] },
      { ...document, feeds: [akash, akash] },
      { ...document, feeds: [{ ...akash, every: 0 }] },
      { ...document, feeds: [{ ...akash, first: "2026-09-06T00:00:00Z" }] },
      { ...document, simulated: true }
    ])
      refuses(parseSchedule, bad)
  })

  it("is refused with Malformed, as every document is", () => {
    assert.throws(() => parseSchedule("{}"), Malformed)
  })
})
