/**
 * What never changes, against what the code of release 2.0.0 (commit d91b5ddd) made of the same things with the same keys, as recorded in
 * `bytes-2.0.0.json`: bundles of version 2, the signatures of answers, receipts and offers. Nobody makes that file again.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { SaleHead } from "../../../core/credits/x402/saleRecord.ts"
import type { PaymentRequired } from "../../../core/credits/x402/wire.ts"
import { DailyClose } from "../../../core/log/DailyClose.ts"
import { Log } from "../../../core/log/Log.ts"
import { absence } from "../../../core/log/record/absence.ts"
import { bundle } from "../../../core/log/record/bundle.ts"
import type { SignedJws } from "../../../core/proof/jws.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { signedOffers, signedSale } from "../../../http/payments/signedOffers.ts"
import { makeSign, type Statement } from "../../../http/signing/sign.ts"
import { onBothEngines } from "../../support/database.ts"
import { publicKeyOf, signEd25519 } from "../../support/ed25519.ts"
import * as LogKeys from "../../support/logKey.ts"
import * as Runs from "../../support/runs.ts"

const recorded: {
  readonly bundles: { readonly value: string; readonly absence: string }
  readonly answers: ReadonlyArray<{
    readonly statement: Statement
    readonly headers: ReadonlyArray<string>
  }>
  readonly sold: {
    readonly sale: SaleHead
    readonly url: string
    readonly receipt: SignedJws
    readonly required: PaymentRequired
    readonly offers: ReadonlyArray<object>
  }
} = JSON.parse(readFileSync(new URL("bytes-2.0.0.json", import.meta.url), "utf8"))

const secret = new Uint8Array(32).fill(1)
const key = {
  kid: thumbprint(publicKeyOf(secret)),
  sign: (message: Uint8Array) => signEd25519(message, secret)
}
const signedAt = Date.UTC(2026, 8, 5, 9)
const baseUrl = "https://depin.example"

describe("as 2.0.0 made them", () => {
  it("are the signatures of answers, also where the log has a head", () => {
    const sign = makeSign({
      key: () => key,
      authority: "depin.example",
      basePath: "",
      keyAddress: `${baseUrl}/.well-known/service-signing-key.json`,
      logHead: () => `3 ${"cd".repeat(32)}`,
      now: () => signedAt
    })
    for (const { headers, statement } of recorded.answers) {
      const now = sign(statement)
      assert.deepStrictEqual(now.slice(0, headers.length), headers, statement.url)
      // What came later has headers of its own.
      const added = now.slice(headers.length).filter((_, place) => place % 2 === 0)
      for (const name of added)
        assert.include(["X-Service-Log-Head", "X-Service-Log-Head-Signature"], name, statement.url)
    }
  })

  it("are receipts and offers, whatever is promised of the sale", () => {
    const { offers, receipt, required, sale, url } = recorded.sold
    const warranty = {
      days: 30,
      greatest_age_hours: 24,
      says: "so",
      until: "2026-10-05T09:00:00Z",
      pays_usd: 0.245,
      rows: { size: 1, root: "ef".repeat(32) }
    }
    for (const one of [sale, { ...sale, warranty }])
      assert.deepStrictEqual(signedSale(one, { baseUrl, mode: "live" }, key, { url }).receipt, receipt)
    assert.deepStrictEqual<unknown>(
      signedOffers(required, baseUrl, key, signedAt)["offer-receipt"].info.offers,
      offers
    )
  })
})

const eight = (day: number) => Date.UTC(2026, 8, day, 8)
const of = (symbol: string) => ({ symbol, metric: "nodes_online", date: "20260904" })

onBothEngines("as 2.0.0 made them", (database) => {
  const services = DailyClose.layer.pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(eight(5))))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )
  layer(services)((it) => {
    it.effect("are the bundles of a value and of an absence", () =>
      Effect.gen(function* () {
        const close = Effect.flatMap(DailyClose, ({ run }) => run)
        const seven = eight(4) - 3_600_000
        yield* TestClock.setTime(seven)
        yield* (yield* Ingest).write(
          Runs.delivery(seven, [
            Runs.row(5, "2026-09-03T01:00:00Z", { symbol: "STORJ" }),
            ...[3, 4].flatMap((day) =>
              [1, 2, 3].map((hour) => Runs.row(hour * 10 + 0.5, `2026-09-0${day}T0${hour}:00:00Z`))
            )
          ])
        )
        yield* TestClock.setTime(eight(4))
        yield* close
        yield* TestClock.setTime(eight(5))
        yield* close
        assert.strictEqual(JSON.stringify(yield* bundle(of("FIL"))), recorded.bundles.value)
        assert.strictEqual(JSON.stringify(yield* absence(of("STORJ"))), recorded.bundles.absence)
      })
    )
  })
})
