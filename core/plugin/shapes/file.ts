/** Static JSON files, which a server dates by their last change. */
import { Effect, type Schema } from "effect"
import type { Facts } from "../Plugin.ts"
import * as Upstream from "../Upstream.ts"

/** Reads the file; `facts` date its readings by `Last-Modified` where the server tells it, else as any answer. */
export const file = <A>(url: string, schema: Schema.Decoder<A>) =>
  Effect.map(Upstream.json(url, schema), (answer) => {
    const facts: Facts = answer.lastModified === undefined ? {} : { as_of: answer.lastModified }
    return { answer, facts }
  })

/** What `Plugin.one` is told of such a file. */
export const byLastModified = {
  as_of: (
    _: unknown,
    { date, lastModified = date }: Pick<Upstream.Answer<unknown>, "date" | "lastModified">
  ) => lastModified
}
