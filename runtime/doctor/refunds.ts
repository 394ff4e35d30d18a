/** The address that warranties are paid from: whether it has money and gas for a day of them. */
import { Effect, Option } from "effect"
import { usd } from "../../core/credits/Money.ts"
import { lacks } from "../../core/credits/warranty/Refunder.ts"
import { refunderOf } from "../service/refunds.ts"
import type { Settings } from "../settings/Settings.ts"
import { findingFor } from "./Finding.ts"

const payments = findingFor("payments")

/** None without `WARRANTY_REFUND_KEY`: then payers without an account get credits. */
export const refundFindings = Effect.fn("Doctor.refundFindings")(function* (settings: Settings["Service"]) {
  if (Option.isNone(settings.warrantyRefundKey)) return []
  const perDay = settings.warranty === undefined ? 0n : usd(settings.warranty.perDay)
  return yield* refunderOf(settings).pipe(
    Effect.flatMap((refunder) =>
      refunder === null
        ? Effect.succeed([])
        : Effect.map(refunder.funds, (funds) => {
            const why = lacks(refunder.address, funds, perDay)
            return [
              why === undefined
                ? payments("ok", `the refund address ${refunder.address} has USDC and gas`)
                : payments("warn", why, "send it USDC, and ether for the gas")
            ]
          })
    ),
    Effect.catchTags({
      SettingsError: ({ message }) => Effect.succeed([payments("fail", message, "correct the setting")]),
      SettlerUnavailable: () =>
        Effect.succeed([
          payments("skip", "the refund address was not looked at: EVM_RPC_URL does not answer")
        ]),
      KeyUnusable: () =>
        Effect.succeed([
          payments("skip", "the refund address was not looked at: a signing key cannot be read")
        ])
    })
  )
})
