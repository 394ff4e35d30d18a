/**
 * An operator who rewrites what was published has the key: every signature holds. What they cannot do is show a log that
 * begins with the checkpoint that somebody kept.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import type { Get } from "../../core/proof/fetched.ts"
import { verifyValue } from "../../core/proof/remote.ts"
import { verifyGrowth } from "../../core/proof/verifyGrowth.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl, Service } from "../support/service.ts"
import { header } from "../support/signed.ts"

const eight = (day: number) => Date.UTC(2026, 8, day, 8)
const metric = "active_storage_providers"

const reading = (day: number, value: number) =>
  Runs.row(value, `2026-09-0${day}T01:00:00Z`, { metric, source: "made-up" })

/**
 * A service of the one operator that published these values, each on the morning after its day. It has a database of its
 * own, so the operator enters the same keys again, and remembers nothing.
 */
const served = Effect.fnUntraced(function* (keyFolder: string, values: Readonly<Record<number, number>>) {
  yield* TestClock.setTime(eight(1))
  const built = yield* Layer.build(Service.layer({ keyFolder }))
  const ingest = Context.get(built, Ingest)
  const close = Context.get(built, DailyClose)
  for (const [day, value] of Object.entries(values)) {
    yield* TestClock.setTime(eight(Number(day)))
    yield* ingest.write(Runs.delivery(eight(Number(day)), [reading(Number(day), value)], "made-up"))
    yield* TestClock.setTime(eight(Number(day) + 1))
    yield* close.run
  }
  const { call } = Context.get(built, Service)
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const get: Get = async (url) => {
    const reply = await run(call(url.slice(baseUrl.length)))
    const headers = Object.keys(reply.headers).map((name) => [name, header(reply, name) ?? ""])
    return { status: reply.status, headers: Object.fromEntries(headers), body: reply.body }
  }
  return {
    get,
    checkpoint: Effect.map(call("/v1/log/checkpoint"), ({ body }) => body.toString())
  }
})

const growth = (get: Get, checkpoint: string) =>
  Effect.promise(() => verifyGrowth(get, baseUrl, checkpoint, {})).pipe(
    Effect.map(({ checks }) =>
      checks.filter(({ ok }) => ok === false).map(({ detail, name }) => `${name}: ${detail}`)
    )
  )

const keyFolder = () => mkdtempSync(join(tmpdir(), "plumbline-key-"))

describe("a log that is served", () => {
  it.effect("holds against a kept checkpoint when it only grew", () =>
    Effect.gen(function* () {
      const key = keyFolder()
      const before = yield* served(key, { 1: 100, 2: 200 })
      const checkpoint = yield* before.checkpoint
      const after = yield* served(key, { 1: 100, 2: 200, 3: 300 })
      assert.deepStrictEqual(yield* growth(after.get, checkpoint), [])
    })
  )

  it.effect("is found out when a batch was rewritten, though every signature holds", () =>
    Effect.gen(function* () {
      const key = keyFolder()
      const checkpoint = yield* (yield* served(key, { 1: 100, 2: 200 })).checkpoint
      const rewritten = yield* served(key, { 1: 101, 2: 200, 3: 300 })
      const { answer, verdict } = yield* Effect.promise(() =>
        verifyValue(rewritten.get, baseUrl, { symbol: "FIL", metric, date: "20260901" }, {})
      )
      assert.deepStrictEqual(
        [...answer, ...verdict.checks].filter(({ ok }) => ok === false),
        [],
        "the forgery is whole in itself"
      )
      assert.isNotEmpty(yield* growth(rewritten.get, checkpoint))
    })
  )

  it.effect("is found out when two clients are shown two logs of one size", () =>
    Effect.gen(function* () {
      const key = keyFolder()
      const checkpoint = yield* (yield* served(key, { 1: 100, 2: 200 })).checkpoint
      const fork = yield* served(key, { 1: 100, 2: 201 })
      const failures = yield* growth(fork.get, checkpoint)
      assert.isNotEmpty(failures)
      assert.match(failures.join("; "), /two|other|fork|root/i)
    })
  )

  it.effect("is found out when it was rolled back", () =>
    Effect.gen(function* () {
      const key = keyFolder()
      const checkpoint = yield* (yield* served(key, { 1: 100, 2: 200, 3: 300 })).checkpoint
      const shorter = yield* served(key, { 1: 100, 2: 200 })
      assert.isNotEmpty(yield* growth(shorter.get, checkpoint))
    })
  )

  it.effect("is found out when another key signs", () =>
    Effect.gen(function* () {
      const checkpoint = yield* (yield* served(keyFolder(), { 1: 100, 2: 200 })).checkpoint
      const other = yield* served(keyFolder(), { 1: 100, 2: 200, 3: 300 })
      assert.isNotEmpty(yield* growth(other.get, checkpoint))
    })
  )
})
