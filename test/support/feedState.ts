/** A feed that has not run yet. */
import type { FeedState } from "../../core/wire/data/feedState.ts"

export const waitingFeed = (plugin: string): FeedState => ({
  plugin,
  state: "waiting",
  last_started: null,
  last_success: null,
  last_failure: null,
  last_error: null,
  next_run: null,
  runs: 0,
  failures: 0
})
