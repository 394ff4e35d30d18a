import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { absence } from "../../core/log/read/absence.ts"
import { attest } from "../../core/log/read/attest.ts"
import { attestations } from "../../core/log/read/attestations.ts"
import { bundle } from "../../core/log/read/bundle.ts"
import * as Files from "../../core/log/read/files.ts"
import { Api } from "../api/Api.ts"
import { linked } from "../delivery/nextPage.ts"
import { orProblem } from "../orProblem.ts"

export const layer = HttpApiBuilder.group(Api, "log", (handlers) =>
  handlers.handleAll({
    attest: ({ query: { format, ...asked } }) =>
      Effect.gen(function* () {
        if (format === "absence") return yield* absence(asked)
        return yield* format === "bundle" ? bundle(asked) : attest(asked)
      }).pipe(orProblem),
    attestations: ({ query }) => linked(attestations(query)).pipe(orProblem),
    checkpoint: () => orProblem(Files.checkpoint),
    checkpointAt: ({ params: { size } }) =>
      Effect.gen(function* () {
        if (!size.endsWith(".ots")) return yield* Files.checkpointAt(size)
        return HttpServerResponse.uint8Array(yield* Files.timestamp(size), {
          contentType: "application/vnd.opentimestamps.ots"
        })
      }).pipe(orProblem),
    tile: ({ params: { index, level } }) => Files.tile(`${level}/${index}`).pipe(orProblem),
    partialTile: ({ params: { index, level, width } }) =>
      Files.tile(`${level}/${index}/${width}`).pipe(orProblem),
    leaves: ({ params, query }) => Files.leaves(params.day, query).pipe(orProblem),
    absent: ({ params }) => Files.absent(params.day).pipe(orProblem),
    document: ({ params }) =>
      Files.document(params.sha256).pipe(
        orProblem,
        Effect.map(({ body, media_type }) => HttpServerResponse.text(body, { contentType: media_type }))
      )
  })
)
