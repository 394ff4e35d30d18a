/** An answer of the service with the checks of its signature. */
import { CouldNotLook, fromUtf8 } from "../../../../core/proof/bytes.ts"
import type { Check } from "../../../../core/proof/check.ts"
import { fetchKeys, requestOf } from "../../../../core/proof/fetched.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import { verifyResponse } from "../../../../core/proof/verifyResponse.ts"
import type { Trusted } from "../parts/store.ts"
import { here, oneLook } from "./transport.ts"
import { trustNow } from "./trust.ts"

export interface Signed {
  /** The body as JSON, in the form of the API: it is compared with the page, and never shown as it is. */
  readonly body: unknown
  readonly checks: ReadonlyArray<Check>
}

/** Throws `CouldNotLook` if there is no such answer. */
export const signedAnswer = async ({
  path,
  trusted
}: {
  readonly path: string
  readonly trusted: Trusted
}): Promise<Signed> => {
  const get = oneLook()
  const url = `${here()}${path}`
  const answer = await get(url)
  if (answer.status !== 200)
    throw new CouldNotLook(`the data behind this page could not be read (status ${answer.status})`)
  const keys = await fetchKeys(get, here())
  const checks = verifyResponse(
    { ...answer, request: requestOf("GET", url) },
    { keys, pins: trustNow(trusted).pins ?? [], bodyOnly: true, now: Date.now() }
  )
  return { body: parseJson(fromUtf8(answer.body)), checks }
}
