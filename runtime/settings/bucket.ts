/** The settings of the buckets that hold bodies and the archive. */
import { Config, Effect, Option, type Redacted } from "effect"
import type { Bucket } from "../outside/objectStore.ts"

/** What the settings say, under their names in the SDKs of Amazon where those have one. */
export const bucketConfig = {
  blobsUrl: Config.option(Config.NonEmptyString("BLOBS_URL")),
  archiveUrl: Config.option(Config.NonEmptyString("ARCHIVE_URL")),
  awsAccessKeyId: Config.option(Config.NonEmptyString("AWS_ACCESS_KEY_ID")),
  awsSecretAccessKey: Config.option(Config.Redacted("AWS_SECRET_ACCESS_KEY")),
  awsRegion: Config.NonEmptyString("AWS_REGION").pipe(Config.withDefault("us-east-1")),
  awsEndpointUrl: Config.option(Config.URL("AWS_ENDPOINT_URL")),
  s3PathStyle: Config.option(Config.Boolean("S3_PATH_STYLE"))
}

interface BucketSettings {
  readonly awsAccessKeyId: Option.Option<string>
  readonly awsSecretAccessKey: Option.Option<Redacted.Redacted>
  readonly awsRegion: string
  readonly awsEndpointUrl: Option.Option<URL>
  readonly s3PathStyle: Option.Option<boolean>
}

/** Names of buckets as S3 allows them. */
const form = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/

/** The bucket of that setting, if it is set; fails with what is wrong with the settings. */
export const bucketOf = (
  setting: "ARCHIVE_URL" | "BLOBS_URL" | "backup" | "log publish",
  url: Option.Option<string>,
  settings: BucketSettings
): Effect.Effect<Option.Option<Bucket>, string> => {
  if (Option.isNone(url)) return Effect.succeedNone
  const [whole, bucket = "", prefix = ""] = form.exec(url.value) ?? []
  if (whole === undefined) {
    return Effect.fail(`${setting}: "${url.value}" is not a bucket (expected e.g. s3://my-bucket/folder)`)
  }
  const { awsAccessKeyId: id, awsSecretAccessKey: secret } = settings
  if (Option.isNone(id) || Option.isNone(secret)) {
    return Effect.fail(
      `AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set with ${setting}: the key that may list the bucket and get, put and delete its objects`
    )
  }
  return Effect.succeedSome({
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    region: settings.awsRegion,
    endpoint: settings.awsEndpointUrl,
    pathStyle: Option.getOrElse(settings.s3PathStyle, () => Option.isSome(settings.awsEndpointUrl)),
    accessKeyId: id.value,
    secretAccessKey: secret.value
  })
}
