/** A closed day in words, as the pages of the service say it: the room that has the words provides it. */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export class DayWords extends Context.Service<
  DayWords,
  {
    /**
     * The lines of a closed day, each with where it leads, of the symbols and metrics of `scope` or of all; undefined where the log has no
     * batch of it. Made of values alone that their sources let be displayed.
     */
    readonly linesOf: (
      date: string,
      scope: ReadonlyArray<string> | null
    ) => Effect.Effect<ReadonlyArray<string> | undefined, SqlError>
  }
>()("core/alerts/DayWords") {}
