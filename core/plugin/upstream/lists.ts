/** What takes several answers: pages, messages of a socket, and parts that fail by themselves. */
import { Effect, Result, type Schema } from "effect"
import { type Answer, text } from "./answers.ts"
import { UpstreamChanged, type UpstreamError } from "./errors.ts"
import { json, parseJson } from "./json.ts"
import { nameOf, type Request, type RequestOrUrl } from "./requests.ts"

/**
 * Reads a paged list: `next` returns the request after an answer, or undefined at the end. More than `limit` pages is
 * `UpstreamChanged`, so that cursors cannot loop forever and a part never passes for the whole.
 */
export const pages = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  first: RequestOrUrl,
  schema: S,
  next: (answer: Answer<S["Type"]>, page: number) => RequestOrUrl | undefined,
  limit = 100
) {
  const answers: Array<Answer<S["Type"]>> = []
  let request: RequestOrUrl | undefined = first
  while (request !== undefined) {
    if (answers.length === limit) {
      return yield* new UpstreamChanged({
        request: nameOf(request),
        path: "",
        detail: `the list continues after ${limit} pages`
      })
    }
    const answer: Answer<S["Type"]> = yield* json(request, schema)
    answers.push(answer)
    request = next(answer, answers.length)
  }
  return answers
})

/**
 * Listens on a WebSocket for a bounded window and decodes each message as JSON. A recording keeps the window as one
 * exchange whose body is the messages, one JSON text a line.
 */
export const listen = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  url: string,
  options: { readonly send?: unknown; readonly seconds: number; readonly messages: number },
  schema: S
) {
  const request: Request = {
    method: "LISTEN",
    url,
    window: { seconds: options.seconds, messages: options.messages },
    ...(options.send === undefined ? {} : { body: JSON.stringify(options.send) })
  }
  const answer = yield* text(request)
  const messages: Array<S["Type"]> = []
  for (const line of answer.body.split("\n")) {
    if (line !== "") messages.push(yield* parseJson(request, schema, line))
  }
  return { ...answer, body: messages } satisfies Answer<Array<S["Type"]>>
})

/**
 * Runs independent parts, four at a time, and returns each part's name with its outcome, in the given order.
 * Fails, with the first part's error, only if every part fails.
 */
export const parts = Effect.fnUntraced(function* <Name, A, R>(
  named: ReadonlyArray<readonly [name: Name, part: Effect.Effect<A, UpstreamError, R>]>
) {
  const outcomes = yield* Effect.forEach(
    named,
    ([name, part]) => Effect.map(Effect.result(part), (outcome) => ({ name, outcome })),
    { concurrency: 4 }
  )
  const first = outcomes[0]?.outcome
  if (
    first !== undefined &&
    Result.isFailure(first) &&
    outcomes.every((it) => Result.isFailure(it.outcome))
  ) {
    return yield* Effect.fail(first.failure)
  }
  return outcomes
})
