/** Clients write members that they do not use as null: a payment without extensions is one all the same. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decodePayment, encodeHeader } from "../../core/credits/x402/wire.ts"

const payment = {
  x402Version: 2,
  accepted: { scheme: "exact", network: "eip155:8453" },
  payload: {
    signature: `0x${"ab".repeat(65)}`,
    authorization: {
      from: `0x${"11".repeat(20)}`,
      to: `0x${"22".repeat(20)}`,
      value: "10000",
      validAfter: "0",
      validBefore: "2000000000",
      nonce: `0x${"33".repeat(32)}`
    }
  }
}

const decoded = (extensions: unknown) =>
  decodePayment("PAYMENT-SIGNATURE", encodeHeader({ ...payment, extensions }), 2)

describe("extensions of a payment", () => {
  it.each([[undefined], [null], [{}], [{ "payment-identifier": undefined }]])(
    "%j name nothing",
    (extensions) => {
      const result = decoded(extensions)
      assert.isTrue(Result.isSuccess(result))
      assert.notProperty(Result.getOrThrow(result), "paymentId")
    }
  )

  it.each([["text"], [[]], [7], [{ "payment-identifier": "text" }]])("%j are refused", (extensions) => {
    assert.isTrue(Result.isFailure(decoded(extensions)))
  })
})
