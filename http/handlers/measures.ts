import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { columnsOf } from "../../core/readings/csv.ts"
import { earned } from "../../core/readings/read/earned.ts"
import { measureAnswer, measureList } from "../../core/readings/read/measureAnswer.ts"
import { EarnedRow } from "../../core/wire/data/earned.ts"
import { Api } from "../api/Api.ts"
import { inForm } from "../delivery/forms.ts"
import { linked } from "../delivery/nextPage.ts"
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
      ),
    earned: ({ query: { format, ...query } }) =>
      access.pipe(
        Effect.flatMap((access) =>
          linked(asRead(access, query.symbols === undefined, earned({ access, ...query })))
        ),
        orProblem,
        inForm(
          { format },
          {
            columns: columnsOf(EarnedRow),
            table: ({ access, earned: rows }) => ({
              name: "earned",
              rows: rows.map((row) => ({ ...row })),
              access
            })
          }
        )
      )
  })
)
