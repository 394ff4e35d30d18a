import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Keys } from "../../core/credits/keys/Keys.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { isPart } from "../../core/credits/part/Parts.ts"
import { Statement, statementColumns } from "../../core/credits/Statement.ts"
import { priceList } from "../../core/products/priceList.ts"
import { Api } from "../api/Api.ts"
import { formatOf, inForm } from "../delivery/forms.ts"
import { linked } from "../delivery/nextPage.ts"
import { csvFile } from "../explorer/purchasedFile.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { CurrentAccount } from "../middleware/account.ts"
import { orProblem } from "../problems/fromCore.ts"
import { respond } from "../problems/fromRequest.ts"
import { networkOfRequest } from "../request/origin.ts"

/** JSON whose exact bytes core has produced. */
export const jsonBytes = (bytes: Uint8Array) =>
  HttpServerResponse.uint8Array(bytes, { contentType: "application/json" })

const open = HttpApiBuilder.group(
  Api,
  "creditsOpen",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const settings = yield* HttpSettings
    return handlers.handleAll({
      pricing: () => orProblem(priceList),
      register: Effect.fn(function* ({ payload }) {
        const { source } = yield* HttpServerRequest.HttpServerRequest
        return yield* accounts.register(payload, networkOfRequest(source, settings.trustProxy)).pipe(
          orProblem,
          Effect.catchTag("TooManyRequests", (problem) =>
            respond(problem, { "retry-after": String(problem.retry_after) })
          )
        )
      })
    })
  })
)

const keyed = HttpApiBuilder.group(
  Api,
  "credits",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const keys = yield* Keys
    const statement = yield* Statement
    const purchases = yield* Purchases
    return handlers.handleAll({
      balance: Effect.fn(function* () {
        const { account, key } = yield* CurrentAccount
        const { use = (yield* orProblem(accounts.authenticateInUse(key))).use } = account
        return yield* statement.balance({ ...account, use }).pipe(orProblem)
      }),
      statement: Effect.fn(function* ({ query: { format, ...page } }) {
        const { account } = yield* CurrentAccount
        return yield* linked(statement.page(account, page)).pipe(
          orProblem,
          inForm(
            { format },
            {
              columns: statementColumns,
              table: ({ movements }) => ({
                name: "statement",
                rows: movements.map((movement) => ({ ...movement }))
              })
            }
          )
        )
      }),
      keys: Effect.fn(function* () {
        const { account } = yield* CurrentAccount
        return yield* keys.list(account).pipe(orProblem)
      }),
      createKey: Effect.fn(function* ({ payload }) {
        const { account } = yield* CurrentAccount
        return yield* keys.create(account, payload).pipe(orProblem)
      }),
      revokeKey: Effect.fn(function* ({ params }) {
        const { account } = yield* CurrentAccount
        return yield* keys.revoke(account, params.key_id).pipe(orProblem)
      }),
      rotateKey: Effect.fn(function* ({ params }) {
        const { account } = yield* CurrentAccount
        return yield* keys.rotate(account, params.key_id).pipe(orProblem)
      }),
      rotate: Effect.fn(function* () {
        const { key } = yield* CurrentAccount
        return yield* accounts.rotate(key).pipe(orProblem)
      }),
      purchase: Effect.fn(function* ({ headers, payload }) {
        const { account } = yield* CurrentAccount
        const bytes = yield* purchases.buy(account, payload, headers["idempotency-key"]).pipe(orProblem)
        return jsonBytes(bytes)
      }),
      purchaseDryRun: Effect.fn(function* ({ payload }) {
        const { account } = yield* CurrentAccount
        return yield* purchases.dryRun(account, payload).pipe(orProblem)
      }),
      purchases: Effect.fn(function* ({ query }) {
        const { account } = yield* CurrentAccount
        return yield* linked(purchases.list(account, query)).pipe(orProblem)
      }),
      receipt: Effect.fn(function* ({ params, query }) {
        const { account } = yield* CurrentAccount
        const { format, include, table, ...request } = query
        const { purchase_id } = params
        // Without the data there is no table.
        const form = include === undefined ? format : yield* formatOf(format)
        if (form === "csv") {
          const purchased = isPart(request)
            ? purchases.partOf(account, purchase_id, request)
            : purchases.delivered(account, purchase_id)
          return yield* csvFile(yield* purchased.pipe(orProblem), table)
        }
        return jsonBytes(yield* purchases.receipt(account, purchase_id, include, request).pipe(orProblem))
      })
    })
  })
)

export const layer = Layer.merge(open, keyed)
