import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Callers } from "../../core/credits/Callers.ts"
import { unknownKeyAccess } from "../../core/credits/tiers.ts"
import { datasets, type ExportedRows, ndjson } from "../../core/products/exported.ts"
import { csv } from "../../core/readings/csv.ts"
import { bulk } from "../../core/readings/read/bulk.ts"
import type { Capability } from "../../core/wire/credits/tiers.ts"
import { KeyUnknown, NoTable, ViewUnavailable } from "../../core/wire/problems/accounts.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { Api } from "../api/Api.ts"
import { withOwnBody } from "../delivery/Body.ts"
import { mostFiles, Spool } from "../delivery/Spool.ts"
import { caller } from "../middleware/caller.ts"
import { toViewUnavailable } from "./gated.ts"

/** The file name for a browser's download, e.g. `history-FIL.csv`. */
const fileName = (dataset: string, format: string, symbol: string | undefined): string =>
  `${[dataset, ...(symbol === undefined ? [] : [symbol])].join("-").replace(/[^\w.-]/g, "_")}.${format}`

/** The parameters of a dataset. */
const takenBy = (dataset: string): ReadonlyArray<string> =>
  dataset === "history"
    ? ["symbol", "days", "as_known_at"]
    : dataset === "networks" || dataset === "supply"
      ? []
      : ["as_known_at"]

export const layer = HttpApiBuilder.group(
  Api,
  "export",
  Effect.fn(function* (handlers) {
    const spool = yield* Spool
    const callers = yield* Callers
    return handlers.handleAll({
      export: Effect.fn(function* ({ query: { dataset, format = "csv", ...only } }) {
        const identity = yield* caller
        if (identity.access === unknownKeyAccess) return yield* KeyUnknown.refused()
        const { access } = identity
        const may = (capability: Capability) => callers.gate(identity, { capability })
        yield* may("exports")
        const field = Object.keys(only).find((name) => !takenBy(dataset).includes(name))
        if (field !== undefined) {
          return yield* new BadParameter({ message: `${field} is not valid with dataset=${dataset}.`, field })
        }
        if (dataset === "grades") {
          return yield* new ViewUnavailable({
            message: "Grades are withdrawn until measured grades return."
          })
        }
        const { capability, columns, rows, source } = datasets[dataset]
        yield* may(capability)
        if (format === "csv" && columns === null) {
          return yield* new NoTable({
            message: `${dataset} cannot be exported as CSV. Request format=ndjson.`,
            valid_values: ["ndjson"]
          })
        }
        let n = 0
        const exported: ExportedRows = rows({ access, ...only })
        const handedOn = yield* bulk
        const counted = Stream.map(exported, (row) => {
          n++
          return handedOn.row(row)
        })
        const texts =
          format === "csv" && columns !== null ? csv(handedOn.columns(columns))(counted) : ndjson(counted)
        const spooled = yield* spool.write(texts).pipe(
          Effect.catchTags({
            SpoolBusy: () =>
              Effect.fail(
                new ViewUnavailable({
                  message: `${mostFiles} exports are already running, the limit. Try again soon.`
                })
              ),
            SpoolUnusable: toViewUnavailable,
            SqlError: toViewUnavailable
          }),
          // A partial file must not be sent, whatever stopped the export.
          Effect.catchDefect(toViewUnavailable)
        )
        return withOwnBody(spooled, {
          contentType: format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
          headers: {
            "x-service-export-rows": String(n),
            "x-service-export-source": source,
            "content-disposition": `attachment; filename="${fileName(dataset, format, only.symbol)}"`
          }
        })
      })
    })
  })
)
