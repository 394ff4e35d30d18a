/**
 * The server's secret (`SERVER_SECRET_FILE`). Values that must be stored unreadably, or derived again without being
 * stored, are HMACs with this secret. Each use has its own purpose, so no two can be confused.
 */
import { createHash, createHmac } from "node:crypto"
import { Context, Layer, Redacted } from "effect"

export class Secret extends Context.Service<
  Secret,
  {
    /** HMAC-SHA-256 of purpose and text. */
    readonly hmac: (purpose: string, text: string) => Uint8Array
  }
>()("core/credits/Secret") {
  static readonly layer = (secret: Redacted.Redacted<Uint8Array>): Layer.Layer<Secret> =>
    Layer.succeed(
      Secret,
      Secret.of({
        hmac: (purpose, text) =>
          createHmac("sha256", Redacted.value(secret)).update(`plumbline\n${purpose}\n${text}`).digest()
      })
    )
}

/** SHA-256 as lower-case hex. */
export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
