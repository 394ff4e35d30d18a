/** What an alert tells of a value whose source does not let it be shown, in each way in which it is told. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { termsOn } from "../../core/plugin/shapes/provenance.ts"
import { Permissions } from "../../core/rights/Permissions.ts"
import {
  accountOf,
  alerting,
  crossingsOf,
  fresh,
  linkIn,
  look,
  Mail,
  newAlert,
  send,
  values
} from "../support/alerts.ts"
import { postgres } from "../support/database.ts"
import { permitted } from "../support/permissions.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const planted = 71_300_019
const hidden = { ...Runs.manifest, terms: termsOn("2026-09-01", "Data: Test", { show: "no" }) }

/** The crossing of an alert on the planted value as its owner reads it, and the texts of its feed and its mail. */
const crossingAndTexts = Effect.gen(function* () {
  yield* fresh
  const { ask } = yield* accountOf("agent")
  const { call } = yield* Service
  const { mails } = yield* Mail
  const above = { condition: { kind: "above", value: 70_000_000 } }
  const fed = yield* newAlert(ask, above)
  yield* newAlert(ask, { ...above, channel: { kind: "email", address: "somebody@example.org" } })
  yield* send
  const path = linkIn(mails.at(-1)?.text ?? "", "confirm")
  assert.strictEqual((yield* call({ method: "POST", path })).status, 200)
  yield* values(69_000_000, planted)
  yield* look
  yield* send
  const [crossing] = yield* crossingsOf(ask, fed.id)
  const feed = yield* call(new URL(fed.feed_url).pathname)
  return {
    crossing: crossing ?? assert.fail("no crossing"),
    texts: [JSON.stringify(crossing), feed.body.toString("utf8"), mails.at(-1)?.text ?? ""]
  }
})

layer(alerting(postgres, [hidden]), { excludeTestServices: false })(
  "an alert on a value not to be shown",
  (it) => {
    it.effect("tells that it happened and where it is proved, without the value", () =>
      Effect.gen(function* () {
        const { crossing, texts } = yield* crossingAndTexts
        for (const text of texts) {
          assert.notInclude(text, String(planted))
          assert.include(text, "the terms of test_feed do not let them be sent")
        }
        assert.strictEqual(crossing.withheld, "rights")
        assert.include(crossing.proof_url, "/v1/attest")
      })
    )
  }
)

const allowed = Layer.succeed(Permissions, permitted([hidden.id], ["show"]))

layer(alerting(postgres, [hidden]).pipe(Layer.provide(allowed)), { excludeTestServices: false })(
  "the same alert with a permission",
  (it) => {
    it.effect("tells the value", () =>
      Effect.gen(function* () {
        const { crossing, texts } = yield* crossingAndTexts
        for (const text of texts) assert.include(text, String(planted))
        assert.isUndefined(crossing.withheld)
      })
    )
  }
)
