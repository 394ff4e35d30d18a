import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { forwarded } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { Settings } from "../settings/Settings.ts"

/** `plumbline status`: whether the service runs, the state of each feed, and what is published. */
export const status = Command.make(
  "status",
  {
    json: asJson,
    values: Flag.Boolean("values").pipe(
      Flag.withDescription(
        "Print the last known value of each series instead, with the lowest and highest of its last 30 days, as JSON"
      ),
      Flag.withDefault(false)
    ),
    shapes: Flag.Boolean("shapes").pipe(
      Flag.withDescription(
        "Print the members, kinds and list lengths of each address that feeds read instead, as JSON"
      ),
      Flag.withDefault(false)
    ),
    cases: Flag.Boolean("cases").pipe(
      Flag.withDescription("Print the answers that are kept as cases of feeds instead, as JSON"),
      Flag.withDefault(false)
    )
  },
  ({ cases, json, shapes, values }) =>
    forwarded(
      Effect.flatMap(
        // A service that runs has this loaded, and a command that it answers has no use for it.
        Effect.promise(() => import("./statusHere.ts")),
        ({ show, showCases, showShapes, showValues }) =>
          values ? showValues : shapes ? showShapes : cases ? showCases : show(json)
      )
    ).pipe(Effect.provide(Settings.layer))
).pipe(
  Command.withDescription(
    "Show whether the service runs, the state of each feed, and what is published. Exits with 0 if all is well, 1 if something fails, 2 if no service runs"
  ),
  Command.withShortDescription("Show the state of the service and of each feed")
)
