/** Signature version 4 of Amazon's services, over the headers and the hash of the body. */
import { createHash } from "node:crypto"
import { AwsV4Signer } from "aws4fetch"
import { Effect, Redacted } from "effect"

export interface AccessKey {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  readonly region: string
}

export interface Unsigned {
  readonly method: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** SHA-256 of the body, lower-case hex; without it, there is no body. */
  readonly sha256?: string | undefined
}

export const sha256Of = (body: Uint8Array | string): string => createHash("sha256").update(body).digest("hex")

/** The headers of a request to S3 at that time (epoch milliseconds), its signature among them. */
export const signedHeaders = (
  { headers, method, sha256 = sha256Of(""), url }: Unsigned,
  { accessKeyId, region, secretAccessKey }: AccessKey,
  now: number
): Effect.Effect<Readonly<Record<string, string>>> => {
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, "x-amz-content-sha256": sha256 },
    accessKeyId,
    secretAccessKey: Redacted.value(secretAccessKey),
    service: "s3",
    region,
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "")
  })
  return Effect.map(
    // biome-ignore lint/plugin/promise: hashes in memory
    Effect.promise(() => signer.sign()),
    (signed) => Object.fromEntries(signed.headers)
  )
}
