/** Where a monitor reads the log's files from. */
import { type Get, reasonOf } from "../../../../../core/proof/fetched.ts"

/** It was not possible to look, which says nothing about the log. */
export class SourceUnreachable extends Error {}

/** The files of a log, by path from the top of the site, e.g. `/v1/log/checkpoint`. Nothing in them is trusted. */
export interface Source {
  /** Where the files are, for people. */
  readonly name: string
  /** Undefined where there is no such file. Throws `SourceUnreachable`. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>
}

/** What the transport needs besides `Get`. */
export interface Patience {
  /** Resolves after this many milliseconds. */
  readonly wait: (ms: number) => Promise<void>
}

const tries = 4
/** The longest wait for a rate limit, in seconds. */
const longest = 120

/** A GET that waits out rate limits and retries after failures. Throws `SourceUnreachable`. */
export const patient =
  (get: Get, { wait }: Patience): Get =>
  async (url, headers) => {
    let why = ""
    for (let tried = 1; tried <= tries; tried++) {
      const answer = await get(url, headers).catch((error: unknown) => {
        why = error instanceof Error ? error.message : String(error)
        return undefined
      })
      if (answer !== undefined && answer.status !== 429 && answer.status < 500) return answer
      if (answer !== undefined) why = `${url} returned ${answer.status}${reasonOf(answer)}`
      const retryAfter = Number(answer?.headers["retry-after"] ?? Number.NaN)
      if (tried < tries)
        await wait(1000 * (Number.isFinite(retryAfter) ? Math.min(retryAfter, longest) : 2 ** tried))
    }
    throw new SourceUnreachable(why)
  }

/** The files as a service or a static host serves them. `get` must be patient. */
export const served = (get: Get, base: string): Source => ({
  name: base,
  read: async (path) => {
    const answer = await get(base + path)
    if (answer.status === 200) return answer.body
    if (answer.status === 404) return undefined
    throw new SourceUnreachable(`${base}${path} returned ${answer.status}${reasonOf(answer)}`)
  }
})
