/**
 * Signatures of webhooks (Standard Webhooks 1.0). A secret is derived from the server's secret, the webhook and its epoch,
 * so the database holds nothing that could sign.
 */
import { createHmac } from "node:crypto"
import type { Secret } from "../credits/Secret.ts"
import { day } from "../plugin/time.ts"

/** How long the previous secret signs, too, after a rotation, in milliseconds. */
export const overlap = day

const keyOf = (secret: Secret["Service"], id: string, epoch: number): Uint8Array =>
  secret.hmac("webhook secret", `${id}\n${epoch}`)

/** The secret as its owner gets it. */
export const secretOf = (secret: Secret["Service"], id: string, epoch: number): string =>
  `whsec_${Buffer.from(keyOf(secret, id, epoch)).toString("base64")}`

/** The three headers of a message. `at` is in epoch milliseconds. */
export const signedHeaders = (
  secret: Secret["Service"],
  webhook: { readonly id: string; readonly epochs: ReadonlyArray<number> },
  message: { readonly id: string; readonly at: number; readonly body: string }
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(message.at / 1000))
  const signatures = webhook.epochs.map((epoch) => {
    const mac = createHmac("sha256", keyOf(secret, webhook.id, epoch)).update(
      `${message.id}.${timestamp}.${message.body}`
    )
    return `v1,${mac.digest("base64")}`
  })
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" ")
  }
}
