/** The messages between the collector and the process that runs the code of a plugin from elsewhere. */
import { Schema } from "effect"
import type { Declared } from "../../core/plugin/Manifest.ts"
import { Refusal } from "../../core/plugin/Plugin.ts"
import type { Exchange, Target } from "../../core/plugin/Upstream.ts"
import { Observation } from "../../core/plugin/Value.ts"

export type ToChild =
  | {
      readonly type: "begin"
      /** File URLs of its folder and of its code. */
      readonly folder: string
      readonly entry: string
      readonly manifest: Declared
      readonly now: number
      readonly targets: ReadonlyArray<Target>
      readonly settings: Readonly<Record<string, string>>
    }
  | {
      readonly type: "answer"
      readonly n: number
      readonly exchange: Omit<Exchange, "body" | "request">
      /** Base64. */
      readonly body: string
    }
  | { readonly type: "unreachable"; readonly n: number; readonly request: string; readonly detail: string }

const Request = Schema.Struct({
  method: Schema.Literals(["GET", "POST", "LISTEN"]),
  url: Schema.String.check(Schema.isMaxLength(10_000)),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  body: Schema.optionalKey(Schema.String),
  window: Schema.optionalKey(Schema.Struct({ seconds: Schema.Finite, messages: Schema.Finite }))
})

const Message = Schema.Union([
  Schema.Struct({ type: Schema.Literal("request"), n: Schema.Natural, request: Request }),
  Schema.Struct({
    type: Schema.Literal("rows"),
    observations: Schema.Array(Observation),
    refused: Schema.Array(Refusal)
  }),
  Schema.Struct({ type: Schema.Literal("done") }),
  Schema.Struct({ type: Schema.Literal("failed"), tag: Schema.String, message: Schema.String })
])
export type FromChild = typeof Message.Type

/** What a line of the process says; undefined where it is no message. Its code shares the descriptor, and could write anything. */
export const messageIn = Schema.decodeUnknownOption(Schema.fromJsonString(Message))
