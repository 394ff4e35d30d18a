/** What a week's notary stated: of how many runs that it was drawn for, and whether any of it was another answer than the host gave. */
import { Effect } from "effect"
import { parseVkey } from "../../core/proof/checkpoint.ts"
import { readNotarisation } from "../../core/proof/notarisation.ts"
import type { World } from "./weekWorld.ts"

/** Hours of a week from one to before another, with a name. */
export interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
}

export interface NotedSpan {
  readonly name: string
  /** Runs that were whole and drew the notary, and those of them that have a note. */
  readonly runs: number
  readonly noted: number
}

export interface Noted {
  readonly spans: ReadonlyArray<NotedSpan>
  readonly notes: number
  /** Notes that are kept and state an answer which the host never gave. */
  readonly falseNotes: number
}

export const notedIn = Effect.fnUntraced(function* (
  { notary, postgres, tlsFeeds, upstream }: World,
  atHour: (n: number) => number,
  spans: ReadonlyArray<Span>
) {
  const runs = yield* Effect.promise(() =>
    postgres.query<{ at: number; noted: boolean }>(`
      select (extract(epoch from started_at) * 1000)::float8 as at,
        exists (select 1 from exchange_note e where e.run = run.id) as noted
      from run where lot_notary is not null and status = 'ok' and plugin in (${tlsFeeds.map((id) => `'${id}'`).join()})`)
  )
  const notes = yield* Effect.promise(() => postgres.query<{ text: string }>("select text from note"))
  const verifier = parseVkey(notary.vkey)
  const isFalse = ({ text }: { readonly text: string }) =>
    (readNotarisation(text, [verifier])?.statement.exchanges ?? []).some(
      ({ response }) => !upstream.answered(response.sha256)
    )
  return {
    spans: spans.map(({ from, name, to }): NotedSpan => {
      // A run of a step begins right after the time was moved to it.
      const own = runs.filter(({ at }) => at >= atHour(from) - 60_000 && at < atHour(to) - 60_000)
      return { name, runs: own.length, noted: own.filter(({ noted }) => noted).length }
    }),
    notes: notes.length,
    falseNotes: notes.filter(isFalse).length
  } satisfies Noted
})
