/** Everything an operator can set in the environment. An invalid value stops the start with a one-line message. */
import {
  Config,
  ConfigProvider,
  Context,
  Effect,
  Layer,
  Option,
  Redacted,
  Schema,
  SubscriptionRef
} from "effect"
import { program } from "../../core/process/program.ts"
import type { TestMode } from "../../http/HttpSettings.ts"
import type { Bucket } from "../outside/objectStore.ts"
import * as UpstreamMap from "../upstream/map.ts"
import { bucketConfig, bucketOf } from "./bucket.ts"
import { usualDataDir } from "./dataDir.ts"
import { type LiveValues, readLive } from "./live.ts"
import { operatorConfig } from "./operator.ts"
import { restoring } from "./restoring.ts"
import { type Role, roles } from "./roles.ts"
import { testModeConfig, testModeOf } from "./testMode.ts"
import { type WarrantySettings, warrantyConfig, warrantyOf } from "./warranty.ts"

const text = (name: string, fallback: string) =>
  Config.NonEmptyString(name).pipe(Config.withDefault(fallback))
const atLeast = (name: string, least: number) =>
  Config.schema(Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(least)), name)
const counted = (name: string) => atLeast(name, 0)
const positive = (name: string) => atLeast(name, 1)
const natural = (name: string, fallback: number) => Config.withDefault(counted(name), fallback)
const secret = (name: string) => Config.option(Config.Redacted(name))
const optionalText = (name: string) => Config.option(Config.NonEmptyString(name))
const list = (name: string, fallback: ReadonlyArray<string>) =>
  Config.NonEmptyString(name).pipe(
    Config.map((value) => value.split(",").map((part) => part.trim())),
    Config.withDefault(fallback)
  )

/** A limit per client network, or none (`off`, for benchmarks). */
const limit = (name: string, fallback: number) =>
  Config.schema(
    Schema.Union([Schema.Literal("off"), Schema.NumberFromString.check(Schema.isInt())]),
    name
  ).pipe(
    Config.withDefault(fallback),
    Config.map((value) => (value === "off" ? null : value))
  )

const address = (name: string) =>
  Config.option(Config.schema(Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)), name))

/** The address of a process; an IPv6 host stands in brackets. */
const hostAndPort = (name: string) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text) => addressOf(text) !== undefined, {
        expected: "a host and a port, e.g. 10.0.0.7:9080"
      })
    ),
    name
  ).pipe(Config.map((text) => addressOf(text) ?? { host: text, port: 0 }))

const addressOf = (text: string): { readonly host: string; readonly port: number } | undefined => {
  const url = URL.parse(`tcp://${text}`)
  if (url === null || url.port === "" || url.port === "0" || `${url.hostname}:${url.port}` !== text) return
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) }
}

/** What a process of several does. All of them answer over HTTP. */
const processRoles = [...roles, "http"] as const

const rolesIn = (text: string): ReadonlyArray<Role> | undefined => {
  const named = text.split(",").map((part) => part.trim())
  return named.every((name) => processRoles.some((role) => role === name))
    ? roles.filter((role) => named.includes(role))
    : undefined
}

const config = Config.all({
  operator: operatorConfig,
  host: text("HOST", "127.0.0.1"),
  port: Config.Port("PORT").pipe(Config.withDefault(8080)),
  baseUrl: Config.option(Config.URL("BASE_URL")),
  dataDir: optionalText("DATA_DIR"),
  databaseUrl: secret("DATABASE_URL"),
  clusterAddress: Config.option(hostAndPort("CLUSTER_ADDRESS")),
  roles: Config.option(
    Config.schema(
      Schema.String.check(
        Schema.makeFilter((text) => rolesIn(text) !== undefined, {
          expected: `some of ${processRoles.join(", ")}, comma-separated`
        })
      ),
      "ROLES"
    )
  ),
  drainSeconds: Config.option(counted("DRAIN_SECONDS")),
  ...bucketConfig,
  archiveDir: optionalText("ARCHIVE_DIR"),
  archiveMemoryMib: natural("ARCHIVE_MEMORY_MIB", 512),
  signingKeyFile: optionalText("SIGNING_KEY_FILE"),
  logKeyFile: optionalText("LOG_KEY_FILE"),
  logHeadDir: optionalText("LOG_HEAD_DIR"),
  keyNoticeSeconds: natural("KEY_NOTICE_SECONDS", 600),
  serverSecretFile: optionalText("SERVER_SECRET_FILE"),
  trustProxy: natural("TRUST_PROXY", 0),
  answerSlots: Config.withDefault(positive("ANSWER_SLOTS"), 2),
  upstreamMap: Config.option(Config.schema(Schema.String, "UPSTREAM_MAP")),
  keylessPerMinute: limit("KEYLESS_PER_MINUTE", 300),
  keylessPerDay: limit("KEYLESS_PER_DAY", 1500),
  supplySample: natural("SUPPLY_SAMPLE", 12),
  networksSample: natural("NETWORKS_SAMPLE", 40),
  starterCredits: natural("STARTER_CREDITS", 5),
  starterGrants: natural("STARTER_GRANTS", 3),
  healthProfileNetwork: text("HEALTH_PROFILE_NETWORK", "FIL"),
  keepReadingsDays: natural("KEEP_READINGS_DAYS", 90),
  keepBodiesDays: natural("KEEP_BODIES_DAYS", 90),
  /** Monitors count on 90 days at least. */
  keepRunsDays: Config.withDefault(atLeast("KEEP_RUNS_DAYS", 90), 90),
  collectorMemoryMib: natural("COLLECTOR_MEMORY_MIB", 1024),
  enabledPlugins: list("ENABLE_PLUGINS", []),
  /** Folders and packages. The process reads them before all else (`bin.ts`). */
  plugins: list("PLUGINS", []),
  evmRpcUrl: Config.option(Config.Redacted("EVM_RPC_URL")),
  evmChainId: natural("EVM_CHAIN_ID", 8453),
  usdcAddress: address("USDC_ADDRESS"),
  depositAddress: address("DEPOSIT_ADDRESS"),
  x402PayTo: address("X402_PAY_TO"),
  x402SettlerKey: secret("X402_SETTLER_KEY"),
  x402FacilitatorUrl: Config.option(Config.URL("X402_FACILITATOR_URL")),
  warranty: warrantyConfig,
  testMode: testModeConfig,
  stripeSecretKey: secret("STRIPE_SECRET_KEY"),
  stripeWebhookSecret: secret("STRIPE_WEBHOOK_SECRET"),
  stripeApiBase: Config.option(Config.URL("STRIPE_API_BASE")),
  mcpOrigins: Config.schema(Schema.String, "MCP_ORIGINS").pipe(
    Config.withDefault(""),
    Config.map((value) => value.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()])))
  ),
  mcpRegistryKey: optionalText("MCP_REGISTRY_KEY"),
  metricsPort: Config.option(Config.Port("METRICS_PORT")),
  webhookLoopback: Config.Boolean("WEBHOOK_LOOPBACK").pipe(Config.withDefault(false)),
  smtpUrl: secret("SMTP_URL"),
  mailFrom: optionalText("MAIL_FROM"),
  telegramBotToken: secret("TELEGRAM_BOT_TOKEN"),
  messengerMap: Config.option(Config.schema(Schema.String, "MESSENGER_MAP")),
  otlpEndpoint: Config.option(Config.URL("OTLP_ENDPOINT")),
  otlpHeaders: Config.Record(Schema.String, Schema.StringFromUriComponent, "OTLP_HEADERS").pipe(
    Config.withDefault({}),
    Config.map((headers) => Redacted.make(headers))
  ),
  otlpSample: Config.schema(
    Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
    "OTLP_SAMPLE"
  ).pipe(Config.withDefault(0.01)),
  logFormat: Config.Literals(["text", "json"], "LOG_FORMAT").pipe(Config.withDefault("text" as const)),
  aiApiBase: Config.option(Config.URL("AI_API_BASE")),
  aiModel: optionalText("AI_MODEL"),
  aiApiKey: secret("AI_API_KEY"),
  otsCalendars: list("OTS_CALENDARS", [
    "https://a.pool.opentimestamps.org",
    "https://b.pool.opentimestamps.org",
    "https://a.pool.eternitywall.com",
    "https://ots.btc.catallaxy.com"
  ]),
  witnesses: optionalText("WITNESSES"),
  observers: optionalText("OBSERVERS"),
  chainLooks: optionalText("CHAIN_LOOKS"),
  permissions: optionalText("PERMISSIONS"),
  sellUnknownRights: Config.Boolean("SELL_UNKNOWN_RIGHTS").pipe(Config.withDefault(true)),
  simulatedPermissions: Config.Boolean("SIMULATED_PERMISSIONS").pipe(Config.withDefault(true)),
  notaries: secret("NOTARIES"),
  esploraUrls: list("ESPLORA_URL", ["https://blockstream.info/api", "https://mempool.space/api"]),
  logMirrors: list("LOG_MIRRORS", []),
  settingsFile: optionalText("SETTINGS_FILE"),
  anchorNetwork: Config.schema(
    Schema.Literals(["bitcoin", "bitcoin-regtest-fixture"]),
    "ANCHOR_NETWORK"
  ).pipe(Config.withDefault("bitcoin" as const))
})

/** True for a scheme and a host, with nothing after them. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

/** True for the 32 bytes of a public Ed25519 key in base64. */
const isRegistryKey = (text: string): boolean => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length === 32 && bytes.toString("base64") === text
}

interface Values
  extends Omit<
    Effect.Success<typeof config>,
    "dataDir" | "drainSeconds" | "roles" | "testMode" | "warranty" | keyof typeof bucketConfig
  > {
  readonly dataDir: string
  /** Where bodies are kept; none for the database's own place. */
  readonly bucket: Option.Option<Bucket>
  /** Where the archive is kept, if in a bucket. */
  readonly archiveBucket: Option.Option<Bucket>
  /** The shared work that this process may do. */
  readonly roles: ReadonlyArray<Role>
  /** What is promised of what is sold; undefined for nothing. */
  readonly warranty: WarrantySettings | undefined
  readonly testMode: TestMode
  /** How long it still answers once it was told to stop. */
  readonly drainSeconds: number
  /** `baseUrl` if set, else built from host and port; no trailing slash. Never taken from a Host header. */
  readonly base: string
  readonly map: UpstreamMap.UpstreamMap
  /** Local stand-ins of the hosts that messages of alerts go to, for tests. */
  readonly messengerHosts: UpstreamMap.UpstreamMap
  /** Those that may change while the service runs. */
  readonly live: SubscriptionRef.SubscriptionRef<LiveValues>
}

/** A setting that cannot be used. The message is one line that names it. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  message: Schema.String
}) {}

export class Settings extends Context.Service<Settings, Values>()("runtime/Settings") {
  /** `dataDir` is the default of `DATA_DIR`: the demo has its own. */
  static readonly layerIn = (dataDir: string) =>
    Layer.effect(
      Settings,
      Effect.gen(function* () {
        const values = yield* config
        const { values: live } = yield* readLive(yield* ConfigProvider.ConfigProvider, values.settingsFile)
        const base = Option.match(values.baseUrl, {
          onNone: () =>
            `http://${values.host.includes(":") ? `[${values.host}]` : values.host}:${values.port}`,
          onSome: (url) => url.href.replace(/\/+$/, "")
        })
        const map = yield* UpstreamMap.parseMap(Option.getOrElse(values.upstreamMap, () => ""))
        const messengerHosts = yield* UpstreamMap.parseMap(
          Option.getOrElse(values.messengerMap, () => ""),
          "MESSENGER_MAP"
        )
        if (Option.isSome(values.smtpUrl) !== Option.isSome(values.mailFrom)) {
          return yield* new SettingsError({
            message:
              "SMTP_URL and MAIL_FROM must be set together: the mail server, and the sender of the mails"
          })
        }
        const smtp = Option.map(values.smtpUrl, (url) => URL.parse(Redacted.value(url)))
        if (Option.isSome(smtp) && !/^smtps?:$/.test(smtp.value?.protocol ?? "")) {
          return yield* new SettingsError({
            message:
              "SMTP_URL must be smtp://host:port or smtps://host, with user:password@ if it asks for them"
          })
        }
        const unusable = values.mcpOrigins.find((origin) => !isOrigin(origin))
        if (unusable !== undefined) {
          return yield* new SettingsError({
            message: `MCP_ORIGINS: "${unusable}" is not an origin (expected e.g. https://app.example.org)`
          })
        }
        const registryKey = Option.getOrUndefined(values.mcpRegistryKey)
        if (registryKey !== undefined && !isRegistryKey(registryKey)) {
          return yield* new SettingsError({
            message: "MCP_REGISTRY_KEY must be a public Ed25519 key: 32 bytes in base64"
          })
        }
        if (Option.isSome(values.stripeSecretKey) !== Option.isSome(values.stripeWebhookSecret)) {
          return yield* new SettingsError({
            message:
              "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together: without webhooks no payment is credited"
          })
        }
        if (Option.isSome(values.aiApiBase) !== Option.isSome(values.aiModel)) {
          return yield* new SettingsError({
            message:
              "AI_API_BASE and AI_MODEL must be set together: the address of the language model and its name"
          })
        }
        if (Option.isSome(values.clusterAddress) && Option.isNone(values.databaseUrl)) {
          return yield* new SettingsError({
            message:
              "CLUSTER_ADDRESS needs DATABASE_URL: the embedded database belongs to one process; set DATABASE_URL, or unset CLUSTER_ADDRESS"
          })
        }
        if (Option.isSome(values.databaseUrl)) {
          for (const [name, file] of [
            ["SIGNING_KEY_FILE", values.signingKeyFile],
            ["LOG_KEY_FILE", values.logKeyFile]
          ] as const) {
            if (Option.isSome(file)) continue
            return yield* new SettingsError({
              message: `${name} must be set with DATABASE_URL, because replicas sign with the same keys; name its file. ${restoring}; only for a new database, create it with: ${program} key new`
            })
          }
          if (Option.isNone(values.serverSecretFile)) {
            return yield* new SettingsError({
              message: `SERVER_SECRET_FILE must be set with DATABASE_URL, because replicas share one secret; name its file. ${restoring}; only for a new database, create it with: ${program} secret new <file>`
            })
          }
        }
        const bucketIn = (setting: "ARCHIVE_URL" | "BLOBS_URL", url: Option.Option<string>) =>
          Effect.mapError(bucketOf(setting, url, values), (message) => new SettingsError({ message }))
        if (Option.isSome(values.archiveDir) && Option.isSome(values.archiveUrl)) {
          return yield* new SettingsError({
            message: "ARCHIVE_URL and ARCHIVE_DIR both say where the archive is; unset one of them"
          })
        }
        if (Option.isSome(values.roles) && Option.isNone(values.clusterAddress)) {
          return yield* new SettingsError({
            message:
              "ROLES needs CLUSTER_ADDRESS: a process without it does everything; set both, or unset ROLES"
          })
        }
        const warranty = warrantyOf(values.warranty, {
          keepReadingsDays: values.keepReadingsDays,
          perRequest: Option.isSome(values.x402PayTo),
          stablecoins: Option.isSome(values.depositAddress) && Option.isSome(values.evmRpcUrl)
        })
        if (typeof warranty === "string") return yield* new SettingsError({ message: warranty })
        const testMode = testModeOf(values.testMode, values, values.baseUrl)
        if (typeof testMode === "string") return yield* new SettingsError({ message: testMode })
        return {
          ...values,
          warranty,
          testMode,
          // The live service stands in front.
          trustProxy: testMode.keys === "test" ? Math.max(1, values.trustProxy) : values.trustProxy,
          bucket: yield* bucketIn("BLOBS_URL", values.blobsUrl),
          archiveBucket: yield* bucketIn("ARCHIVE_URL", values.archiveUrl),
          dataDir: Option.getOrElse(values.dataDir, () => dataDir),
          roles: Option.match(values.roles, {
            onNone: () => roles,
            onSome: (text) => rolesIn(text) ?? roles
          }),
          drainSeconds: Option.getOrElse(values.drainSeconds, () =>
            Option.isSome(values.clusterAddress) ? 5 : 0
          ),
          base,
          map,
          messengerHosts,
          live: yield* SubscriptionRef.make(live)
        }
      }).pipe(
        Effect.mapError((error) =>
          error instanceof SettingsError
            ? error
            : new SettingsError({ message: error.message.replace(/\s+/g, " ") })
        )
      )
    )

  static readonly layer = Settings.layerIn(usualDataDir.live)
}

/** The settings that may change while the service runs, as they are now. */
export const liveOf = ({ live }: Pick<Settings["Service"], "live">): LiveValues =>
  SubscriptionRef.getUnsafe(live)
