/** What a full service says, and how long to stay away. */
import { Unavailable } from "../../core/wire/problems/service.ts"

/** Seconds after which a refused client may try again. */
const fullSeconds = 5

/** What a full service says. It closes the connection, too. */
export const fullProblem = () => ({
  status: 503,
  headers: { "retry-after": String(fullSeconds) },
  problem: new Unavailable({
    message: `The service has more connections than it can serve. Try again in ${fullSeconds} s.`,
    retry_after: fullSeconds
  })
})
