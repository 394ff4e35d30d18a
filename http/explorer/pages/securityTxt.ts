/** `/.well-known/security.txt` (RFC 9116): where a weakness is reported. */
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { day } from "../../../core/plugin/time.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { Operator } from "../../Operator.ts"

/** It is made again each day, so that it never expires; RFC 9116 recommends less than a year. */
const validFor = 180 * day

export const securityTxt = Effect.gen(function* () {
  const { email, security } = yield* Operator
  const { baseUrl } = yield* HttpSettings
  const contact = security ?? (email === undefined ? undefined : `mailto:${email}`)
  if (contact === undefined)
    return yield* new NotFound({
      message:
        "The operator of this service has given no address for weaknesses. One of the software is reported as its SECURITY.md says."
    })
  const today = Math.floor((yield* Clock.currentTimeMillis) / day) * day
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(today + validFor).toISOString().slice(0, 19)}Z`,
    "Preferred-Languages: en",
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    `Policy: ${baseUrl}/about#contact`
  ]
  return HttpServerResponse.text(`${lines.join("\n")}\n`, { contentType: "text/plain; charset=utf-8" })
})
