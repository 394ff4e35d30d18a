/** What an owner sent, parsed strictly: a member that its condition or its channel does not have is an error, not left out. */
import { Effect, Schema } from "effect"
import { firstIssue } from "../process/decodeMessage.ts"
import { AlertRequest } from "../wire/alerts/alert.ts"
import { BadParameter } from "../wire/problems/request.ts"

const decode = Schema.decodeUnknownEffect(AlertRequest, { onExcessProperty: "error" })

export const requestOf = (body: unknown) =>
  decode(body).pipe(
    Effect.catchTag("SchemaError", ({ issue }) => {
      const { message, path } = firstIssue(issue)
      const field = path.join(".").slice(0, 100)
      return Effect.fail(new BadParameter({ field, message: `${field}: ${message.slice(0, 300)}` }))
    })
  )
