/** What a full service and a crowded queue say, and how long to stay away. */
import { TooManyRequests, Unavailable } from "../../core/wire/problems/service.ts"

/** Seconds after which a refused client may try again. */
const fullSeconds = 5

/** What a network is told that has too many calls waiting (`admission/queue.ts`). */
export const crowdedProblem = () => ({
  status: 429,
  headers: { "retry-after": "1" },
  problem: new TooManyRequests({
    message: "Too many calls of your network wait for their answers. Try again in 1 s, with fewer at a time.",
    retry_after: 1
  })
})

/** What a full service says. It closes the connection, too. */
export const fullProblem = () => ({
  status: 503,
  headers: { "retry-after": String(fullSeconds) },
  problem: new Unavailable({
    message: `The service has more connections than it can serve. Try again in ${fullSeconds} s.`,
    retry_after: fullSeconds
  })
})
