/** Events as webhooks get them: whole, or without the rows that their source does not let be handed on. */
import { assert, describe, it } from "@effect/vitest"
import { handedOn } from "../../core/webhooks/withheld.ts"

const may = (source: string): boolean => source !== "barred"
const row = (source: string, value: number) => ({ symbol: "FIL", metric: "tvl_usd", value, source })
const event = (data: object) =>
  JSON.stringify({ v: "service-event-v1", id: 7, kind: "values", data, kid: "k", signature: "s" })

describe("an event for a webhook", () => {
  it("is the signed bytes where all of it may be handed on", () => {
    for (const text of [
      event({ values: [row("open", 1)] }),
      event({ batch: { day: "2026-09-01" } }),
      '{"challenge":"x"}'
    ])
      assert.strictEqual(handedOn(text, may), text)
  })

  it("leaves out and counts what may not be, without the signature of the whole, and says where that is", () => {
    const left = JSON.parse(handedOn(event({ values: [row("open", 1), row("barred", 71300019)] }), may))
    assert.deepStrictEqual(left, {
      v: "service-event-v1",
      id: 7,
      kind: "values",
      data: { values: [row("open", 1)] },
      withheld: { reason: "rights", rows: 1, event: "/v1/events?after=6&limit=1" }
    })
    const none = JSON.parse(
      handedOn(
        event({ disagreement: { ...row("open", 1), second_source: "barred", second_value: 71300019 } }),
        may
      )
    )
    assert.deepStrictEqual([none.data, none.withheld.rows], [{}, 1])
  })

  it("leaves the figures out of what an alert tells, and says that it happened and where it is proved", () => {
    const crossing = {
      id: "cx_1",
      alert: "al_1",
      at: "2026-09-01T00:00:00.000Z",
      says: "tvl_usd of FIL, 71300019 (usd), is above 5.",
      ...row("barred", 71300019),
      unit: "usd",
      proof_url: "https://x.test/v1/attest"
    }
    const open = { ...crossing, ...row("open", 71300019) }
    const message = (...crossings: ReadonlyArray<object>) => JSON.stringify({ alert: "al_1", crossings })
    assert.strictEqual(handedOn(message(open), may), message(open))
    for (const barred of [crossing, { ...open, second_source: "barred" }]) {
      const text = handedOn(message(open, barred), may)
      const [whole, left] = JSON.parse(text).crossings
      assert.deepStrictEqual(whole, open)
      assert.notInclude(JSON.stringify(left), "71300019")
      assert.deepInclude(left, { id: "cx_1", withheld: "rights", proof_url: crossing.proof_url })
    }
  })
})
