/**
 * The archive as Croissant 1.1 (http://mlcommons.org/croissant/1.1), which programs that train models and search engines for
 * data read. Its files are those of single days, which are open to everybody.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { archivePath, type Column, dayColumns, fileName } from "../../proof/archive.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ArchiveIndex } from "../../wire/log/archive.ts"
import { NotFound } from "../../wire/problems/request.ts"
import { archiveIndex } from "./archive.ts"

export const croissantType = 'application/ld+json; profile="http://mlcommons.org/croissant/1.1"'

/** Files that are named one by one, the newest. All others are in the list of sums. */
export const mostNamed = 400

const publishedRows = rowsOf({ first: Schema.NullOr(Schema.Date) })

/** The context that the specification recommends, of the terms that occur. */
const context = {
  "@language": "en",
  "@vocab": "http://schema.org/",
  sc: "http://schema.org/",
  cr: "http://mlcommons.org/croissant/",
  rai: "http://mlcommons.org/croissant/RAI/",
  dct: "http://purl.org/dc/terms/",
  citeAs: "cr:citeAs",
  column: "cr:column",
  conformsTo: "dct:conformsTo",
  containedIn: "cr:containedIn",
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  extract: "cr:extract",
  field: "cr:field",
  fileObject: "cr:fileObject",
  fileSet: "cr:fileSet",
  includes: "cr:includes",
  isLiveDataset: "cr:isLiveDataset",
  key: "cr:key",
  readLines: "cr:readLines",
  recordSet: "cr:recordSet",
  regex: "cr:regex",
  source: "cr:source",
  transform: "cr:transform"
}

const dataTypes = {
  boolean: "sc:Boolean",
  date: "sc:Date",
  double: "sc:Float",
  hash: "sc:Text",
  integer: "sc:Integer",
  text: "sc:Text",
  time: "sc:DateTime"
} as const satisfies Record<Column["type"], string>

const meanings: Readonly<Record<(typeof dayColumns)[number]["name"], string>> = {
  day: "The UTC day that the value is of.",
  symbol: "The network, or what is measured of the physical world.",
  metric: "What is measured; /v1/data-dictionary has its meaning.",
  source: "Who the value is from.",
  unit: "The unit of the value.",
  value: "The value.",
  value_text: "All digits of the value, where a double has fewer.",
  as_of: "The time that the value is true at, by its source.",
  n_observations: "Readings of the day; 0 where the value was withdrawn.",
  verify_url: "Where the value can be looked up at its source.",
  kind: "The kind of the leaf.",
  version: "1, and one more for each revision of the day's value: take the highest.",
  excluded_by: "The incident that excludes the readings; null of accepted ones.",
  recorded_at: "When the service recorded it.",
  simulated: "True if the value is made up for a demonstration.",
  readings_sha256: "32 bytes: the hash of the readings.",
  follows: "32 bytes: the hash of the version before.",
  leaf_hash: "32 bytes: the hash of the row in the tree of its day.",
  licence: "What the source allows; not in files from before this column."
}

const parquet = "application/vnd.apache.parquet"

const fileObject = (baseUrl: string, { bytes, name, sha256 }: ArchiveIndex["files"][number]) => ({
  "@type": "cr:FileObject",
  "@id": name,
  name,
  contentUrl: `${baseUrl}${archivePath}/${name}`,
  contentSize: `${bytes} B`,
  encodingFormat: parquet,
  sha256
})

const fieldOf = ({ name, type }: (typeof dayColumns)[number]) => ({
  "@type": "cr:Field",
  "@id": `leaves/${name}`,
  name,
  description: meanings[name],
  dataType: dataTypes[type],
  source: { fileSet: { "@id": "days" }, extract: { column: name } }
})

const describe = (simulated: boolean): string =>
  `Daily values of decentralized infrastructure networks and of the physical world, each with its source, its time and the address where it can be looked up. A file for each closed day has every row that was sealed on it; a revision is another row, in a later file. The hash of each file is in a public log.${
    simulated ? " This service is a demonstration: its values are simulated." : ""
  }`

/** What is known of how the data came about, in the words of http://mlcommons.org/croissant/RAI/1.0. */
const responsible = {
  "rai:dataCollection":
    "Programs read the public interfaces of networks, markets and agencies at fixed intervals. Every accepted value names its source and the address that it was read at.",
  "rai:dataCollectionMissingData":
    "What was not measured has no row. It is never 0, guessed or carried forward.",
  "rai:dataLimitations":
    "Most values are what networks say of themselves. Metrics of different sources may count differently; the data dictionary says how. A value may be revised or excluded later.",
  "rai:personalSensitiveInformation": "None: the values are of networks, markets and physical measurements.",
  "rai:dataReleaseMaintenancePlan":
    "The file of a day is published soon after 08:00 UTC of the next day and never changes. Revisions and late values are rows of later files."
}

/** The description of the files of the index, the first of which was published at `since`. */
const document = (baseUrl: string, { files, generated_utc, simulated }: ArchiveIndex, since: Date) => {
  const days = files.filter(({ period }) => period === "day")
  const [last, first] = [days[0]?.last_day ?? "", days.at(-1)?.first_day ?? ""]
  const creator = { "@type": "sc:Organization", name: "Plumbline", url: baseUrl }
  return {
    "@context": context,
    "@type": "sc:Dataset",
    conformsTo: ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
    name: "plumbline-archive",
    description: describe(simulated === true),
    url: `${baseUrl}${archivePath}/`,
    license: `${baseUrl}/terms`,
    citeAs: `@misc{plumbline, title = {Plumbline archive of daily values, ${first} to ${last}}, author = {{Plumbline}}, year = {${last.slice(0, 4)}}, url = {${baseUrl}${archivePath}/}}`,
    creator,
    publisher: creator,
    datePublished: isoTime(since.getTime()),
    dateModified: generated_utc,
    temporalCoverage: `${first}/${last}`,
    // Only what is read otherwise than before counts up: https://mlcommons.org/croissant/1.1, "Daily snapshots".
    version: "1.0.0",
    isLiveDataset: true,
    isAccessibleForFree: true,
    inLanguage: "en",
    keywords: ["decentralized infrastructure", "DePIN", "physical measurements", "time series", "provenance"],
    ...responsible,
    distribution: [
      {
        "@type": "cr:FileObject",
        "@id": "SHA256SUMS",
        name: "SHA256SUMS",
        description: "The SHA-256 and the name of every file.",
        contentUrl: `${baseUrl}${archivePath}/SHA256SUMS`,
        encodingFormat: "text/plain"
      },
      {
        "@type": "cr:FileSet",
        "@id": "days",
        name: "days",
        description: `The files of all closed days, such as ${fileName("day", last)}; the newest ${mostNamed} are also named here with their hashes.`,
        containedIn: {
          "@type": "cr:DataSource",
          fileObject: { "@id": "SHA256SUMS" },
          transform: [{ readLines: true }, { regex: "^[0-9a-f]{64}  (.+)$" }]
        },
        encodingFormat: parquet,
        includes: "daily/*/*/*.parquet"
      },
      ...days.slice(0, mostNamed).map((file) => fileObject(baseUrl, file))
    ],
    recordSet: [
      {
        "@type": "cr:RecordSet",
        "@id": "leaves",
        name: "leaves",
        description: "Every row that was published, once.",
        key: { "@id": "leaves/leaf_hash" },
        field: dayColumns.map(fieldOf)
      }
    ]
  }
}

/** The description, as JSON; fails until there is a file. */
export const croissant = Effect.fn("Log.croissant")(function* (baseUrl: string) {
  const sql = yield* SqlClient.SqlClient
  const index = yield* archiveIndex
  const [row] = yield* sql`select min(recorded_at) as first from archive_file where period = 'day'`.pipe(
    publishedRows
  )
  const since = row?.first ?? null
  if (since === null || index.files.length === 0)
    return yield* new NotFound({
      message:
        "The archive is empty. Its first file is published soon after 08:00 UTC on the day after the first day of data."
    })
  return JSON.stringify(document(baseUrl, index, since))
})
