/** `Idempotency-Key`: the same key and body get the first answer again; the same key with another body is refused. */
import { Effect } from "effect"
import { canonical } from "../proof/canonical.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { sha256 } from "./Secret.ts"

/** The key as it may be kept: 1 to 255 visible ASCII characters; undefined where none was sent. */
export const checkKey = (key: string | undefined): Effect.Effect<string | undefined, BadParameter> =>
  key === undefined || /^[!-~]{1,255}$/.test(key)
    ? Effect.succeed(key)
    : Effect.fail(
        new BadParameter({
          field: "Idempotency-Key",
          message: "Idempotency-Key takes 1 to 255 visible ASCII characters"
        })
      )

/** What two bodies have in common when they ask the same: the SHA-256 of the canonical form. */
export const bodyHash = (body: unknown): Effect.Effect<string, BadParameter> =>
  Effect.try({
    try: () => sha256(canonical(body)),
    catch: () =>
      new BadParameter({
        field: "body",
        message: "The body holds a number or a text that JSON cannot hold (1e309, a lone surrogate)"
      })
  })
