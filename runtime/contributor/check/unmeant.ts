/** The rule for fields that are put wrong: an error, or rows left out; no row turns into another, unless somebody wrote down why. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import { onDisk } from "../../outside/disk.ts"
import type { Tape } from "../../upstream/replay.ts"
import { type Finding, wrong } from "./Finding.ts"
import { type Altered, altered } from "./fields.ts"

const Meant = Schema.Array(Schema.Struct({ change: Schema.String, because: Schema.String }))

/** Changes that are meant, with the reason: those of a plugin are next to its sound case, those of a shape here. */
const meantOf = (id: string, root: string) =>
  onDisk(() => readFile(join(root, id, "ok.meant.json"), "utf8")).pipe(
    Effect.orElseSucceed(() => "[]"),
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(Meant))),
    Effect.map((list) => list.map(({ change }) => new RegExp(change)))
  )

const meantByShapes: ReadonlyArray<readonly [change: RegExp, because: string]> = [
  [/ nodes_country_\w+ put (nothing|null|""|\[\]):/, "a node in no country that is told is in another"],
  [/ gpu_alloca\w+ put (nothing|null|""|\[\]):/, "a card of no model that is told is of another"]
]

/** A change as `ok.meant.json` names it. */
const changeOf = ({ field, put, row, was }: Altered): string =>
  `${field} ${row.symbol} ${row.metric} put ${put}: ${was.join()} becomes ${row.value}`

/** Findings for the fields of the case `ok` of a plugin whose cases are under `root`: one of each field and metric. */
export const fieldFindings = Effect.fn("Check.fieldFindings")(function* (
  plugin: Plugin,
  tape: Tape,
  root: string
) {
  const { id } = plugin.manifest
  const meant = yield* Effect.result(meantOf(id, root))
  if (meant._tag === "Failure")
    return [wrong("fixtures/ok", "ok.meant.json is not a list of { change, because }", "correct it")]
  const changes = yield* altered(plugin, tape)
  const all = [...meant.success, ...meantByShapes.map(([form]) => form)]
  const findings = new Map<string, Finding>()
  for (const change of changes) {
    const { field, put, row, was } = change
    const name = `${field} ${row.metric}`
    if (findings.has(name) || all.some((form) => form.test(changeOf(change)))) continue
    const next =
      row.value === 0 && !was.includes(0) && put !== "[]"
        ? "a missing value must give no row, never 0"
        : `if a part is missing, leave the total out (for declare, say where with others); if it is meant, say why in fixtures/${id}/ok.meant.json: [{ "change": ${JSON.stringify(changeOf(change).split(" put ")[0])}, "because": "…" }]`
    const says = `${field} replaced by ${put} changes ${row.symbol} ${row.metric} from ${was.join() || "no row"} to ${row.value}`
    findings.set(name, wrong("broken payloads", says, next))
  }
  // What explains no change any more is no fact about the plugin.
  const idle = meant.success.filter((form) => !changes.some((change) => form.test(changeOf(change))))
  return [
    ...findings.values(),
    ...idle.map((form) =>
      wrong(
        "fixtures/ok",
        `ok.meant.json explains a change that does not happen: ${form.source}`,
        "remove it"
      )
    )
  ]
})
