/**
 * How a refusal is declared: once, with its class (an RFC 9457 problem that core fails with and REST answers), the words
 * of its page and the hint that an agent gets. `type` is `/problems/<id>`, for ever; `error` is the id with underscores.
 */
import { Schema } from "effect"
import * as HttpApiError from "effect/http-api/HttpApiError"

export interface Words<Status extends number = number> {
  readonly status: Status
  readonly title: string
  /** What it means. Words in back-ticks are names. */
  readonly meaning: string
  /** What to do about it. */
  readonly remedy: string
  /** What an agent calls next, in the names of the MCP tools. */
  readonly hint?: string
  /** The same for who has, or can get, an account: the public edition of the tools knows of none. */
  readonly accountHint?: string
}

type Members<Fields> = { readonly error: Schema.tag<string>; readonly message: Schema.String } & Fields

/** A class of problems, with its words. */
export type Declared<
  Self,
  Tag extends string,
  Id extends string,
  Status extends number,
  Fields extends Schema.Struct.Fields
> = HttpApiError.ProblemClass<Self, Tag, `/problems/${Id}`, Status, Members<Fields>, unknown> & {
  readonly id: Id
  readonly words: Words<Status>
}

/** `class X extends problem<X>()("X", "x", words, fields) {}`. The constructor takes `message` and the fields. */
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
    words: Words<Status>,
    fields?: Fields
  ): Declared<Self, Tag, Id, Status, Fields> => {
    const { status, title } = words
    const Problem = HttpApiError.Problem<object>()(
      tag,
      { type: `/problems/${id}`, status, title },
      { error: Schema.tag(id.replaceAll("-", "_")), message: Schema.String, ...fields }
    )
    class Said extends Problem {
      static readonly id = id
      static readonly words = words
      /** `detail` is the standard's name for `message`: both are sent, for readers of either. */
      constructor(members: { readonly message: string }, options?: Schema.MakeOptions) {
        super({ detail: members.message, ...members } as never, options)
      }
    }
    return Said as never
  }
