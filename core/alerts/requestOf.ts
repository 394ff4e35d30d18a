/** What an owner sent, parsed strictly: a member that its condition or its channel does not have is an error, not left out. */
import { Effect, Schema, type SchemaIssue } from "effect"
import { firstIssue } from "../process/decodeMessage.ts"
import { AlertRequest, channelKinds, conditionKinds } from "../wire/alerts/alert.ts"
import { BadParameter } from "../wire/problems/request.ts"

const decode = Schema.decodeUnknownEffect(AlertRequest, { onExcessProperty: "error" })

/** What is one of several structs: the decoder names the values of one of them alone, or none. */
const kindsOf = new Map<string, ReadonlyArray<string>>([
  ["condition", conditionKinds],
  ["channel", channelKinds]
])

const kindOf = (body: unknown, member: string): unknown => {
  const { [member]: part }: Readonly<Record<string, unknown>> = Object(body)
  return Object(part).kind
}

const problemOf = (body: unknown, issue: SchemaIssue.Issue) => {
  const { message, path } = firstIssue(issue)
  const [member = "alert"] = path
  const kinds = kindsOf.get(member)
  if (kinds !== undefined && !kinds.includes(String(kindOf(body, member)))) {
    const field = `${member}.kind`
    return new BadParameter({
      field,
      message: `${field} must be one of ${kinds.join(", ")}.`,
      valid_values: kinds
    })
  }
  const field = path.length === 0 ? member : path.join(".").slice(0, 100)
  return new BadParameter({ field, message: `${field}: ${message.slice(0, 300)}` })
}

export const requestOf = (body: unknown) =>
  decode(body).pipe(Effect.catchTag("SchemaError", ({ issue }) => Effect.fail(problemOf(body, issue))))
