/** The warranty's duty: after each close it finds the sales that the record contradicts, and pays what is due. */
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { providing } from "../../process/providing.ts"
import { refreshed } from "../../readings/read/refreshed.ts"
import { mayTakeLong } from "../../sql/mayTakeLong.ts"
import type { WalletWarranty } from "../../wire/credits/warranty.ts"
import type { BadParameter } from "../../wire/problems/request.ts"
import { Ledger } from "../Ledger.ts"
import { compareSales } from "./due.ts"
import { warrantyOfWallet } from "./ofWallet.ts"
import { payDue } from "./pay.ts"
import { stoppedPayments } from "./payments.ts"

export class Warranty extends Context.Service<
  Warranty,
  {
    /** After a close, finds the sales that the record contradicts; pays in credits what is due to accounts. */
    readonly run: Effect.Effect<void, SqlError>
    /** What is owed and was paid to a wallet that paid per request. */
    readonly ofWallet: (wallet: string) => Effect.Effect<typeof WalletWarranty.Type, BadParameter | SqlError>
    /** How many payments wait for the operator, as of at most a minute ago. */
    readonly stopped: Effect.Effect<number>
  }
>()("core/credits/warranty/Warranty") {
  static readonly layer = Layer.effect(
    Warranty,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Ledger)
      let stopped = 0
      yield* refreshed(
        "payments that warranties stopped",
        "1 minute",
        Effect.map(stoppedPayments, (n) => {
          stopped = n
        })
      )
      return Warranty.of({
        stopped: Effect.sync(() => stopped),
        run: Effect.andThen(provided(() => mayTakeLong(compareSales()))(), provided(payDue)()).pipe(
          Effect.withSpan("Warranty.run")
        ),
        ofWallet: provided(warrantyOfWallet)
      })
    })
  )
}
