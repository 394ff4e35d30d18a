/** The SDK's server, but invalid parameters become a readable InvalidParams error. */
import {
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Transport
} from "@modelcontextprotocol/server"
import { Predicate } from "effect"
import { sanitize } from "./sanitize.ts"

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

/** Errors of the protocol have codes from here to there. A failure of ours may carry another number as its code. */
const isOfProtocol = (code: number): boolean => code >= -32_768 && code <= -32_000

/** The message, or if it is an error, what the caller sees of it. */
const checked = (message: JSONRPCMessage): JSONRPCMessage => {
  if (!("error" in message)) return message
  const issue = issueIn(message.error.message)
  if (issue !== undefined) {
    return { ...message, error: { code: ProtocolErrorCode.InvalidParams, message: issue } }
  }
  const { code } = message.error
  if (isOfProtocol(code) && code !== ProtocolErrorCode.InternalError) return message
  const failure = failed()
  return { ...message, error: { code: failure.code, message: failure.message } }
}

/** The error for failures that are our fault. */
export const failed = () =>
  new ProtocolError(ProtocolErrorCode.InternalError, "An unexpected error occurred and was logged.")

/** The SDK validates parameters before it calls a handler, so errors are replaced on their way to the transport. */
export class CheckedServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport)
    transport.send = (message, options) => send(checked(message), options)
    await super.connect(transport)
  }
}
