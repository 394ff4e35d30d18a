/** A tool: a description for the model, schemas from core, and one function of core that answers. */
import { Effect, Redacted, Schema, type SchemaIssue } from "effect"
import { Accounts } from "../core/credits/Accounts.ts"
import { Callers, pageBuyer } from "../core/credits/Callers.ts"
import { requireScope } from "../core/credits/keys/ApiKey.ts"
import { toNumber } from "../core/credits/Money.ts"
import { mcpQueryPrice } from "../core/credits/pricing.ts"
import type { X402 } from "../core/credits/x402/X402.ts"
import { firstIssue } from "../core/process/decodeMessage.ts"
import type { Feeds } from "../core/readings/Feeds.ts"
import type { Scope } from "../core/wire/credits/keys.ts"
import { BadParameter } from "../core/wire/problems/request.ts"
import { hasNul } from "../core/wire/text.ts"
import { coerceArguments } from "./arguments.ts"
import { sellQuery } from "./payments.ts"
import { inputSchema, isObject, type JsonObject, outputSchema, record } from "./schema.ts"

/** `public` has no accounts or payments. */
export type Edition = "full" | "public"

/** The caller, from the transport and the arguments. */
export interface Call {
  readonly edition: Edition
  /** From `X-API-Key`, otherwise from the argument `api_key`. */
  readonly key: Redacted.Redacted | undefined
  /** The originating network. */
  readonly network: string
  readonly baseUrl: string
  /** `_meta["x402/payment"]` of the call, not yet decoded. */
  readonly payment: unknown
  /** Present if this answer is bought: it shows what the Design Partner tier sees. */
  readonly bought?: true
}

export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Annotations of a read-only tool. */
export const reads: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false
}

export interface Tool<R> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** Account and payment tools are only in the full edition. */
  readonly editions: ReadonlyArray<Edition>
  readonly inputs: (edition: Edition) => JsonObject
  /**
   * The schema of its answers. Without one, answers are JSON text only. Some clients show the model the text, others the
   * structured value, so with a schema every answer is sent twice: too much for long pages.
   */
  readonly output?: JsonObject
  /** True if answers are delivered as bought, without cleaning or truncating texts. */
  readonly verbatim?: boolean
  /** The size of its longest answer in characters, if clients would truncate it by default. */
  readonly longestAnswer?: number
  /** Decodes the arguments and answers with an object. */
  readonly answer: (
    args: unknown,
    call: Omit<Call, "key">,
    header: Redacted.Redacted | undefined
  ) => Effect.Effect<object, ToolError, R>
}

/** An error of a tool: a tagged error of core. */
export interface ToolError {
  readonly _tag: string
  readonly message: string
}

interface Definition<A, E extends ToolError, R> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** `needed`: the tool requires an account; `widens`: a key can show more; absent: the tool ignores the key. */
  readonly key?: "needed" | "widens"
  readonly editions?: ReadonlyArray<Edition>
  /** True if its answer can be bought at the price of a query (`pay: true`). */
  readonly sold?: true
  readonly input: Schema.Codec<A, unknown>
  /** What the list of tools shows of the arguments, where `run` reads some more strictly than `input` does. */
  readonly shown?: Schema.Top
  /** Accepted arguments that the schema does not show: alternatives to others. */
  readonly unlisted?: ReadonlyArray<string>
  /** The values of arguments that core checks, with an error of its own; the schema shows them as an enum. */
  readonly values?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly output?: Schema.Top
  /** How deep the output schema goes: 1 for its members, 2 for the members of its rows too. */
  readonly depth?: number
  readonly verbatim?: boolean
  readonly longestAnswer?: number
  readonly run: (input: A, call: Call) => Effect.Effect<object, E, R>
}

const keyWords = {
  needed: "if not in X-API-Key",
  widens: "a subscription shows more"
}

const payWords = `true: buy it all, ${toNumber(mcpQueryPrice)} USD by x402`

/** Makes a tool from its definition. */
export const define = <A, E extends ToolError, R>(
  definition: Definition<A, E, R>
): Tool<R | Feeds | X402> => {
  const { annotations, description, editions = ["full", "public"], input, key, name, run, title } = definition
  const { longestAnswer, output, unlisted = [], verbatim } = definition
  const own = Object.entries(definition.values ?? {}).reduce(
    (schema, [argument, values]) =>
      withMember(schema, argument, { ...memberOf(schema, argument), enum: values }),
    inputSchema(definition.shown ?? input)
  )
  const inputs = (edition: Edition): JsonObject => {
    if (edition === "public") return own
    const sold =
      definition.sold === true ? withMember(own, "pay", { type: "boolean", description: payWords }) : own
    return key === undefined
      ? sold
      : withMember(sold, "api_key", { type: "string", description: keyWords[key] })
  }
  const decode = Schema.decodeUnknownEffect(input)
  return {
    name,
    title,
    description,
    annotations,
    editions,
    inputs,
    ...(verbatim === undefined ? {} : { verbatim }),
    ...(longestAnswer === undefined ? {} : { longestAnswer }),
    ...(output === undefined ? {} : { output: outputSchema(output, definition.depth ?? 2) }),
    answer: Effect.fnUntraced(function* (args, call, header) {
      if (!isObject(args)) {
        return yield* new BadParameter({ field: "arguments", message: "arguments must be an object." })
      }
      const { api_key: apiKey = null } = args
      const schema = inputs(call.edition)
      const input = new Map(Object.entries(Object(coerceArguments(args, schema))))
      const names = Object.keys(schema["properties"] ?? {})
      for (const each of input.keys()) {
        if (![...names, ...unlisted].includes(each)) return yield* unknownArgument(name, each, names)
        if (hasNul(input.get(each))) {
          return yield* new BadParameter({
            field: each,
            message: `${each} must not contain a NUL character.`
          })
        }
      }
      if (apiKey !== null && typeof apiKey !== "string") {
        return yield* new BadParameter({ field: "api_key", message: "api_key must be a string." })
      }
      input.delete("api_key")
      const pay = input.get("pay") ?? false
      if (typeof pay !== "boolean") {
        return yield* new BadParameter({
          field: "pay",
          message: "pay must be true or false.",
          valid: "true or false"
        })
      }
      const pays = definition.sold === true && pay
      input.delete("pay")
      const decoded = yield* decode(Object.fromEntries(input)).pipe(
        Effect.catchTag("SchemaError", (error) => Effect.fail(toBadParameter(error.issue)))
      )
      const from = header ?? (apiKey === null ? undefined : Redacted.make(apiKey))
      if (pays) {
        const bought = run(decoded, { ...call, key: undefined, bought: true })
        const args = Object.fromEntries(input)
        return yield* sellQuery({ name, title, args, payment: call.payment, answer: bought })
      }
      return yield* run(decoded, { ...call, key: call.edition === "public" ? undefined : from })
    })
  }
}

const memberOf = (schema: JsonObject, name: string): JsonObject => record(record(schema["properties"])[name])

const withMember = (schema: JsonObject, name: string, member: JsonObject): JsonObject => ({
  ...schema,
  properties: { ...(schema["properties"] ?? {}), [name]: member }
})

const unknownArgument = (tool: string, name: string, names: ReadonlyArray<string>) =>
  new BadParameter({
    field: name.slice(0, 60),
    message: `Unknown argument ${JSON.stringify(name.slice(0, 60))} of ${tool}. ${names.length === 0 ? "It takes no arguments" : `Valid arguments: ${names.join(", ")}`}.`,
    valid_values: names
  })

const toBadParameter = (issue: SchemaIssue.Issue): BadParameter => {
  const { path, message } = firstIssue(issue)
  const field = path.join(".").slice(0, 100)
  return new BadParameter({
    field: field === "" ? "arguments" : field,
    message: `${field === "" ? "arguments" : field}: ${message.slice(0, 300)}`
  })
}

/** How much of lists and history the caller sees. */
export const accessOf = Effect.fnUntraced(function* ({ bought, key }: Call) {
  if (bought === true) return pageBuyer.access
  const caller = yield* (yield* Callers).identify(key)
  return caller.access
})

/** The caller's account, if the key has one of the scopes. Fails with `KeyUnknown` or `ScopeMissing`. */
export const accountOf = Effect.fnUntraced(function* (
  { key }: Call,
  ...needed: readonly [Scope, ...ReadonlyArray<Scope>]
) {
  const account = yield* (yield* Accounts).authenticate(key)
  yield* requireScope(account, ...needed)
  return account
})
