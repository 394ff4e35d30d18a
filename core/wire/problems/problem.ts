/**
 * Declares a problem once: its class (an RFC 9457 problem that core fails with and REST returns), the text of its page,
 * and the hint for agents. `type` is `/problems/<id>` and never changes; `error` is the id with underscores.
 */
import { Schema } from "effect"
import * as HttpApiError from "effect/http-api/HttpApiError"

export interface ProblemTexts<Status extends number = number> {
  readonly status: Status
  readonly title: string
  /** What it means. Backticks mark code. */
  readonly meaning: string
  /** What to do about it. */
  readonly remedy: string
  /** What an agent should call next, by MCP tool name. */
  readonly hint?: string
  /** The same, shown only by the full edition of the tools: the public one has no accounts. */
  readonly accountHint?: string
}

type Members<Fields> = { readonly error: Schema.tag<string>; readonly message: Schema.String } & Fields

/** What the service did wrong is in its log, so these problems name the request there. */
const ofService = {
  request_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The id by which the log of the service names the request" })
  )
}

/** A problem class with its texts. */
export type Declared<
  Self,
  Tag extends string,
  Id extends string,
  Status extends number,
  Fields extends Schema.Struct.Fields
> = HttpApiError.ProblemClass<Self, Tag, `/problems/${Id}`, Status, Members<Fields>, unknown> & {
  readonly id: Id
  readonly texts: ProblemTexts<Status>
}

/** `class X extends problem<X>()("X", "x", texts, fields) {}`. The constructor takes `message` and the fields. */
export const problem =
  <Self>() =>
  <
    const Tag extends string,
    const Id extends string,
    const Status extends number,
    const Fields extends Schema.Struct.Fields = Record<never, never>
  >(
    tag: Tag,
    id: Id,
    texts: ProblemTexts<Status>,
    fields?: Fields
  ): Declared<Self, Tag, Id, Status, Fields> => {
    const { status, title } = texts
    const Problem = HttpApiError.Problem<object>()(
      tag,
      { type: `/problems/${id}`, status, title },
      {
        error: Schema.tag(id.replaceAll("-", "_")),
        message: Schema.String,
        ...fields,
        ...(status < 500 ? {} : ofService)
      }
    )
    class DescribedProblem extends Problem {
      static readonly id = id
      static readonly texts = texts
      /** RFC 9457 calls the message `detail`; clients get both, also of a problem that is made of another one in other words. */
      constructor(members: { readonly message: string }, options?: Schema.MakeOptions) {
        super({ ...members, detail: members.message } as never, options)
      }
    }
    return DescribedProblem as never
  }
