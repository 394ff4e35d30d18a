/** The chain of the signal ledger: what was changed, moved or cut off is found, wherever it is. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { canonical } from "../../core/proof/canonical.ts"
import { allHold } from "../../core/proof/check.ts"
import {
  genesis,
  type HashedSignal,
  readSignal,
  type Signal,
  signalHash,
  signalText
} from "../../core/proof/signal.ts"
import { signalPages, verifySignals } from "../../core/proof/verifySignals.ts"

const time = "2026-09-05T08:00:00Z"
const event = (at: number): Omit<Signal, "n" | "prev_hash"> => ({
  v: "service-signal-v1",
  kind: "supply_move",
  symbol: "FIL",
  metric: "nodes_online",
  source: "test_feed",
  before_value: 100,
  after_value: 110 + at,
  unit: "count",
  bound: 5,
  bound_unit: "pct",
  as_of: time,
  verify_url: "https://stats.example.net/v1/nodes",
  recorded_at: time
})

/** A ledger of `length` rows, oldest first. */
const chain = (length: number): ReadonlyArray<HashedSignal> => {
  const rows: Array<HashedSignal> = []
  for (let at = 0; at < length; at++) {
    const row = { ...event(at), n: at + 1, prev_hash: rows.at(-1)?.hash ?? genesis }
    rows.push({ ...row, hash: signalHash(signalText(row)) })
  }
  return rows
}

/** The answer that shows the newest `limit` rows older than `cursor`. */
const answer = (rows: ReadonlyArray<HashedSignal>, limit = 500, cursor?: number) => {
  const head = rows.at(-1)
  const signals = rows
    .filter(({ n }) => n < (cursor ?? Number.POSITIVE_INFINITY))
    .toReversed()
    .slice(0, limit)
  const last = signals.at(-1)?.n ?? 1
  return {
    head: head === undefined ? null : { n: head.n, hash: head.hash },
    ...(cursor === undefined ? {} : { cursor: String(cursor) }),
    signals: signals as ReadonlyArray<unknown>,
    ...(last > 1 ? { next_cursor: String(last) } : {})
  }
}
const holds = (document: unknown, heads: ReadonlyArray<string> = []) =>
  allHold(verifySignals(signalPages(document), heads))
const failures = (document: unknown) =>
  verifySignals(signalPages(document)).flatMap(({ detail, ok }) => (ok === false ? [detail] : []))

describe("the chain of signals", () => {
  it("holds whole, in either direction, in pages, bought and as a bare list", () => {
    const rows = chain(7)
    assert.deepStrictEqual(
      verifySignals(signalPages(answer(rows))).map(({ name, ok }) => [name, ok]),
      [
        ["hashes", true],
        ["links", true],
        ["beginning", true],
        ["end", true]
      ]
    )
    assert.isTrue(holds({ product_key: "signal_ledger", data: answer(rows) }))
    assert.isTrue(holds(answer(rows, 3)))
    assert.isTrue(holds(answer(rows, 3, 5)))
    assert.isTrue(holds(rows))
    assert.isTrue(holds(rows.toReversed()))
    assert.isTrue(holds({ head: null, signals: [] }))
  })

  it("says what it could not look at", () => {
    const rows = chain(7)
    const open = (document: unknown) =>
      verifySignals(signalPages(document)).flatMap(({ name, ok }) => (ok === "not checked" ? [name] : []))
    assert.deepStrictEqual(open(answer(rows)), [])
    assert.deepStrictEqual(open(answer(rows, 3)), ["beginning"])
    assert.deepStrictEqual(open(rows), ["end"])
    assert.deepStrictEqual(open(rows.slice(2)), ["beginning", "end"])
  })

  it("reads a row without values, which the row after it vouches for, and says that it was not computed", () => {
    const rows = chain(5).map(({ after_value: _, before_value: _before, ...row }) =>
      row.n === 3 ? { ...row, withheld: "rights" } : (chain(5)[row.n - 1] ?? row)
    )
    const checks = verifySignals(signalPages({ ...answer(chain(5)), signals: rows }))
    assert.deepStrictEqual(
      checks.map(({ name, ok }) => [name, ok]),
      [
        ["hashes", true],
        ["links", true],
        ["withheld rows", "not checked"],
        ["beginning", true],
        ["end", true]
      ]
    )
    const exchanged = rows.map((row) => (row.n === 3 ? { ...row, hash: "0".repeat(64) } : row))
    assert.match(failures(exchanged)[0] ?? "", /^row 4: prev_hash is not the hash of row 3/)
  })

  it("names the first row that is broken", () => {
    const rows = chain(5).map((row) => (row.n === 3 ? { ...row, after_value: 1 } : row))
    assert.match(failures({ ...answer(chain(5)), signals: rows })[0] ?? "", /^row 3: the content hashes to /)
    const forged = chain(5).map((row) => {
      if (row.n !== 3) return row
      const { hash: _, ...rest } = { ...row, after_value: 1 }
      return { ...rest, hash: signalHash(signalText(rest)) }
    })
    assert.match(failures(forged)[0] ?? "", /^row 4: prev_hash is not the hash of row 3/)
  })

  it("finds a ledger that was made anew by the hash of a row that was kept", () => {
    const rows = chain(5)
    const rowHash = rows[2]?.hash ?? ""
    const anew: Array<HashedSignal> = []
    for (const { hash: _, ...row } of rows) {
      const next = {
        ...row,
        after_value: row.n === 2 ? 0 : (row.after_value ?? 0),
        prev_hash: anew.at(-1)?.hash ?? genesis
      }
      anew.push({ ...next, hash: signalHash(signalText(next)) })
    }
    assert.isTrue(holds(answer(anew)))
    assert.isFalse(holds(answer(anew), [rowHash]))
    assert.isTrue(holds(answer(rows), [rowHash]))
  })

  it("refuses demo rows among live ones, and a tag that lies", () => {
    const [first] = chain(1)
    const demo = {
      ...event(1),
      v: "service-signal-v1-demo",
      n: 2,
      prev_hash: first?.hash ?? "",
      simulated: true
    } as const
    const mixed = [first, { ...demo, hash: signalHash(signalText(demo)) }]
    assert.match(failures(mixed)[0] ?? "", /live and demo rows/)
    assert.throws(() => signalText({ ...demo, v: "service-signal-v1" }), /contradict/)
  })

  const members = Object.keys(chain(1)[0] ?? {})
  const other = fc.oneof(
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.constant(null),
    fc.boolean(),
    fc.stringMatching(/^[0-9a-f]{64}$/)
  )

  it("any member of any row that is changed, added or left out is found", () => {
    const rows = chain(6)
    fc.assert(
      fc.property(
        fc.nat(rows.length - 1),
        fc.oneof(fc.constantFrom(...members, "note", "simulated"), fc.string()),
        fc.option(other, { nil: undefined }),
        (at, member, value) => {
          const row: Record<string, unknown> = { ...rows[at] }
          const before = Object.hasOwn(row, member) ? canonical(row[member]) : undefined
          if (value === undefined) delete row[member]
          else
            Object.defineProperty(row, member, {
              value,
              enumerable: true,
              configurable: true,
              writable: true
            })
          const after = JSON.stringify(Object.hasOwn(row, member) ? row[member] : undefined)
          fc.pre(before !== after && JSON.stringify(row) !== JSON.stringify(rows[at]))
          const served: ReadonlyArray<unknown> = JSON.parse(
            JSON.stringify(rows.map((one, n) => (n === at ? row : one)))
          )
          assert.isFalse(holds({ ...answer(rows), signals: served }))
        }
      ),
      { numRuns: 500 }
    )
  })

  it("rows that were moved, left out, doubled or put in are found, at the ends too", () => {
    const rows = chain(8)
    const whole = answer(rows)
    fc.assert(
      fc.property(fc.array(fc.nat(rows.length - 1), { maxLength: 12 }), (order) => {
        const served = order.map((at) => rows[at])
        const same = [rows, rows.toReversed()].some(
          (one) => one.length === served.length && one.every((row, at) => row === served[at])
        )
        fc.pre(!same)
        assert.isFalse(holds({ ...whole, signals: served }))
      }),
      { numRuns: 500 }
    )
    for (let cut = 1; cut < rows.length; cut++) {
      assert.match(failures({ ...whole, signals: whole.signals.slice(cut) })[0] ?? "", /rows are missing/)
      assert.match(
        failures({ ...whole, signals: whole.signals.slice(0, -cut) })[0] ?? "",
        /but should start at/
      )
    }
    assert.isFalse(holds({ ...whole, signals: [] }))
  })

  it("a document that is none, or a row that is none, is refused in words", () => {
    for (const document of [
      null,
      1,
      "x",
      {},
      { signals: [] },
      { signals: {}, head: null },
      { signals: [], head: { n: 0 } }
    ]) {
      assert.throws(() => signalPages(document), /signals|head/)
    }
    for (const row of [null, [], 7, {}, { n: 1 }]) assert.isFalse(holds([row]))
    assert.throws(() => readSignal({ ...chain(1)[0], hash: "AB" }), /`hash` must be/)
  })
})
