/** The lamps beside a number: lit for what was checked of this very value, and else with the reason why not. */
import { assert, describe, layer, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { ValueEvidence } from "../../core/log/record/valueEvidence.ts"
import { lampsOf, litWords } from "../../http/explorer/html/lamps.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const metric = "/network/FIL/active_storage_providers"

const vouching = { observers: [], notaries: [], witnesses: [], needsWitnesses: false, mirrors: [] }

const nothing: ValueEvidence = {
  batch_day: "2026-09-03",
  again: undefined,
  agreement: undefined,
  notarised: { answers: 2, stated: 0 },
  anchor: { state: "none", reason: "not stamped yet" },
  chain: { state: "none", why: "no proof of it by a chain is kept" }
}

const lamps = (evidence: Partial<ValueEvidence>, canAskAgain = true) =>
  new Map(
    lampsOf(
      { ...nothing, ...evidence },
      { canAskAgain, mode: canAskAgain ? "live" : "replay", vouching }
    ).map(({ kind, says, state }) => [kind, `${state}: ${says}`])
  )

describe("a lamp", () => {
  plainIt("of a value that is not in the log is unlit, and so are all others", () => {
    const all = lampsOf(undefined, { canAskAgain: true, mode: "live", vouching })
    assert.isTrue(all.every(({ says, state }) => state === "unlit" && says !== ""))
    assert.strictEqual(litWords(all), "0 of 6")
  })

  plainIt("says why nothing was checked", () => {
    assert.deepStrictEqual(Object.fromEntries(lamps({})), {
      sealed: "lit: in the log with the batch of 3 Sep 2026",
      again: "unlit: its source was not asked again about this reading",
      operator: "unlit: nobody observes this service yet",
      notary: "unlit: no notary carries the sessions of this service",
      bitcoin: "unlit: not stamped yet",
      chain: "unlit: no proof of it by a chain is kept"
    })
    assert.strictEqual(
      lamps({}, false).get("again"),
      "unlit: the value is simulated: there is no source to ask"
    )
  })

  plainIt("is lit by the same number alone, and not by one that is near", () => {
    const checked_utc = "2026-09-04T07:00:00Z"
    assert.strictEqual(
      lamps({ again: { verdict: "exact", checked_utc } }).get("again"),
      "lit: asked again on 4 Sep 2026, 07:00 UTC, its source said the same"
    )
    assert.match(
      lamps({ again: { verdict: "within_1_pct", checked_utc } }).get("again") ?? "",
      /^unlit: .*within 1 %/
    )
    assert.strictEqual(
      lamps({ agreement: { n_observers: 2, n_agree: 1 } }).get("operator"),
      "lit: 1 of 2 other operators saw the same"
    )
    assert.strictEqual(
      lamps({ agreement: { n_observers: 1, n_agree: 0 } }).get("operator"),
      "unlit: one other operator saw another value"
    )
  })

  plainIt("of the notary is lit where he stated every answer, and of Bitcoin where a block has it", () => {
    assert.match(lamps({ notarised: { answers: 3, stated: 3 } }).get("notary") ?? "", /^lit: .*all 3 answers/)
    assert.match(lamps({ notarised: { answers: 3, stated: 2 } }).get("notary") ?? "", /^unlit: .*2 of the 3/)
    assert.match(lamps({ notarised: { answers: 0, stated: 0 } }).get("notary") ?? "", /^unlit/)
    assert.strictEqual(lamps({ anchor: { state: "pending" } }).get("bitcoin"), "unlit: waiting for a block")
    assert.strictEqual(
      lamps({
        anchor: { state: "confirmed", block_height: 900_000, block_time: "2026-09-04T09:00:00Z" }
      }).get("bitcoin"),
      "lit: in block 900,000 of 4 Sep 2026, 09:00 UTC"
    )
    const block = { chain: "cosmos:nyx", number: 4321, hash: "ab".repeat(32) }
    assert.match(
      lamps({ chain: { state: "proved", block } }).get("chain") ?? "",
      /^half: the state of block 4,321 says this; nobody has said here/
    )
    assert.strictEqual(
      lamps({ chain: { state: "confirmed", block, operators: ["a", "b", "c"] } }).get("chain"),
      "lit: the state of block 4,321 says this. The block is one of its chain, as a, b and c say"
    )
    assert.match(
      lamps({ chain: { state: "contradicted", block, operators: ["c"] } }).get("chain") ?? "",
      /^unlit: .*, but c has another block in its place$/
    )
  })
})

/** `kind: lit` by the lamps of a page. */
const litOn = (body: string) =>
  [...body.matchAll(/data-lamp="(\w+)" class="(\w+)"/g)].map(([, kind, state]) => `${kind} ${state}`)

const page = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body }) => body.toString("utf8"))

layer(Service.layer())("the lamps of a metric", (it) => {
  it.effect("are of its newest sealed value, and each leads to what it means here", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const body = yield* page(metric)
      assert.deepStrictEqual(litOn(body), [
        "sealed lit",
        "again unlit",
        "operator unlit",
        "notary unlit",
        "bitcoin unlit",
        "chain unlit"
      ])
      assert.include(body, "302 on 3 Sep 2026")
      const trust = yield* page("/trust")
      for (const [, id] of body.matchAll(
        /<a href="\/trust#([\w-]+)">[^<]+<\/a><span class="visually-hidden"> \(/g
      ))
        assert.include(trust, `id="${id}"`)
    })
  )

  it.effect("are lit by a look at this reading, and not by one at a later reading", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const sql = yield* SqlClient.SqlClient
      const look = (as_of: string, value: number) => sql`
        with r as (insert into recheck (plugin, asked_at, done_at)
          values ('made-up', '2026-09-03T03:00:00Z', '2026-09-03T03:01:00Z') returning id)
        insert into recheck_series (recheck, series, verdict, comparison)
        select r.id, s.id, 'exact', ${JSON.stringify({ verdict: "exact", served: { value, as_of } })}::jsonb
        from r, series s where s.symbol = 'FIL' and s.metric = 'active_storage_providers'`
      yield* look("2026-09-03T01:00:00.000Z", 301)
      assert.include(litOn(yield* page(`${metric}?days=7`)), "again unlit")
      yield* look("2026-09-03T02:00:00.000Z", 302)
      assert.include(litOn(yield* page(`${metric}?days=30`)), "again lit")
    })
  )

  it.effect("of nobody are seats that stay empty in the drawing of who signs what", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const drawing = /<ol class="seats way"[\s\S]*?<\/ul>/.exec(yield* page("/trust"))?.[0] ?? ""
      assert.deepStrictEqual(
        [...drawing.matchAll(/<li class="(\w+)"><a href="[^"]+">([^<]+)</g)].map(
          ([, state, name]) => `${name} ${state}`
        ),
        [
          "Source taken",
          "Notary empty",
          "Collector taken",
          "Log taken",
          "Witness empty",
          "Second operator empty",
          "Bitcoin empty",
          "Mirror empty"
        ]
      )
    })
  )

  it.effect("replace the tiles of the list that had nothing to say", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const body = yield* page("/networks")
      assert.notInclude(body, "Seen by others")
      assert.notInclude(body, "<dt>Anchor")
    })
  )
})
