/** What a tool is: words for the model, schemas taken from core, and one function of core that answers. */
import { Effect, Redacted, Schema, type SchemaIssue } from "effect"
import { Accounts } from "../core/credits/Accounts.ts"
import { Callers } from "../core/credits/Callers.ts"
import { firstFault } from "../core/data/fault.ts"
import { BadParameter } from "../core/wire/problems/request.ts"
import { fitted } from "./arguments.ts"
import { inputSchema, isObject, type JsonObject, outputSchema } from "./schema.ts"

/** `public` has nothing that leads to an account. */
export type Edition = "full" | "public"

/** Who calls, as the transport and the arguments say. */
export interface Call {
  readonly edition: Edition
  /** `X-API-Key`, else the argument `api_key`. */
  readonly key: Redacted.Redacted | undefined
  /** The originating network. */
  readonly network: string
  readonly baseUrl: string
}

export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool that only reads what the service holds. */
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
  /** Tools of accounts and money are in the full edition only. */
  readonly editions: ReadonlyArray<Edition>
  readonly inputs: (edition: Edition) => JsonObject
  /**
   * What its answers are. Without one an answer is text alone, of JSON: clients show a model either the text or the
   * structured value, some this and some that, so that a long page would have to stand in both.
   */
  readonly output?: JsonObject
  /** True where an answer is given as it was bought: no text of it is cleaned or cut. */
  readonly verbatim?: boolean
  /** Characters of its longest answer, where that is more than clients take unasked. */
  readonly longestAnswer?: number
  /** Decodes the arguments and answers with an object; a failure has a `message`, a defect has not. */
  readonly answer: (
    args: unknown,
    call: Omit<Call, "key">,
    header: Redacted.Redacted | undefined
  ) => Effect.Effect<object, ToolError, R>
}

/** A refusal as the tools' functions give it: a tagged error of core. */
export interface ToolError {
  readonly _tag: string
  readonly message: string
}

interface Definition<A, E extends ToolError, R> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: Annotations
  /** `needed`: the tool is about the caller's account; `widens`: a key may show more; absent: no key is looked at. */
  readonly key?: "needed" | "widens"
  readonly editions?: ReadonlyArray<Edition>
  readonly input: Schema.Codec<A, unknown>
  /** Names of arguments that are taken and not shown: another way to say what others say. */
  readonly unlisted?: ReadonlyArray<string>
  readonly output?: Schema.Top
  /** Objects of the output that its schema opens: 1 is its members, 2 also those of its rows. */
  readonly depth?: number
  readonly verbatim?: boolean
  readonly longestAnswer?: number
  readonly run: (input: A, call: Call) => Effect.Effect<object, E, R>
}

const keyWords = {
  needed: "the account's key, where the X-API-Key header is not sent",
  widens: "optional: the key of a subscription shows more"
}

/** A tool from its definition. */
export const define = <A, E extends ToolError, R>(definition: Definition<A, E, R>): Tool<R> => {
  const { annotations, description, editions = ["full", "public"], input, key, name, run, title } = definition
  const { longestAnswer, output, unlisted = [], verbatim } = definition
  const own = inputSchema(input)
  const inputs = (edition: Edition): JsonObject =>
    key === undefined || edition === "public" ? own : withKey(own, keyWords[key])
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
      const { api_key: sent = null } = args
      const schema = inputs(call.edition)
      const given = new Map(Object.entries(Object(fitted(args, schema))))
      const names = Object.keys(schema["properties"] ?? {})
      for (const each of given.keys()) {
        if (![...names, ...unlisted].includes(each)) return yield* unknownArgument(name, each, names)
        // SQL has no text with a NUL.
        if (JSON.stringify(given.get(each)).includes("\\u0000")) {
          return yield* new BadParameter({ field: each, message: `${each} must not contain NUL.` })
        }
      }
      if (sent !== null && typeof sent !== "string") {
        return yield* new BadParameter({ field: "api_key", message: "api_key must be a string." })
      }
      given.delete("api_key")
      const made = yield* decode(Object.fromEntries(given)).pipe(
        Effect.catchTag("SchemaError", (error) => Effect.fail(undecodable(error.issue)))
      )
      const from = header ?? (sent === null ? undefined : Redacted.make(sent))
      return yield* run(made, { ...call, key: call.edition === "public" ? undefined : from })
    })
  }
}

const withKey = (schema: JsonObject, description: string): JsonObject => ({
  ...schema,
  properties: { ...(schema["properties"] ?? {}), api_key: { type: "string", description } }
})

const unknownArgument = (tool: string, name: string, names: ReadonlyArray<string>) =>
  new BadParameter({
    field: name.slice(0, 60),
    message: `${name.slice(0, 60)}: ${tool} has no such argument; it takes ${names.length === 0 ? "none" : names.join(", ")}.`,
    valid_values: names
  })

const undecodable = (issue: SchemaIssue.Issue): BadParameter => {
  const { path, words } = firstFault(issue)
  const field = path.join(".").slice(0, 100)
  return new BadParameter({
    field: field === "" ? "arguments" : field,
    message: `${field === "" ? "arguments" : field}: ${words.slice(0, 300)}`
  })
}

/** What the caller may see of lists and history. */
export const accessOf = Effect.fnUntraced(function* ({ key }: Call) {
  const caller = yield* (yield* Callers).identify(key)
  return caller.access
})

/** The account that the call is about. Fails with `KeyUnknown`. */
export const accountOf = Effect.fnUntraced(function* ({ key }: Call) {
  return yield* (yield* Accounts).authenticate(key)
})
