/** What is made of the description of the API, in a thread: a quarter of a second of work that no other answer waits for. */
import { Context, Effect, Layer, Semaphore } from "effect"
import { HttpServerResponse } from "effect/http"
import { RegistrationsPerDay } from "../../../core/credits/Accounts.ts"
import { LimitSettings } from "../../../core/credits/Limits.ts"
import type { Listed } from "../../../core/credits/x402/X402.ts"
import { makeThread } from "../../../core/process/threads/thread.ts"
import { Assets } from "../../explorer/assets/Assets.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { ExtraRoutes } from "../../routing/ExtraRoutes.ts"
import { limitTexts } from "../limits.ts"
import type { Document, Task } from "./tasks.ts"

const respond = ({ bytes, contentType, headers }: Document) =>
  HttpServerResponse.uint8Array(bytes, { contentType, headers })

/** Runs `make` for the first who asks, and keeps the value. After a failure, the next who asks runs it. */
const lasting = Effect.fnUntraced(function* <A>(make: Effect.Effect<A>) {
  const turn = yield* Semaphore.make(1)
  let value: A | undefined
  const first = Effect.tap(make, (fresh) =>
    Effect.sync(() => {
      value = fresh
    })
  )
  return turn.withPermits(1)(Effect.suspend(() => (value === undefined ? first : Effect.succeed(value))))
})

export class Documents extends Context.Service<
  Documents,
  {
    /** `/openapi.json` or a page of the documentation, by its path; undefined if there is none. */
    readonly find: (path: string) => Effect.Effect<HttpServerResponse.HttpServerResponse | undefined>
    /** The same for a path of which there is one; a defect otherwise. */
    readonly at: (path: string) => Effect.Effect<HttpServerResponse.HttpServerResponse>
    /** The OpenAPI document of what is sold per request. */
    readonly sales: (products: ReadonlyArray<Listed>) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  }
>()("http/pages/docs/Documents") {
  static readonly layer = Layer.effect(
    Documents,
    Effect.gen(function* () {
      const { baseUrl, mode } = yield* HttpSettings
      const { addresses } = yield* Assets
      const limits = limitTexts({ ...(yield* LimitSettings), registrations: yield* RegistrationsPerDay })
      const extraRoutes = (yield* ExtraRoutes).map(({ method, path, summary }) => ({ method, path, summary }))
      const perform = yield* makeThread<Task, ReadonlyMap<string, Document>>(
        new URL("documents.thread.ts", import.meta.url),
        "documents"
      )
      const documentation = yield* lasting(
        perform({
          of: "documentation",
          about: { baseUrl, limits, extraRoutes },
          frame: { baseUrl, mode, addresses }
        })
      )
      let latest: { readonly name: string; readonly document: Document } | undefined
      const find = (path: string) =>
        Effect.map(documentation, (documents) => {
          const document = documents.get(path)
          return document === undefined ? undefined : respond(document)
        })
      return Documents.of({
        find,
        at: (path) =>
          Effect.flatMap(find(path), (response) =>
            response === undefined ? Effect.die(`the documents lack ${path}`) : Effect.succeed(response)
          ),
        sales: Effect.fnUntraced(function* (products) {
          const name = JSON.stringify(products)
          if (latest?.name === name) return respond(latest.document)
          for (const document of (yield* perform({ of: "sales", products, baseUrl })).values()) {
            latest = { name, document }
            return respond(document)
          }
          return yield* Effect.die("the thread of documents made none")
        })
      })
    })
  )
}
