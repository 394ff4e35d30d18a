import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { absence } from "../../core/log/record/absence.ts"
import { attest } from "../../core/log/record/attest.ts"
import { attestations } from "../../core/log/record/attestations.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { absence4, bundle4 } from "../../core/log/record/bundle4.ts"
import { chainFinality } from "../../core/log/record/chainFinality.ts"
import { chainProof } from "../../core/log/record/chainProof.ts"
import { evidence } from "../../core/log/record/evidence.ts"
import * as Files from "../../core/log/record/files.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { saleProof } from "../../core/publications/saleProof.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { Api } from "../api/Api.ts"
import { immutable, revalidated } from "../delivery/caching.ts"
import { LogFiles, textFile } from "../delivery/LogFiles.ts"
import { linked } from "../delivery/nextPage.ts"
import { orProblem } from "../problems/fromCore.ts"

const lines = "application/x-ndjson"
const json = "application/json"

export const layer = HttpApiBuilder.group(
  Api,
  "log",
  Effect.fn(function* (handlers) {
    const logFiles = yield* LogFiles
    return handlers.handleAll({
      attest: ({ query: { format, size, ...params } }) =>
        Effect.gen(function* () {
          if (format === "evidence") return yield* evidence({ ...params, size })
          if (size !== undefined)
            return yield* new BadParameter({ field: "size", message: "size needs format=evidence." })
          if (format === "absence") return yield* absence(params)
          if (format === "bundle4") return yield* bundle4(params)
          if (format === "chain-proof")
            return HttpServerResponse.text(canonical(yield* chainProof(params)), { contentType: json })
          if (format === "chain-finality")
            return HttpServerResponse.text(yield* chainFinality(params), { contentType: json })
          if (format === "absence4") return yield* absence4(params)
          return yield* format === "bundle" ? bundle(params) : attest(params)
        }).pipe(orProblem),
      attestations: ({ query }) => linked(attestations(query)).pipe(orProblem),
      checkpoint: () => Files.checkpoint.pipe(orProblem, revalidated),
      checkpointAt: ({ params: { size } }) =>
        Effect.gen(function* () {
          if (!size.endsWith(".ots")) return yield* immutable(Files.checkpointAt(size))
          const { final, proof } = yield* Files.timestamp(size)
          const file = HttpServerResponse.uint8Array(proof, {
            contentType: "application/vnd.opentimestamps.ots"
          })
          return yield* Effect.succeed(file).pipe(final ? immutable : revalidated)
        }).pipe(orProblem),
      tile: ({ params: { index, level } }) =>
        level === "entries"
          ? logFiles
              .send({
                name: `entries/${index}`,
                content: Effect.map(Files.tile(`${level}/${index}`), (bytes) => ({
                  contentType: "application/octet-stream",
                  parts: Stream.make(bytes)
                }))
              })
              .pipe(orProblem)
          : Files.tile(`${level}/${index}`).pipe(orProblem, immutable),
      partialTile: ({ params: { index, level, width } }) =>
        Files.tile(`${level}/${index}/${width}`).pipe(orProblem, immutable),
      leaves: ({ params: { day } }) =>
        logFiles
          .send({
            name: `batches/${day}/leaves`,
            content: Effect.map(Files.leaves(day), (parts) => ({ contentType: lines, parts }))
          })
          .pipe(orProblem),
      absent: ({ params: { day } }) =>
        logFiles
          .send({
            name: `batches/${day}/absent`,
            content: Effect.map(Files.absent(day), (text) => textFile(json, text))
          })
          .pipe(orProblem),
      origin: ({ params: { day } }) =>
        logFiles
          .send({
            name: `batches/${day}/origin`,
            content: Effect.map(Files.origin(day), (text) => textFile(lines, text))
          })
          .pipe(orProblem),
      runLeaves: ({ params: { hour } }) =>
        logFiles
          .send({
            name: `runs/${hour}/leaves`,
            content: Effect.map(Files.runLeaves(hour), (text) => textFile(lines, text))
          })
          .pipe(orProblem),
      agreementLeaves: ({ params: { day } }) =>
        logFiles
          .send({
            name: `agreements/${day}/leaves`,
            content: Effect.map(Files.agreementLeaves(day), (text) => textFile(lines, text))
          })
          .pipe(orProblem),
      document: ({ params: { sha256 } }) =>
        logFiles
          .send({
            name: `documents/${sha256}`,
            sha256,
            content: Effect.map(Files.document(sha256), ({ body, media_type }) => textFile(media_type, body))
          })
          .pipe(orProblem),
      sale: ({ params }) => saleProof(params.commitment).pipe(orProblem)
    })
  })
)
