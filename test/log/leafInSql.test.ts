/** What SQL says of a leaf and its row is what `core/proof/leaf.ts` writes, for every member and number: the two know nothing of each other. */
import { hash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import fc from "fast-check"
import { sha256 } from "../../core/log/leaves.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { leafTag, leafText, type RowLeaf } from "../../core/proof/leaf.ts"
import { leafHash } from "../../core/proof/merkle.ts"
import { leafSaysRow } from "../../core/readings/read/differing.ts"
import { onBothEngines } from "../support/database.ts"

const day = 86_400_000
const first = Date.UTC(2020, 0, 1)

/** Whole seconds are written without a fraction. */
const isoOf = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z")

const time = fc
  .tuple(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: day - 1 }), fc.boolean())
  .map(([days, ms, isWhole]) => first + days * day + (isWhole ? ms - (ms % 1000) : ms))

const sha = fc.integer().map((n) => hash("sha256", String(n)))

/** Names have no control characters, and all else. */
const name = fc
  .string({ unit: "binary", minLength: 1, maxLength: 20 })
  .filter((text) => !/[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/u.test(text))

/** Few digits and many zeros stand halfway between two doubles more often than others. */
const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc
    .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: -30, max: 30 }))
    .map(([digits, power]) => Number(`${digits}e${power}`)),
  fc.integer({ min: -2, max: 9 }).map((n) => 300_000_000_000_100_000 + n * 64),
  fc.constantFrom(0, -0, 1e-7, 1e-6, 1e-4, 1e15, 1e21, 5e-324, Number.MAX_VALUE, 2 ** 53)
)

/** Every member that a leaf may have: one that is added does not compile until it is drawn here. */
const drawn: { readonly [Member in keyof Required<RowLeaf>]: fc.Arbitrary<unknown> } = {
  v: fc.constant(leafTag),
  kind: fc.constant("late"),
  symbol: name,
  metric: name,
  source: name,
  unit: name,
  day: fc.constant(""),
  as_of: time,
  value,
  value_text: fc.option(fc.constantFrom("0", ".000", ".5")),
  n_observations: fc.integer({ min: 1, max: 100_000 }),
  readings_sha256: sha,
  verify_url: name,
  version: fc.integer({ min: 1, max: 12 }),
  follows: sha,
  excluded_by: fc.option(fc.integer({ min: 1, max: 2 ** 31 - 2 })),
  recorded_at: fc.integer({ min: 2 * day, max: 20 * day }),
  simulated: fc.option(fc.constant(true))
}

const leaves = fc.record(drawn).map((members) => {
  const { as_of, excluded_by, follows, recorded_at, simulated, value_text, version, ...others } =
    members as Record<keyof RowLeaf, never> & { as_of: number; recorded_at: number; value: number }
  const exact = value_text === null ? undefined : exactText(others.value, value_text)
  return {
    ...others,
    v: simulated === null ? leafTag : `${leafTag}-demo`,
    as_of: isoOf(as_of),
    day: isoOf(as_of).slice(0, 10),
    recorded_at: isoOf(as_of + recorded_at),
    version,
    ...(version === 1 ? {} : { follows }),
    ...(excluded_by === null ? {} : { excluded_by }),
    ...(simulated === null ? {} : { simulated: true }),
    ...(exact === undefined ? {} : { value_text: exact })
  } as RowLeaf
})

/** The number with more digits than a double has, where they round to it. */
const exactText = (number: number, more: string): string | undefined => {
  const text = String(number)
  const exact = /^-?\d+$/.test(text) ? `${text}${more === "0" ? "" : more}` : text
  return Number(exact) === number ? exact : undefined
}

/** What the table of days holds of a leaf. */
const rowOf = ({
  as_of,
  day,
  n_observations,
  readings_sha256,
  recorded_at,
  value,
  value_text,
  ...leaf
}: RowLeaf) => ({
  as_of,
  day,
  n_observations,
  readings_sha256,
  recorded_at,
  value,
  value_text: value_text ?? null,
  verify_url: leaf.verify_url,
  version: leaf.version
})
type Row = ReturnType<typeof rowOf>

/** What differs from a row in one member only. */
const changesOf = (row: Row): ReadonlyArray<Row> => {
  const another = { hash: hash("sha256", row.readings_sha256), text: `${row.verify_url}/` }
  const later = (iso: string) => isoOf(Date.parse(iso) + 1)
  return [
    { ...row, as_of: later(row.as_of) },
    { ...row, day: isoOf(Date.parse(row.day) + day).slice(0, 10) },
    { ...row, n_observations: row.n_observations + 1 },
    { ...row, readings_sha256: another.hash },
    { ...row, recorded_at: later(row.recorded_at) },
    { ...row, value: row.value === 0 ? 1 : row.value * (1 + 2 ** -51) === row.value ? 1 : row.value / 2 },
    { ...row, value_text: row.value_text === null ? "1" : `${row.value_text}0` },
    { ...row, verify_url: another.text },
    { ...row, version: row.version + 1 }
  ]
}

onBothEngines("a leaf in SQL", (database) => {
  layer(database)((it) => {
    /** Whether SQL says that each leaf says its row. */
    const verdicts = Effect.fnUntraced(function* (
      pairs: ReadonlyArray<{ readonly row: Row; readonly text: string; readonly hash: Uint8Array }>
    ) {
      const sql = yield* SqlClient.SqlClient
      const input = pairs.map(({ hash, row, text }, n) => ({
        n,
        ...row,
        value: Object.is(row.value, -0) ? "-0" : String(row.value),
        text,
        hash: Buffer.from(hash).toString("hex")
      }))
      const rows = yield* sql<{ holds: boolean }>`
        select ${sql.literal(leafSaysRow)} as holds
        from jsonb_to_recordset(${JSON.stringify(input)}::jsonb) as i(n int, as_of timestamptz, day date,
            n_observations int, readings_sha256 text, recorded_at timestamptz, value text, value_text text, verify_url text,
            version int, text text, hash text)
          cross join lateral (select i.as_of, i.day, i.n_observations, i.readings_sha256, i.recorded_at,
            i.value::float8 as value, i.value_text, i.verify_url, i.version) d
          cross join lateral (select i.text, decode(i.hash, 'hex') as hash) l
        order by i.n`
      return rows.map(({ holds }) => holds)
    })
    const written = (leaf: RowLeaf) => {
      const text = leafText(leaf)
      return { row: rowOf(leaf), text, hash: leafHash(utf8(text), sha256) }
    }

    it.effect("says its row, and no row that differs in a member", () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<SqlClient.SqlClient>()
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(leaves, { minLength: 1, maxLength: 40 }), async (some) => {
              const pairs = some.map(written)
              const holds = await Effect.runPromiseWith(context)(verdicts(pairs))
              assert.deepStrictEqual(
                pairs.flatMap(({ row, text }, n) => (holds[n] === true ? [] : [{ row, text }])),
                []
              )
              const changed = pairs.flatMap((pair) => changesOf(pair.row).map((row) => ({ ...pair, row })))
              const others = await Effect.runPromiseWith(context)(verdicts(changed))
              assert.deepStrictEqual(
                changed.flatMap(({ row, text }, n) => (others[n] === true ? [{ row, text }] : [])),
                []
              )
              const forged = pairs.map(({ hash, row, text }) => ({ hash: hash.toReversed(), row, text }))
              assert.notInclude(await Effect.runPromiseWith(context)(verdicts(forged)), true)
            }),
            { numRuns: 60 }
          )
        )
      })
    )
  })
})
