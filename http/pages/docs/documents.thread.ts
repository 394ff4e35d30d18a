/** The thread that writes what is made of the description of the API. */
import { HttpServerResponse } from "effect/http"
import { perform } from "../../../core/process/threads/perform.ts"
import { addressIn } from "../../explorer/assets/Assets.ts"
import { describe } from "../x402.ts"
import { make } from "./documentation.ts"
import type { Document, Task } from "./tasks.ts"

const documentOf = ({ body, headers }: HttpServerResponse.HttpServerResponse): Document => {
  if (body._tag !== "Uint8Array") throw new Error("a document that is not whole")
  const { "content-length": _, "content-type": __, ...others } = headers
  return { contentType: body.contentType, headers: others, bytes: body.body }
}

perform("documents", (task: Task): ReadonlyMap<string, Document> => {
  if (task.of === "sales") {
    const document = HttpServerResponse.jsonUnsafe(describe(task.products, task.baseUrl))
    return new Map([["/x402/openapi.json", documentOf(document)]])
  }
  const { addresses, ...settings } = task.frame
  const assets = { address: (source: string) => addressIn(addresses, source) }
  return new Map(
    [...make(task.about, { settings, assets })].map(([path, response]) => [path, documentOf(response)])
  )
})
