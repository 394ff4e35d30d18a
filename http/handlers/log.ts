import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { absence } from "../../core/log/read/absence.ts"
import { attest } from "../../core/log/read/attest.ts"
import { attestations } from "../../core/log/read/attestations.ts"
import { bundle } from "../../core/log/read/bundle.ts"
import * as Files from "../../core/log/read/files.ts"
import { saleProof } from "../../core/publications/saleProof.ts"
import { Api } from "../api/Api.ts"
import { immutable, revalidated } from "../delivery/caching.ts"
import { DayFiles } from "../delivery/DayFiles.ts"
import { linked } from "../delivery/nextPage.ts"
import { orProblem } from "../problems/fromCore.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "log",
  Effect.fn(function* (handlers) {
    const dayFiles = yield* DayFiles
    return handlers.handleAll({
      attest: ({ query: { format, ...params } }) =>
        Effect.gen(function* () {
          if (format === "absence") return yield* absence(params)
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
      tile: ({ params: { index, level } }) => Files.tile(`${level}/${index}`).pipe(orProblem, immutable),
      partialTile: ({ params: { index, level, width } }) =>
        Files.tile(`${level}/${index}/${width}`).pipe(orProblem, immutable),
      leaves: ({ params }) => dayFiles.leaves(params.day).pipe(orProblem),
      absent: ({ params }) => Files.absent(params.day).pipe(orProblem, immutable),
      runLeaves: ({ params }) => Files.runLeaves(params.hour).pipe(orProblem, immutable),
      document: ({ params }) =>
        Files.document(params.sha256).pipe(
          orProblem,
          immutable,
          Effect.map(({ body, media_type }) => HttpServerResponse.text(body, { contentType: media_type }))
        ),
      sale: ({ params }) => saleProof(params.commitment).pipe(orProblem)
    })
  })
)
