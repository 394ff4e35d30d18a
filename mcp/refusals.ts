/**
 * Refusals of the service around a tool call, as its result: clients throw what the protocol does not have, so that no model would read
 * it.
 */
import { hints } from "../core/wire/problems/all.ts"
import { isObject, record } from "./schema.ts"

/** What a problem says that matters without HTTP. */
interface Problem {
  readonly error: string
  readonly message: string
  readonly retry_after?: number
}

const idOf = ({ id }: Readonly<Record<string, unknown>>): string | number | undefined =>
  typeof id === "string" || typeof id === "number" ? id : undefined

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The answer to a message that calls a tool; undefined for any other, whose client has to see the status. */
export const refusalOf = (
  message: unknown,
  { error, message: text, retry_after }: Problem
): object | undefined => {
  if (!isObject(message) || message["method"] !== "tools/call") return undefined
  const id = idOf(message)
  if (id === undefined) return undefined
  const hint = hints.get(error)?.hint
  const body = {
    error,
    message: text,
    ...(retry_after === undefined ? {} : { retry_after }),
    ...(hint === undefined ? {} : { what_to_do: hint })
  }
  return {
    jsonrpc: "2.0",
    id,
    result: { isError: true, content: [{ type: "text", text: JSON.stringify(body) }], resultType: "complete" }
  }
}

/** The same of texts: the body of a request, and a problem as JSON. */
export const refusalInText = (body: string, problem: string): object | undefined => {
  const { error, message, retry_after } = record(parsed(problem))
  return refusalOf(parsed(body), {
    error: String(error),
    message: String(message),
    ...(typeof retry_after === "number" ? { retry_after } : {})
  })
}
