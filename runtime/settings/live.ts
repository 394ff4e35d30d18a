/**
 * The settings that may change while the service runs: SIGHUP reads them again (`runtime/service/reload.ts`). None of them is quoted in an
 * answer, so processes of a cluster that reload one after the other answer the same meanwhile.
 */
import { readFile } from "node:fs/promises"
import { parseEnv } from "node:util"
import { Config, ConfigProvider, Effect, Equal, Option, Schema, Struct } from "effect"

const isHttp = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "")

const partsOf = (text: string): ReadonlyArray<string> => text.split(",").map((part) => part.trim())

/** Addresses, comma-separated. */
const addresses = (name: string, fallback: ReadonlyArray<string>) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text) => partsOf(text).every(isHttp), {
        expected: "http or https addresses, comma-separated"
      })
    ),
    name
  ).pipe(Config.map(partsOf), Config.withDefault(fallback))

const positive = (name: string) =>
  Config.schema(Schema.NumberFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(1)), name)

/** What each of them is read from. */
const sources = {
  logLevel: Config.option(Config.Literals(["debug", "info", "warn", "error"], "LOG_LEVEL")),
  mostConnections: Config.option(positive("MAX_CONNECTIONS")),
  mostConnectionsOfNetwork: Config.withDefault(positive("MAX_CONNECTIONS_PER_NETWORK"), 256),
  otsCalendars: addresses("OTS_CALENDARS", [
    "https://a.pool.opentimestamps.org",
    "https://b.pool.opentimestamps.org",
    "https://a.pool.eternitywall.com",
    "https://ots.btc.catallaxy.com"
  ]),
  witnesses: Config.option(Config.NonEmptyString("WITNESSES")),
  esploraUrls: addresses("ESPLORA_URL", ["https://blockstream.info/api", "https://mempool.space/api"])
}

/** The name of each in the environment and in the file. */
const names = {
  logLevel: "LOG_LEVEL",
  mostConnections: "MAX_CONNECTIONS",
  mostConnectionsOfNetwork: "MAX_CONNECTIONS_PER_NETWORK",
  otsCalendars: "OTS_CALENDARS",
  witnesses: "WITNESSES",
  esploraUrls: "ESPLORA_URL"
} as const satisfies Record<keyof typeof sources, string>

const keys = Struct.keys(names)

const config = Config.all(sources)

export interface LiveValues extends Effect.Success<typeof config> {}

/** The names of the settings that differ between two readings. */
export const changedNames = (before: LiveValues, after: LiveValues): ReadonlyArray<string> =>
  keys.flatMap((key) => (Equal.equals(before[key], after[key]) ? [] : [names[key]]))

type Variables = Readonly<Record<string, string | undefined>>

export interface LiveReading {
  readonly values: LiveValues
  /** Names in the file of settings that only a start reads, with another value than this process has. */
  readonly needRestart: ReadonlyArray<string>
}

const liveNames: ReadonlySet<string> = new Set(Object.values(names))

/** The variables in a file of lines `NAME=value`, such as the `EnvironmentFile` of a unit. */
const variablesIn = (file: string) =>
  Effect.tryPromise({
    try: async (): Promise<Variables> => parseEnv(await readFile(file, "utf8")),
    catch: (error) => ({
      message: `SETTINGS_FILE: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`
    })
  })

/** Reads them from the environment, and from the file that `SETTINGS_FILE` names, whose values come before. */
export const readLive = Effect.fn("readLive")(function* (
  environment: ConfigProvider.ConfigProvider,
  file: Option.Option<string>
) {
  const variables = Option.isSome(file) ? yield* variablesIn(file.value) : {}
  const own = Object.fromEntries(Object.entries(variables).filter(([name]) => liveNames.has(name)))
  const provider = ConfigProvider.orElse(ConfigProvider.fromEnvRecord(own), environment)
  const values = yield* Effect.provideService(config, ConfigProvider.ConfigProvider, provider)
  const needRestart = Object.entries(variables).flatMap(([name, value]) =>
    liveNames.has(name) || value === process.env[name] ? [] : [name]
  )
  return { values, needRestart } satisfies LiveReading
})
