/** The SDK's server, but invalid parameters become a readable InvalidParams error. */
import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext
} from "@modelcontextprotocol/server"
import { Predicate } from "effect"
import { sanitize } from "./sanitize.ts"

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/** The first schema issue, which the SDK puts into the message as JSON; undefined if there is none. */
const issueIn = (message: string): string | undefined => {
  try {
    const [issue]: ReadonlyArray<unknown> = JSON.parse(message.slice(message.indexOf("[")))
    if (!Predicate.hasProperty(issue, "path") || !Predicate.hasProperty(issue, "message")) return undefined
    const path = Array.isArray(issue.path) ? issue.path.join(".") : "params"
    return String(sanitize(`${path}: ${issue.message}`, { longest: 300 }))
  } catch {
    return undefined
  }
}

const asRefusal = (error: unknown): ProtocolError => {
  const issue = error instanceof Error ? issueIn(error.message) : undefined
  if (issue !== undefined) return new ProtocolError(ProtocolErrorCode.InvalidParams, issue)
  return error instanceof ProtocolError ? error : failed()
}

/** The error for failures that are our fault. */
export const failed = () =>
  new ProtocolError(ProtocolErrorCode.InternalError, "An unexpected error occurred and was logged.")

export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await wrapped(request, context)
      } catch (error) {
        throw asRefusal(error)
      }
    }
  }
}
