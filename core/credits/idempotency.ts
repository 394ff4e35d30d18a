/** `Idempotency-Key`: repeating a key and body returns the first response; the same key with another body is rejected. */
import { Effect } from "effect"
import { canonical } from "../proof/canonical.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { sha256 } from "./Secret.ts"

/** The key, if it is 1 to 255 visible ASCII characters; undefined if none was sent. */
export const checkKey = (key: string | undefined): Effect.Effect<string | undefined, BadParameter> =>
  key === undefined || /^[!-~]{1,255}$/.test(key)
    ? Effect.succeed(key)
    : Effect.fail(
        new BadParameter({
          field: "Idempotency-Key",
          message: "Idempotency-Key must be 1 to 255 visible ASCII characters."
        })
      )

/** SHA-256 of the canonical form of a body: equal for bodies that mean the same. */
export const bodyHash = (body: unknown): Effect.Effect<string, BadParameter> =>
  Effect.try({
    try: () => sha256(canonical(body)),
    catch: () =>
      new BadParameter({
        field: "body",
        message:
          "The body contains a value that cannot be represented exactly (a number such as 1e309, or a lone surrogate)."
      })
  })
