import { Effect, Result, Schema } from "effect"
import { headline, isNumber, type Moment, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { combine, double, object, readable, text } from "#plugin/fields"
import { unionLabel, unionLabels } from "#plugin/union"
import { isMarker, isShip } from "./mmsi.ts"

/** A fix older than this is no vessel that is being tracked. */
const window = 30 * 60_000

const Coordinates = Upstream.maybe(Schema.Array(Schema.Unknown))

const Features = Schema.Struct({ features: Schema.Array(Schema.Unknown) })

const Digitraffic = Schema.Struct({
  geometry: object({ coordinates: Coordinates }),
  properties: Schema.Struct({ mmsi: Schema.Int, timestampExternal: Upstream.maybe(double) })
})

const Kystdatahuset = Schema.Struct({
  geometry: object({ coordinates: Coordinates }),
  properties: Schema.Struct({
    mmsi: Schema.Int,
    ship_name: text,
    date_time_utc: Upstream.maybe(Upstream.TimeText)
  })
})

const Barentswatch = Schema.Struct({
  mmsi: Schema.Int,
  name: text,
  msgtime: Upstream.maybe(Upstream.TimeText),
  latitude: Upstream.maybe(double),
  longitude: Upstream.maybe(double)
})

/** Positions of ships: of class A, and of the smaller ones of class B. */
const reports = ["PositionReport", "StandardClassBPositionReport", "ExtendedClassBPositionReport"]

const AisstreamMessage = Schema.Struct({
  error: Upstream.maybe(Schema.String),
  MessageType: text,
  MetaData: object({
    MMSI: Schema.Int,
    ShipName: text,
    latitude: Upstream.maybe(double),
    longitude: Upstream.maybe(double),
    time_utc: Upstream.maybe(Schema.String)
  })
})

/** Where and when a vessel was last seen. */
interface Fix {
  readonly mmsi: number
  readonly name?: string | null | undefined
  readonly at: Moment | undefined
  readonly coordinates: ReadonlyArray<unknown> | null | undefined
}

interface Network {
  readonly symbol: string
  readonly source: string
}

/** One network's vessels; `as_of` is its newest fix. */
interface Part {
  readonly answer: Upstream.Answer<unknown>
  readonly vessels: ReadonlySet<number>
  readonly as_of: number
  readonly verify_url: string
}

/** The newest position of a Point or of a LineString. */
const position = (coordinates: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const last = coordinates.at(-1)
  return Array.isArray(last) ? last : coordinates
}

/** AIS says "no position" by latitude 91, longitude 181 or both 0. */
const isPlace = (coordinates: ReadonlyArray<unknown>): boolean => {
  const [longitude, latitude] = position(coordinates).map((degrees) => (isNumber(degrees) ? degrees : null))
  return (
    combine(
      [longitude, latitude],
      ([longitude, latitude]) =>
        Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (latitude !== 0 || longitude !== 0)
    ) === true
  )
}

const part = Effect.fnUntraced(function* (
  answer: Upstream.Answer<unknown>,
  fixes: ReadonlyArray<Fix>,
  verify_url: string = answer.url
) {
  const now = yield* Upstream.now
  const vessels = new Set<number>()
  let newest = 0
  for (const { at, coordinates, mmsi, name } of fixes) {
    if (!isShip(mmsi) || isMarker(name)) continue
    // A ship's clock may run ahead: a fix from the future is not a time to date the count by.
    if (typeof at !== "number" || at < now - window || at > answer.at + 60_000) continue
    if (coordinates === null || coordinates === undefined || !isPlace(coordinates)) continue
    vessels.add(mmsi)
    newest = Math.max(newest, at)
  }
  if (vessels.size === 0) {
    return yield* Upstream.implausible(answer, "", `no fresh fix in ${fixes.length} reports`)
  }
  return { answer, vessels, as_of: Math.min(newest, answer.at), verify_url } satisfies Part
})

const digitraffic = Effect.gen(function* () {
  const from = (yield* Upstream.now) - window
  const answer = yield* Upstream.json(
    {
      method: "GET",
      url: `https://meri.digitraffic.fi/api/ais/v1/locations?from=${from}`,
      headers: { "accept-encoding": "gzip", "digitraffic-user": "plumbline" }
    },
    Features
  )
  const features = yield* readable(answer, answer.body.features, Digitraffic)
  return yield* part(
    answer,
    features.map(({ geometry, properties }) => ({
      mmsi: properties.mmsi,
      at: properties.timestampExternal ?? undefined,
      coordinates: geometry?.coordinates
    }))
  )
})

const kystdatahuset = Effect.gen(function* () {
  const answer = yield* Upstream.json("https://kystdatahuset.no/ws/api/ais/realtime/geojson", Features)
  const features = yield* readable(answer, answer.body.features, Kystdatahuset)
  return yield* part(
    answer,
    features.map(({ geometry, properties }) => ({
      mmsi: properties.mmsi,
      name: properties.ship_name,
      at: Upstream.time(properties.date_time_utc),
      coordinates: geometry?.coordinates
    }))
  )
})

const barentswatch = Effect.gen(function* () {
  const answer = yield* Upstream.json(
    "https://live.ais.barentswatch.no/v1/latest/combined",
    Schema.Array(Schema.Unknown)
  )
  const latest = yield* readable(answer, answer.body, Barentswatch)
  return yield* part(
    answer,
    latest.map(({ latitude, longitude, mmsi, msgtime, name }) => ({
      mmsi,
      name,
      at: Upstream.time(msgtime),
      coordinates: [longitude, latitude]
    })),
    "https://www.barentswatch.no/en/articles/open-data-from-barentswatch/"
  )
})

const aisstream = Effect.gen(function* () {
  const answer = yield* Upstream.listen(
    "wss://stream.aisstream.io/v0/stream",
    {
      send: {
        APIKey: "{AISSTREAM_API_KEY}",
        BoundingBoxes: [
          [
            [-90, -180],
            [90, 180]
          ]
        ],
        FilterMessageTypes: reports
      },
      seconds: 30,
      messages: 20_000
    },
    Schema.Unknown
  )
  const messages = yield* readable(answer, answer.body, AisstreamMessage)
  const failure = messages.find(({ error }) => error !== null && error !== undefined)?.error
  if (failure !== null && failure !== undefined) return yield* Upstream.refused(answer, failure)
  return yield* part(
    answer,
    messages.flatMap(({ MessageType, MetaData }) =>
      // A message of another type repeats the last known place, and reports none.
      MetaData === null || MetaData === undefined || !reports.includes(MessageType ?? "")
        ? []
        : [
            {
              mmsi: MetaData.MMSI,
              name: MetaData.ShipName,
              // "2026-09-05 10:59:58.123456789 +0000 UTC": the zone is named twice.
              at: Upstream.time(MetaData.time_utc?.replace(/ UTC$/, "")),
              coordinates: [MetaData.longitude, MetaData.latitude]
            }
          ]
    ),
    "https://aisstream.io/"
  )
})

const union = "ais_union"
const networks = ["DIGITRAFFIC", "KYSTDATAHUSET", "BARENTSWATCH", "AISSTREAM"]

export default Plugin.define({
  id: "ais",
  title: "Vessels tracked by AIS",
  covers: {
    sector: "MARITIME_AIS",
    symbols: ["AIS", ...networks],
    gauges: ["ais_vessels_tracked"]
  },
  tier: "physical",
  source: union,
  sources: [
    "digitraffic_ais",
    "kystdatahuset_ais",
    "barentswatch_ais",
    "aisstream",
    ...unionLabels(union, networks)
  ],
  hosts: ["meri.digitraffic.fi", "kystdatahuset.no", "live.ais.barentswatch.no", "stream.aisstream.io"],
  every: "10 minutes",
  timeout: "2 minutes",
  calls: 4,
  grade: "B",
  evidence: readOn("2026-11-25", {
    "tmfg/digitraffic-marine@12944824 src/main/java/fi/livi/digitraffic/meri/dto/ais/v1/VesselLocationPropertiesV1.java:59":
      "timestampExternal, timestamp, mmsi",
    "tmfg/digitraffic-marine@12944824 src/main/java/fi/livi/digitraffic/meri/controller/ais/AisControllerV1.java:49":
      "locations, from",
    "havardgulldahl/qgis_kystdatahuset_ais@53f8756a kystdatahuset_ais.py:55": "realtime/geojson",
    "aisstream/ais-message-models@8650fc5b type-definition.yaml:47":
      "MetaData, MessageType, PositionReport, StandardClassBPositionReport"
  }),
  terms: termsOn(
    "2026-11-25",
    "Data: Fintraffic, digitraffic.fi (CC BY 4.0); Kystverket, kystdatahuset.no (NLOD)",
    {
      address: "https://www.fintraffic.fi/sv/fintraffic/oppna-data-och-digitraffic",
      licence: "CC-BY-4.0",
      quote:
        "Alla dataslag som Digitraffic erbjuder är maskinläsbara öppna data som är licensierad med Creative Commons 4.0 Erkännande."
    }
  ),
  auth: {
    "live.ais.barentswatch.no": {
      setting: "BARENTSWATCH_CLIENT",
      as: { client: { token: "https://id.barentswatch.no/connect/token", scope: "ais" } },
      optional: true
    },
    "stream.aisstream.io": {
      setting: "AISSTREAM_API_KEY",
      as: { placeholder: "{AISSTREAM_API_KEY}" },
      optional: true
    }
  },
  settings: { AISSTREAM: "off", BARENTSWATCH: "off" },
  keep: 3,
  metrics: {
    ais_vessels_tracked: headline(
      "vessels",
      "Ships with a valid position in the last 30 minutes, each counted once by its MMSI. Only MMSIs with the digits of a country count, and gear markers do not. The value of AIS is the union of all receiver networks that are read; where one does not answer, the union of the others stands under a source that names them, such as ais_union_of_digitraffic. Each network's own count is given next to it. It covers the Baltic and Norway, and the world only if aisstream.io is one of the networks."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const isOn = (name: string) =>
        Upstream.Upstream.use(({ settings }) => Effect.succeed(settings[name] === "on"))
      const named: ReadonlyArray<readonly [Network, typeof kystdatahuset]> = [
        [{ symbol: "DIGITRAFFIC", source: "digitraffic_ais" }, digitraffic],
        [{ symbol: "KYSTDATAHUSET", source: "kystdatahuset_ais" }, kystdatahuset],
        ...((yield* isOn("BARENTSWATCH"))
          ? [[{ symbol: "BARENTSWATCH", source: "barentswatch_ais" }, barentswatch] as const]
          : []),
        ...((yield* isOn("AISSTREAM"))
          ? [[{ symbol: "AISSTREAM", source: "aisstream" }, aisstream] as const]
          : [])
      ]
      const outcomes = yield* Upstream.parts(named)
      const read: Array<Part> = []
      const rows = outcomes.flatMap(({ name, outcome }) => {
        if (Result.isFailure(outcome)) {
          return [Plugin.failedPart(outcome.failure, name.symbol, "ais_vessels_tracked")]
        }
        const { answer, as_of, verify_url, vessels } = outcome.success
        read.push(outcome.success)
        return observe(answer, { ais_vessels_tracked: vessels.size }, { ...name, as_of, verify_url })
      })
      const [largest] = read.toSorted((a, b) => b.vessels.size - a.vessels.size)
      if (largest === undefined) return rows
      const live = outcomes.flatMap(({ name, outcome }) => (Result.isSuccess(outcome) ? [name.symbol] : []))
      const all = new Set(read.flatMap(({ vessels }) => [...vessels]))
      // A union is as old as its oldest part.
      const as_of = Math.min(...read.map((part) => part.as_of))
      const { answer, verify_url } = largest
      const source = unionLabel(
        union,
        named.map(([{ symbol }]) => symbol),
        live
      )
      return [
        ...rows,
        ...observe(answer, { ais_vessels_tracked: all.size }, { symbol: "AIS", source, as_of, verify_url })
      ]
    })
})
