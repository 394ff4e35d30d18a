/** Attest and attestations, and what a stranger makes of them with the verifier. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { parseBundle } from "../../core/proof/bundle.ts"
import { allHold } from "../../core/proof/check.ts"
import type { Get } from "../../core/proof/fetched.ts"
import { verifyValue } from "../../core/proof/remote.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { verifyGrowth } from "../../core/proof/verifyGrowth.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl, Service } from "../support/service.ts"
import { header, json } from "../support/signed.ts"

const eight = (day: number) => Date.UTC(2026, 8, day, 8)

const rows = (day: string, value: number) => {
  const of = (symbol: string, hour: number) =>
    Runs.row(value + hour, `2026-09-${day}T0${hour}:00:00Z`, {
      symbol,
      metric: "active_storage_providers",
      source: "made-up"
    })
  return [of("FIL", 1), of("FIL", 2), of("GEOD", 1)]
}

layer(Service.layer())("what was published", (it) => {
  /** Two closed days. */
  const published = Effect.gen(function* () {
    yield* TestClock.setTime(eight(5))
    const ingest = yield* Ingest
    const close = yield* DailyClose
    yield* ingest.write(Runs.delivery(eight(3), [...rows("02", 100), ...rows("03", 200)], "made-up"))
    yield* close.run
    return yield* Service
  })

  /** The verifier's way to the service: what it asks for under the public address goes to the local port. */
  const getFrom = Effect.gen(function* () {
    const service = yield* Service
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const get: Get = async (url) => {
      const reply = await run(service.call(url.slice(baseUrl.length)))
      return {
        status: reply.status,
        headers: Object.fromEntries(
          Object.keys(reply.headers).map((name) => [name, header(reply, name) ?? ""])
        ),
        body: reply.body
      }
    }
    return get
  })

  it.effect("is attested with value, leaf, places, checkpoint and anchor", () =>
    Effect.gen(function* () {
      const service = yield* published
      const reply = json(
        yield* service.call("/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260903")
      ) as {
        value: unknown
        date: string
        batch: { tree_size: number; proof: ReadonlyArray<string> }
        anchor: { state: string }
        versions: ReadonlyArray<unknown>
        how_to_check: string
      }
      assert.deepStrictEqual(reply.value, {
        symbol: "FIL",
        metric: "active_storage_providers",
        value: 202,
        unit: "count",
        source: "made-up",
        verify_url: "https://stats.example.net/v1/nodes",
        as_of: "2026-09-03T02:00:00Z",
        licence: "CC-BY-4.0",
        attribution: "Data: Made-up, Inc."
      })
      assert.strictEqual(reply.date, "2026-09-03")
      assert.strictEqual(reply.batch.tree_size, 3)
      assert.strictEqual(reply.anchor.state, "none")
      assert.strictEqual(reply.versions.length, 1)
      assert.strictEqual(
        reply.how_to_check,
        `npx --no plumbline verify value --symbol FIL --metric active_storage_providers --date 20260903 --source made-up --url ${baseUrl} --key=LOG_KEY`
      )
    })
  )

  it.effect("verifies as a value and as a bundle, and a changed byte does not", () =>
    Effect.gen(function* () {
      const service = yield* published
      const get = yield* getFrom
      const { answer, verdict } = yield* Effect.promise(() =>
        verifyValue(
          get,
          baseUrl,
          { symbol: "FIL", metric: "active_storage_providers", date: "20260903", source: "made-up" },
          {}
        )
      )
      assert.deepStrictEqual(
        [...answer, ...verdict.checks].filter(({ ok }) => ok === false),
        []
      )
      const text = (yield* service.call(
        "/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260903&format=bundle"
      )).body
      const forged = Buffer.from(text)
        .toString()
        .replaceAll('\\"value\\":202', '\\"value\\":203')
        .replace('"value":202', '"value":203')
      const wrong = verifyBundle(parseBundle(forged), {})
      assert.isFalse(allHold(wrong.checks))
    })
  )

  it.effect("says why there is no proof", () =>
    Effect.gen(function* () {
      yield* published
      const get = yield* getFrom
      const query = { symbol: "FIL", metric: "active_storage_providers", date: "20260904" }
      const why = yield* Effect.flip(Effect.tryPromise(() => verifyValue(get, baseUrl, query, {})))
      assert.match(
        String(why.cause),
        /returned 404: active_storage_providers of FIL had no reading on 2026-09-04: .*format=absence/
      )
    })
  )

  it.effect("proves that a declared metric had no reading of a day, and of no other day", () =>
    Effect.gen(function* () {
      const service = yield* published
      const at = (date: string) =>
        service.call(`/v1/attest?symbol=FIL&metric=active_storage_providers&date=${date}&format=absence`)
      const { checks } = verifyBundle(parseBundle(Buffer.from((yield* at("20260904")).body).toString()))
      assert.isTrue(allHold(checks), JSON.stringify(checks))
      assert.match(checks.find(({ name }) => name === "value")?.detail ?? "", /had no reading on 2026-09-04/)
      assert.strictEqual((yield* at("20260903")).status, 404)
      assert.strictEqual((yield* at("20260931")).status, 400)
    })
  )

  it.effect("grows: the log of yesterday is the beginning of today's", () =>
    Effect.gen(function* () {
      const service = yield* published
      const checkpoint = (yield* service.call("/v1/log/checkpoints/2")).body
      const get = yield* getFrom
      const checks = yield* Effect.promise(() =>
        verifyGrowth(get, baseUrl, Buffer.from(checkpoint).toString(), {})
      )
      assert.deepStrictEqual(
        checks.checks.filter(({ ok }) => ok === false),
        []
      )
    })
  )

  it.effect("is listed with roots and anchors, paged", () =>
    Effect.gen(function* () {
      const service = yield* published
      const first = json(yield* service.call("/v1/attestations?limit=1")) as {
        attestations: ReadonlyArray<{ day: string; root: string; tree_size: number; leaves_url: string }>
        next_cursor: string
      }
      assert.deepStrictEqual(
        first.attestations.map(({ day }) => day),
        ["2026-09-04"]
      )
      const second = json(
        yield* service.call(`/v1/attestations?limit=5&cursor=${first.next_cursor}`)
      ) as typeof first
      assert.deepStrictEqual(
        second.attestations.map(({ day }) => day),
        ["2026-09-03", "2026-09-02"]
      )
      const leaves = (yield* service.call(second.attestations[0]?.leaves_url ?? "")).body
      assert.strictEqual(Buffer.from(leaves).toString().trim().split("\n").length, 3)
    })
  )

  it.effect("is the same whichever form the date has", () =>
    Effect.gen(function* () {
      const service = yield* published
      for (const more of ["", "&format=bundle"]) {
        const [plain, dashed] = yield* Effect.forEach(["20260903", "2026-09-03"], (date) =>
          service.call(`/v1/attest?symbol=FIL&metric=active_storage_providers&date=${date}${more}`)
        )
        assert.strictEqual(plain?.status, 200)
        assert.deepStrictEqual(dashed?.body, plain?.body)
      }
    })
  )

  it.effect.each([
    ["/v1/attest?symbol=FIL&metric=active_storage_providers&date=2026-0903", 400],
    ["/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260231", 400],
    ["/v1/attest?symbol=FIL&metric=no_such&date=20260903", 400],
    ["/v1/attest?symbol=NOPE&metric=active_storage_providers&date=20260903", 404],
    ["/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260904", 404],
    ["/v1/attest?symbol=FIL", 400],
    ["/v1/log/checkpoints/99", 404],
    ["/v1/log/checkpoints/1.ots", 404],
    ["/v1/log/tile/0/001", 404],
    ["/v1/log/tile/0/000.p/200", 404],
    ["/v1/log/batches/2026-01-01/leaves", 404],
    ["/v1/log/batches/nonsense/absent", 404],
    ["/v1/log/batches/2026-02-30/leaves", 404],
    ["/v1/log/batches/0000-01-01/absent", 404],
    ["/v1/log/checkpoints/nonsense", 404],
    ["/v1/attest?symbol=FIL&metric=active_storage_providers&date=00000101", 400],
    ["/v1/attestations?cursor=2026-13-01", 400],
    ["/v1/attestations?cursor=2026-02-30", 400],
    ["/v1/attestations?cursor=nonsense", 400],
    ["/v1/derivation?cursor=nonsense", 400],
    ["/v1/log/documents/00", 404]
  ] as const)("GET %s is %i", ([path, status]) =>
    Effect.gen(function* () {
      const service = yield* published
      const reply = yield* service.call(path)
      assert.strictEqual(reply.status, status)
      assert.include(header(reply, "content-type"), "application/problem+json")
    })
  )
})
