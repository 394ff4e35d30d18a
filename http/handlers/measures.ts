import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { measureAnswer, measureList } from "../../core/readings/read/measureAnswer.ts"
import { Api } from "../api/Api.ts"
import { access } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"
import { asRead } from "./reads.ts"

export const layer = HttpApiBuilder.group(Api, "measures", (handlers) =>
  handlers.handleAll({
    measures: () => Effect.succeed(measureList),
    measure: ({ params }) =>
      access.pipe(
        Effect.flatMap((access) => asRead(access, true, measureAnswer(params.name, access))),
        orProblem
      )
  })
)
