/**
 * The operator's language model behind the chat completions interface that OpenAI made and others serve, as
 * `effect/ai` wants it. Text and objects, no tools, no streams: nothing here uses them. Effect's own provider packages
 * were built against paths that 4.1 no longer has.
 */
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as OpenAiStructuredOutput from "effect/ai/OpenAiStructuredOutput"
import type * as Prompt from "effect/ai/Prompt"
import { sendBounded } from "./boundedRequest.ts"

export interface Options {
  /** E.g. `https://api.example.com/v1`. */
  readonly base: string
  readonly model: string
  readonly key: Redacted.Redacted | undefined
}

/** Bytes of an answer, tokens of what it says, and how long it may take. */
const limits = { bytes: 1_048_576, tokens: 4000, time: "2 minutes" } as const

const Completion = Schema.fromJsonString(
  Schema.Struct({
    choices: Schema.NonEmptyArray(
      Schema.Struct({
        finish_reason: Schema.NullOr(Schema.String),
        message: Schema.Struct({
          content: Schema.NullOr(Schema.String),
          refusal: Schema.optional(Schema.NullOr(Schema.String))
        })
      })
    )
  })
)

const failed = (method: string, reason: AiError.AiErrorReason) =>
  AiError.make({ module: "runtime/outside/languageModel", method, reason })

/** The messages as the interface has them: their texts alone. */
const messagesOf = (prompt: Prompt.Prompt) =>
  prompt.content.map((message) => ({
    role: message.role,
    content:
      typeof message.content === "string"
        ? message.content
        : message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  }))

const formatOf = (format: LanguageModel.ProviderOptions["responseFormat"]) =>
  format.type === "text"
    ? {}
    : {
        response_format: {
          type: "json_schema",
          json_schema: {
            name: format.objectName,
            strict: true,
            schema: OpenAiStructuredOutput.toCodecOpenAI(format.schema).jsonSchema
          }
        }
      }

export const layer = ({ base, key, model }: Options): Layer.Layer<LanguageModel.LanguageModel> => {
  const url = `${base.replace(/\/+$/, "")}/chat/completions`

  const complete = Effect.fnUntraced(function* ({ prompt, responseFormat }: LanguageModel.ProviderOptions) {
    const fail = (reason: AiError.AiErrorReason) => failed("generateText", reason)
    const { body, status } = yield* sendBounded({
      method: "POST",
      url,
      headers: {
        "content-type": "application/json",
        ...(key === undefined ? {} : { authorization: `Bearer ${Redacted.value(key)}` })
      },
      body: new TextEncoder().encode(
        JSON.stringify({
          model,
          messages: messagesOf(prompt),
          max_completion_tokens: limits.tokens,
          ...formatOf(responseFormat)
        })
      ),
      most: limits.bytes,
      timeout: limits.time
    }).pipe(
      Effect.mapError(({ message }) =>
        fail(
          new AiError.NetworkError({ reason: "TransportError", method: "POST", url, description: message })
        )
      )
    )
    if (status !== 200) return yield* fail(AiError.reasonFromHttpStatus({ status }))
    const { choices } = yield* Schema.decodeUnknownEffect(Completion)(new TextDecoder().decode(body)).pipe(
      Effect.mapError((error) => fail(AiError.InvalidResponseError.fromSchemaError(error)))
    )
    const [{ finish_reason, message }] = choices
    if (finish_reason !== "stop" || message.content === null || typeof message.refusal === "string") {
      const description = `the answer is incomplete: ${message.refusal ?? finish_reason ?? "no content"}`
      return yield* fail(new AiError.InvalidResponseError({ description: description.slice(0, 200) }))
    }
    return [{ type: "text" as const, text: message.content }]
  })

  return Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      codecTransformer: OpenAiStructuredOutput.toCodecOpenAI,
      generateText: complete,
      streamText: () =>
        Stream.fail(
          failed("streamText", new AiError.InvalidResponseError({ description: "streams are not used" }))
        )
    })
  )
}
