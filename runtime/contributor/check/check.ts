/** `plugin check`: checks a plugin against all rules and returns one list of findings. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Clock, Effect } from "effect"
import { program } from "../../../core/process/program.ts"
import * as Plugins from "../../collector/plugins.ts"
import { onDisk } from "../../outside/disk.ts"
import * as Fixtures from "../fixtures.ts"
import { brokenFindings, caseFindings } from "./cases.ts"
import { catalogFindings } from "./catalog.ts"
import { dueFindings, lifeFindings } from "./evidence.ts"
import { type Finding, note, wrong } from "./Finding.ts"
import { headlineFindings } from "./headlines.ts"
import { manifestFindings, seriesFindings, unitFindings } from "./manifest.ts"
import { readmeFindings } from "./readme.ts"
import { personalFindings, secretFindings } from "./secrets.ts"
import { sizeFindings } from "./sizes.ts"
import { outsideReach, sourceFindings } from "./source.ts"
import { filesOf, sourcesOf } from "./sources.ts"
import { toolFindings } from "./tools.ts"
import { zoneFindings } from "./zones.ts"

/** Where plugins and their cases are. */
export interface Places {
  readonly plugins: URL
  /** Path of the folder of all cases. */
  readonly fixtures: string
}

/** Those of this repository. */
export const here: Places = { plugins: Plugins.root, fixtures: Fixtures.root }

const read = (file: URL): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(
    onDisk(() => readFile(file, "utf8")),
    () => undefined
  )

/** Findings for whatever is in the files of a plugin and of its cases. */
const filesFindings = Effect.fnUntraced(function* (id: string, folder: URL, fixtures: string) {
  const answers = yield* filesOf(fixtures)
  const nameOf = (file: string) => `fixtures/${file.split(".")[0]}`
  return [
    ...(yield* filesOf(fileURLToPath(folder))).flatMap(({ name, text }) =>
      secretFindings(name === "README.md" ? "README" : "source", name, text)
    ),
    ...answers.flatMap(({ name, text }) => [
      ...secretFindings(nameOf(name), name, text),
      ...personalFindings(nameOf(name), name, text)
    ]),
    ...sizeFindings(id, answers)
  ]
})

/**
 * All findings for the plugin in the folder `name`. `broken: false` skips the broken payloads, which are slow; `strict` adds what the
 * compiler and the linter say.
 */
export const check = Effect.fn("Check.check")(function* (
  name: string,
  places: Places = here,
  { broken = true, strict = false }: { readonly broken?: boolean; readonly strict?: boolean } = {}
) {
  const folder = new URL(`${name}/`, places.plugins)
  const readme = [
    ...readmeFindings(yield* read(new URL("README.md", folder))),
    ...(yield* filesFindings(name, folder, join(places.fixtures, name)))
  ]
  if (!existsSync(new URL("index.ts", folder))) {
    return [wrong("source", "index.ts does not exist", `${program} plugin new ${name}`), ...readme]
  }
  const files = yield* sourcesOf(folder)
  const source = [...sourceFindings(files), ...(strict ? yield* toolFindings(folder) : [])]
  const plugin = yield* Effect.result(Plugins.read(name, places.plugins))
  if (plugin._tag === "Failure")
    return [wrong("source", plugin.failure.message, "fix the error"), ...source, ...readme]
  const manifests = (yield* Plugins.readable(places.plugins)).map(({ manifest }) => manifest)
  const now = yield* Clock.currentTimeMillis
  const findings: ReadonlyArray<Finding> = [
    ...manifestFindings(name, plugin.success.manifest),
    ...dueFindings(plugin.success.manifest, now),
    ...lifeFindings(plugin.success.manifest, now),
    ...unitFindings(plugin.success.manifest, manifests),
    ...seriesFindings(plugin.success.manifest, manifests),
    ...headlineFindings(plugin.success.manifest, manifests),
    ...(yield* catalogFindings(plugin.success.manifest)),
    ...source,
    ...readme,
    ...(outsideReach(files) !== undefined
      ? [
          note(
            "fixtures",
            "the cases are not replayed",
            "fix the source first: a replay must not reach outside"
          )
        ]
      : [
          ...(yield* caseFindings(name, plugin.success, places.fixtures)),
          ...(yield* zoneFindings(name, places.plugins, places.fixtures)),
          ...(broken ? yield* brokenFindings(name, plugin.success, places.fixtures) : [])
        ])
  ]
  const reported = new Set<string>()
  return findings.filter(
    ({ says, where }) => !reported.has(`${where} ${says}`) && reported.add(`${where} ${says}`)
  )
})
