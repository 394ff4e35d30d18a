/** What a tool call gives back: the answer as data and as text, or an error that an agent can act on. */
import type { CallToolResult } from "@modelcontextprotocol/server"
import { Cause, Effect, Exit, Option, Redacted } from "effect"
import { Availability } from "../core/data/Availability.ts"
import { awaySeconds, isAway } from "../core/data/errors.ts"
import { type Cleaning, clean, escaped } from "./clean.ts"
import { provenanceKey, provenanceOf } from "./provenance.ts"
import type { Call, Tool, ToolError } from "./Tool.ts"

/** What to do next, by the name of an error: the refusals of core speak of REST. */
const next: Readonly<Record<string, string>> = {
  unknown_symbol: "find_networks finds networks by any word.",
  not_attested:
    "get_metric_history shows the days that have a value; a day is published at 08:00 UTC of the next.",
  not_derived: "get_derivation_ledger without run lists the runs."
}

/** The same for what only the full edition can do. */
const nextInFull: Readonly<Record<string, string>> = {
  ...next,
  key_unknown:
    "Pass api_key, or set the header X-API-Key on the connection; register_agent gives a free key.",
  credits_short: "topup_credits gets a payment link; check_balance shows the balance.",
  tier_too_low: "how_to_unlock says which subscription opens it.",
  product_unavailable: "list_products shows which products are available.",
  product_withdrawn: "list_products shows which products are available.",
  internal_error: "Nothing was charged unless check_balance says so.",
  unavailable:
    "Nothing was charged unless check_balance says so; the same idempotency_key never charges twice.",
  idempotency_key_reused: "Send a new idempotency_key for another purchase.",
  wallet_unverified: "Verify the wallet over REST first: POST /v1/credits/crypto/challenge."
}

/** REST has one name for these. */
const alike: Readonly<Record<string, string>> = {
  FieldInvalid: "bad_parameter",
  ProductUnknown: "bad_parameter",
  WalletRefused: "bad_parameter",
  ChainUnreachable: "crypto_unavailable",
  CardsUnreachable: "cards_unavailable"
}

const nameOf = (tag: string): string =>
  alike[tag] ?? tag.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Members of an error that an agent may read; none of the public edition says how to get an account. */
const membersOf = (error: ToolError, edition: Call["edition"]): object => {
  const { _tag, cause, how_to_unlock, name, stack, ...members } = { ...error } as Record<string, unknown>
  return edition === "public" || how_to_unlock === undefined ? members : { ...members, how_to_unlock }
}

/** Keys in an error are echoes: whatever looks like one of ours is taken out. */
const keyLike = /plk_[A-Za-z0-9_-]{8,}/g

export const withoutKeys = (text: string): string => text.replace(keyLike, "[api key]")

const refusal = (error: ToolError, edition: Call["edition"], cleaning: Cleaning): CallToolResult => {
  const name = nameOf(error._tag)
  const hint = (edition === "full" ? nextInFull : next)[name]
  const body = clean(
    {
      error: name,
      ...membersOf(error, edition),
      message: error.message,
      ...(hint === undefined ? {} : { what_to_do: hint })
    },
    cleaning
  )
  return {
    isError: true,
    content: [{ type: "text", text: withoutKeys(JSON.stringify(body)) }]
  }
}

/** Time of one answer. */
export const limitSeconds = 25

class TooSlow implements ToolError {
  readonly _tag = "TooSlow"
  readonly message =
    `The answer took longer than ${limitSeconds} s. Ask for less: a smaller limit, one metric.`
}

class InternalError implements ToolError {
  readonly _tag = "InternalError"
  readonly message = "The service failed. The operator can see why; trying again may help."
}

class Unavailable implements ToolError {
  readonly _tag = "Unavailable"
  readonly message = "The database does not answer at the moment; the same call may be made again."
  /** Seconds. */
  readonly retry_after = awaySeconds
}

/** The answer as text, with its structured value where the tool has a schema for it, and its provenance. */
const answerOf = <R>(
  { output, verbatim = false }: Tool<R>,
  answer: object,
  cleaning: Cleaning,
  baseUrl: string
): CallToolResult => {
  const made = verbatim ? answer : clean(answer, cleaning)
  const provenance = provenanceOf(made, baseUrl)
  const text = (cleaning.secrets ?? []).reduce(
    (shown, secret) => shown.replaceAll(secret, "[api key]"),
    escaped(JSON.stringify(made))
  )
  return {
    content: [{ type: "text", text }],
    ...(output === undefined ? {} : { structuredContent: made as Record<string, unknown> }),
    ...(provenance === undefined ? {} : { _meta: { [provenanceKey]: provenance } })
  }
}

/** Answers one call. Never fails: what goes wrong is a result. */
export const resultOf = <R>(
  tool: Tool<R>,
  args: unknown,
  call: Omit<Call, "key">,
  header: Redacted.Redacted | undefined
): Effect.Effect<CallToolResult, never, R | Availability> => {
  const sent = typeof args === "object" && args !== null && "api_key" in args ? args.api_key : undefined
  const cleaning: Cleaning = {
    secrets: [
      ...(header === undefined ? [] : [Redacted.value(header)]),
      ...(typeof sent === "string" ? [sent] : [])
    ].filter((secret) => secret.length >= 8)
  }
  return Effect.exit(
    tool.answer(args, call, header).pipe(Effect.timeoutOption(`${limitSeconds} seconds`))
  ).pipe(
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) {
        if (Option.isNone(exit.value)) return Effect.succeed(refusal(new TooSlow(), call.edition, cleaning))
        return Effect.succeed(answerOf(tool, exit.value.value, cleaning, call.baseUrl))
      }
      const failed = Cause.findErrorOption(exit.cause)
      if (Option.isSome(failed) && failed.value._tag !== "SqlError") {
        return Effect.succeed(refusal(failed.value, call.edition, cleaning))
      }
      const error = Cause.squash(exit.cause)
      const [told, answer] = isAway(error)
        ? [Availability.use(({ missed }) => missed(error)), new Unavailable()]
        : [Effect.logError(`the tool ${tool.name} failed`, exit.cause), new InternalError()]
      return Effect.as(told, refusal(answer, call.edition, cleaning))
    })
  )
}
