import { Effect, Result, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as DataClock from "../../core/clock/DataClock.ts"
import { requireScope } from "../../core/credits/keys/ApiKey.ts"
import { tiersOfFullDepth } from "../../core/credits/tiers.ts"
import { ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { requireIntact } from "../../core/log/archive/requireIntact.ts"
import { hintName, tableFile, tableIndex } from "../../core/log/iceberg/files.ts"
import { archivedFile, archiveIndex, archiveSums } from "../../core/log/record/archive.ts"
import { croissant, croissantType } from "../../core/log/record/croissant.ts"
import { duckdbScript } from "../../core/log/record/duckdb.ts"
import { day } from "../../core/plugin/time.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { dateOf, lastDays } from "../../core/readings/read/days.ts"
import { HistoryTooDeep } from "../../core/wire/problems/accounts.ts"
import { RangeNotSatisfiable } from "../../core/wire/problems/request.ts"
import { Unavailable } from "../../core/wire/problems/service.ts"
import { Api } from "../api/Api.ts"
import { withOwnBody } from "../delivery/Body.ts"
import { immutable, privatelyImmutable, revalidated } from "../delivery/caching.ts"
import { LogFiles } from "../delivery/LogFiles.ts"
import { holdsUntil, RequestState } from "../delivery/RequestState.ts"
import { rangeOf, StoredFile } from "../delivery/StoredFile.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { caller } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"

const days = (historyDays: number | null, now: number): string | undefined =>
  historyDays === null ? undefined : dateOf(lastDays(now, historyDays).from)

const file = Effect.fnUntraced(function* (name: string) {
  const entry = yield* archivedFile(name)
  const { access, account } = yield* caller
  // A day is as open as the leaves of the log, which it consists of. Joined days are a depth that a tier sells.
  const historyDays = entry.period === "day" ? null : access.historyDays
  const from = days(historyDays, yield* DataClock.now)
  if (from !== undefined && entry.first_day < from) {
    yield* requireScope(account ?? {}, "read")
    return yield* new HistoryTooDeep({
      message: `${name} begins with ${entry.first_day}, and your access includes the ${historyDays} days from ${from} on. Read the files of its single days, which /v1/archive/ lists and which are open to everybody, or use a key of: ${tiersOfFullDepth.join(", ")}.`,
      available_from: from,
      tiers: tiersOfFullDepth
    })
  }
  const { headers, method } = yield* HttpServerRequest.HttpServerRequest
  const stored = { sha256: entry.sha256, size: entry.bytes }
  const range = method === "GET" ? rangeOf(headers, stored) : Result.succeed(undefined)
  if (Result.isFailure(range)) {
    const exchange = yield* RequestState
    exchange.headers = { ...exchange.headers, "content-range": `bytes */${entry.bytes}` }
    return yield* new RangeNotSatisfiable({
      message: `The range ${headers["range"]?.slice(0, 60)} is not in ${name}, which has ${entry.bytes} bytes.`,
      size: entry.bytes
    })
  }
  const files = yield* ArchiveFiles
  const key = keyOf(name, entry.sha256)
  const part = range.success ?? { from: 0, to: entry.bytes }
  // A file that is away or damaged is a problem, and not a response that breaks off or differs from its digest.
  yield* requireIntact(files, entry).pipe(
    Effect.catchTag("ArchiveUnavailable", (error) =>
      Effect.andThen(
        Effect.logError("cannot read a file of the archive", error),
        new Unavailable({
          message: `${name} is away or damaged, so it is not sent. The operator was told, and the service makes it again from its leaves where it can; try again in some minutes, or take it from a mirror of the log: /v1/archive/ has its SHA-256.`,
          retry_after: 300
        })
      )
    )
  )
  const response = Effect.succeed(
    withOwnBody(new StoredFile(stored, range.success, files.read(key, part.from, part.to)), {
      status: range.success === undefined ? 200 : 206,
      contentType: "application/vnd.apache.parquet"
    })
  )
  return yield* headers["x-api-key"] === undefined ? immutable(response) : privatelyImmutable(response)
}, orProblem)

const duckdb = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  const now = yield* DataClock.now
  // A day less than anybody may read: a script is run after it was made.
  const openFrom = days(Math.max(0, (keyless.historyDays ?? 0) - 1), now) ?? ""
  yield* holdsUntil((Math.floor(now / day) + 1) * day)
  return duckdbScript(baseUrl, yield* archiveIndex, openFrom)
})

const croissantDocument = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  return HttpServerResponse.text(yield* croissant(baseUrl), { contentType: croissantType })
})

/** A file of the table; all but the hint never change. */
const tableFileOf = Effect.fnUntraced(function* (logFiles: LogFiles["Service"], name: string) {
  const { baseUrl } = yield* HttpSettings
  const content = Effect.map(tableFile(baseUrl, name), ({ content, contentType }) => ({
    contentType,
    parts: Stream.sync(content)
  }))
  return yield* name === hintName
    ? Effect.map(tableFile(baseUrl, name), ({ content, contentType }) =>
        HttpServerResponse.text(String(content()), { contentType })
      ).pipe(revalidated)
    : logFiles.send({ name: `iceberg/${name}`, content })
}, orProblem)

const tableFolder = Effect.flatMap(HttpSettings, ({ baseUrl }) => tableIndex(baseUrl)).pipe(
  orProblem,
  revalidated
)

export const layer = HttpApiBuilder.group(
  Api,
  "archive",
  Effect.fn(function* (handlers) {
    const logFiles = yield* LogFiles
    return handlers.handleAll({
      archive: () => archiveIndex.pipe(orProblem, revalidated),
      archiveSums: () => archiveSums.pipe(orProblem, revalidated),
      archiveDuckdb: () => duckdb.pipe(orProblem, revalidated),
      archiveCroissant: () => croissantDocument.pipe(orProblem, revalidated),
      archivedDay: ({ params }) => file(`daily/${params.year}/${params.month}/${params.file}`),
      archivedMonth: ({ params }) => file(`monthly/${params.year}/${params.file}`),
      archivedYear: ({ params }) => file(`yearly/${params.file}`),
      archiveTableIndex: () => tableFolder,
      archiveTable: ({ params }) => tableFileOf(logFiles, params.file)
    })
  })
)
