/** The result of a tool call: the answer as data and text, or an error that an agent can act on. */
import type { CallToolResult } from "@modelcontextprotocol/server"
import { Cause, Effect, Exit, Option, Redacted } from "effect"
import { keysInText } from "../core/credits/keys/keyForm.ts"
import { PaymentNeeded } from "../core/credits/x402/saleRecord.ts"
import { Availability } from "../core/process/Availability.ts"
import { awaySeconds, awayWords, isAway } from "../core/process/errors.ts"
import { hints } from "../core/wire/problems/all.ts"
import { InternalError, Unavailable } from "../core/wire/problems/service.ts"
import { Linked, unlinked } from "./links.ts"
import { offerResult, PaidAnswer, settlementKey } from "./payments.ts"
import { provenanceKey, provenanceOf } from "./provenance.ts"
import { escaped, type SanitizeOptions, sanitize } from "./sanitize.ts"
import type { Call, Tool, ToolError } from "./Tool.ts"

/** The name of a tagged error, for its hint. */
const nameOf = (tag: string): string => tag.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Errors that REST reports as plain `not_found`. */
const absent: ReadonlyArray<string> = ["BriefUnknown", "NotDerived"]

/** The members of an error for an agent. The public edition never says how to get an account. */
const membersOf = (error: ToolError, edition: Call["edition"]): object => {
  const { _tag, cause, how_to_unlock, name, stack, ...others } = { ...error } as Record<string, unknown>
  // Drops the RFC 9457 members, which only matter over HTTP.
  const { detail, error: _, instance, status, title, type, ...members } = others
  return edition === "public" || how_to_unlock === undefined ? members : { ...members, how_to_unlock }
}

/** An error may echo a key, so anything that looks like one is removed. */
export const withoutKeys = (text: string): string => text.replace(keysInText, "[api key]")

const refusal = (
  error: ToolError,
  edition: Call["edition"],
  sanitizeOptions: SanitizeOptions
): CallToolResult => {
  const name = nameOf(error._tag)
  const texts = hints.get(name)
  const hint = edition === "full" ? (texts?.accountHint ?? texts?.hint) : texts?.hint
  const body = sanitize(
    {
      error: absent.includes(error._tag) ? "not_found" : name,
      ...membersOf(error, edition),
      message: error.message,
      ...(hint === undefined ? {} : { what_to_do: hint })
    },
    sanitizeOptions
  )
  return {
    isError: true,
    content: [{ type: "text", text: withoutKeys(JSON.stringify(body)) }]
  }
}

/** Time limit of one answer. */
export const limitSeconds = 25

class TooSlow implements ToolError {
  readonly _tag = "TooSlow"
  readonly message =
    `The answer took longer than ${limitSeconds} s. Ask for less: a smaller limit, one metric.`
}

const internalError = () =>
  new InternalError({
    message: "An unexpected error occurred and was logged. Try again; if it persists, tell the operator."
  })

const unavailable = (error: unknown) =>
  new Unavailable({
    message: `${awayWords(error)} Make the same call again later.`,
    retry_after: awaySeconds
  })

/** An answer that was paid: its text is byte for byte what was sold. */
const paidResult = (
  { settlement, text }: PaidAnswer,
  isStructured: boolean,
  baseUrl: string
): CallToolResult => {
  const answer: Record<string, unknown> = JSON.parse(text)
  const provenance = provenanceOf(answer, baseUrl)
  return {
    content: [{ type: "text", text }],
    ...(isStructured ? { structuredContent: answer } : {}),
    _meta: {
      [settlementKey]: settlement,
      ...(provenance === undefined ? {} : { [provenanceKey]: provenance })
    }
  }
}

/** The answer as text, with its provenance, and as a structured value if the tool has an output schema. */
const answerOf = <R>(
  { output, verbatim = false }: Tool<R>,
  answer: object,
  sanitizeOptions: SanitizeOptions,
  baseUrl: string
): CallToolResult => {
  if (answer instanceof PaidAnswer) return paidResult(answer, output !== undefined, baseUrl)
  const links = answer instanceof Linked ? answer.links : []
  const plain = unlinked(answer)
  const cleaned = verbatim ? plain : sanitize(plain, sanitizeOptions)
  const provenance = provenanceOf(cleaned, baseUrl)
  const text = (sanitizeOptions.secrets ?? []).reduce(
    (result, secret) => result.replaceAll(secret, "[api key]"),
    escaped(JSON.stringify(cleaned))
  )
  return {
    content: [{ type: "text", text }, ...links],
    ...(output === undefined ? {} : { structuredContent: cleaned as Record<string, unknown> }),
    ...(provenance === undefined ? {} : { _meta: { [provenanceKey]: provenance } })
  }
}

/** Answers one call. Never fails: errors become results. */
export const resultOf = <R>(
  tool: Tool<R>,
  args: unknown,
  call: Omit<Call, "key">,
  header: Redacted.Redacted | undefined
): Effect.Effect<CallToolResult, never, R | Availability> => {
  const apiKey = typeof args === "object" && args !== null && "api_key" in args ? args.api_key : undefined
  const sanitizeOptions: SanitizeOptions = {
    secrets: [
      ...(header === undefined ? [] : [Redacted.value(header)]),
      ...(typeof apiKey === "string" ? [apiKey] : [])
    ].filter((secret) => secret.length >= 8)
  }
  return Effect.exit(
    tool.answer(args, call, header).pipe(Effect.timeoutOption(`${limitSeconds} seconds`))
  ).pipe(
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) {
        if (Option.isNone(exit.value))
          return Effect.succeed(refusal(new TooSlow(), call.edition, sanitizeOptions))
        return Effect.succeed(answerOf(tool, exit.value.value, sanitizeOptions, call.baseUrl))
      }
      const failed = Cause.findErrorOption(exit.cause)
      if (Option.isSome(failed) && failed.value instanceof PaymentNeeded)
        return Effect.succeed(offerResult(failed.value))
      if (Option.isSome(failed) && failed.value._tag !== "SqlError") {
        return Effect.succeed(refusal(failed.value, call.edition, sanitizeOptions))
      }
      const error = Cause.squash(exit.cause)
      const [report, answer] = isAway(error)
        ? [Availability.use(({ missed }) => missed(error)), unavailable(error)]
        : [Effect.logError(`the tool ${tool.name} failed`, exit.cause), internalError()]
      return Effect.as(report, refusal(answer, call.edition, sanitizeOptions))
    })
  )
}
