/** What subscriptions and exports read today: the same values and days as products, and the files of the archive. */
import { Effect } from "effect"
import { archiveIndex } from "../log/record/archive.ts"
import type { Reach } from "../wire/credits/pricing.ts"
import { about, ofHeadlines, ofValues } from "./shared/coverage.ts"

export const reach = Effect.gen(function* () {
  const { files } = yield* archiveIndex
  const days = files.flatMap(({ first_day, last_day }) => [first_day, last_day]).toSorted()
  const [first_day] = days
  const last_day = days.at(-1)
  return {
    lists: yield* ofValues(() => true, about.all),
    history: yield* ofHeadlines,
    archive: {
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(first_day === undefined || last_day === undefined ? {} : { first_day, last_day })
    }
  } satisfies Reach
}).pipe(Effect.withSpan("Products.reach"))
