import { readFile, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { fileOf } from "../../core/catalog/added.ts"
import { bySymbol } from "../../core/catalog/Catalog.ts"
import { Category, Sector } from "../../core/plugin/kinds.ts"
import { program } from "../../core/process/program.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import { outsidePlugins } from "../collector/outside.ts"
import * as Plugins from "../collector/plugins.ts"
import { here } from "../contributor/check/check.ts"
import * as Coverage from "../contributor/check/coverage.ts"
import type { Finding } from "../contributor/check/Finding.ts"
import { membersRead } from "../contributor/check/fields.ts"
import { figures, withFigures } from "../contributor/check/figures.ts"
import * as Budget from "../contributor/check/hostBudget.ts"
import { catalogLine } from "../contributor/check/manifest.ts"
import { report as examinationReport, examine, exitCode } from "../contributor/evidence/examine.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { addToCatalog, gather } from "../contributor/kit/catalog.ts"
import { writeCases } from "../contributor/kit/derive.ts"
import { scaffoldElsewhere } from "../contributor/kit/elsewhere.ts"
import { sampleIn, sampleOf } from "../contributor/kit/sample.ts"
import { exampleUrl, scaffold, symbolProblem } from "../contributor/kit/scaffold.ts"
import { onDisk } from "../outside/disk.ts"
import * as TapePlan from "../tape/Plan.ts"
import { propose } from "../tape/propose.ts"
import { checked } from "./checked.ts"
import { contained } from "./contained.ts"
import { dev } from "./pluginDev.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))
const readmeFile = new URL("README.md", Plugins.root)
const figuresFile = new URL("../../README.md", import.meta.url)

/** Writes a file if its text is new; says whether it was. */
const rewrite = Effect.fnUntraced(function* (file: URL, textOf: (before: string) => string | undefined) {
  const before = yield* Effect.orElseSucceed(
    onDisk(() => readFile(file, "utf8")),
    () => ""
  )
  const text = textOf(before) ?? before
  if (before !== text) yield* onDisk(() => writeFile(file, text))
  return before !== text
})

/**
 * Gathers the networks that were added, and writes what is generated in READMEs: the table of plugins, and the figures. Returns the files that changed. Only main has
 * them up to date, so no other command writes them.
 */
const writeReadmes = Effect.gen(function* () {
  const table = Coverage.readme(yield* Coverage.entries())
  const lines = yield* figures(yield* Plugins.all())
  return [
    ...(yield* gather()),
    ...((yield* rewrite(readmeFile, () => table)) ? ["plugins/README.md"] : []),
    ...((yield* rewrite(figuresFile, (before) => withFigures(before, lines))) ? ["README.md"] : [])
  ]
})

const createdElsewhere = (id: string): string =>
  [
    `created ${id}/, which needs no line in the repository`,
    "next:",
    `  edit ${id}/plugin.json and README.md`,
    `  cd ${id} && npm install && npm test    lists what is left to do`,
    `  PLUGINS=./${id} plumbline serve          runs it beside the others`
  ].join("\n")

export const create = Command.make(
  "new",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("Folder name: lower-case letters, digits and hyphens")
    ),
    symbol: Flag.String("symbol").pipe(
      Flag.withDescription("Symbol of the network in the catalog (default: the id in upper case)"),
      Flag.optional
    ),
    title: Flag.String("title").pipe(
      Flag.withDescription("Name of the upstream (default: the id)"),
      Flag.optional
    ),
    url: Flag.String("url").pipe(
      Flag.withDescription("URL that the plugin reads (default: an example URL that nothing serves)"),
      Flag.optional
    ),
    from: Flag.String("from").pipe(
      Flag.withDescription(
        "Draft the plugin from a real answer, JSON, XML or CSV: an https URL, or a file with the answer to --url; or from a contract's ABI, with its --contract and a node as --url"
      ),
      Flag.optional
    ),
    contract: Flag.String("contract").pipe(
      Flag.withDescription("Address of the contract whose ABI --from names"),
      Flag.optional
    ),
    sector: Flag.Literals("sector", Sector.literals).pipe(
      Flag.withDescription(
        "The sector of the physical world that the symbol belongs to, where it is no network; a new one is a line of core/plugin/sectors.json"
      ),
      Flag.optional
    ),
    category: Flag.Literals("category", Category.literals).pipe(
      Flag.withDescription("Add the network to the catalog in this category if its symbol is missing"),
      Flag.optional
    ),
    outside: Flag.Boolean("outside").pipe(
      Flag.withDescription("Create it in a folder of its own here, for services that name it in PLUGINS"),
      Flag.withDefault(false)
    ),
    code: Flag.Boolean("code").pipe(
      Flag.withDescription("With --outside: code reads the answers, where data cannot say how"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ category, code, id, outside, sector, ...flags }) {
    const symbol = Option.getOrElse(flags.symbol, () => id.toUpperCase())
    const title = Option.getOrElse(flags.title, () => id)
    const from = Option.getOrUndefined(flags.from)
    const isLive = from?.startsWith("https://") === true
    const url = Option.getOrElse(flags.url, () => (isLive && from !== undefined ? from : exampleUrl(id)))
    if (Option.isSome(sector) && Option.isSome(category))
      return yield* new UsageError({ message: "--sector: a network has a --category, and a sector none" })
    const problem = Option.isSome(sector) ? undefined : symbolProblem(symbol, Option.isSome(category))
    if (problem !== undefined) return yield* new UsageError({ message: problem })
    if (isLive && from !== url)
      return yield* new UsageError({ message: "--from: an address is the plugin's URL; leave out --url" })
    if (isLive && !URL.canParse(url))
      return yield* new UsageError({ message: `--from: "${url}" is not a URL` })
    const sample =
      from === undefined
        ? undefined
        : isLive
          ? yield* sampleOf(url)
          : yield* sampleIn(from, { contract: Option.getOrUndefined(flags.contract), id, url })
    if (outside || (yield* Plugins.Authoring)) {
      const wish = { id, symbol, title, url, isCode: code }
      const kind = {
        ...(Option.isSome(sector) ? { sector: sector.value } : {}),
        ...(Option.isSome(category) ? { category: category.value } : {})
      }
      yield* scaffoldElsewhere({ ...wish, ...kind }, resolve(id), sample)
      return yield* Console.log(createdElsewhere(id))
    }
    yield* scaffold(
      { id, symbol, title, url, ...(Option.isSome(sector) ? { sector: sector.value } : {}) },
      here,
      sample
    )
    const line = catalogLine({ symbol, name: title, website: new URL(url).origin })
    const added =
      Option.isSome(category) && !bySymbol.has(symbol) && (yield* addToCatalog(category.value, symbol, line))
    yield* Console.log(
      [
        sample === undefined
          ? `created plugins/${id}/ and fixtures/${id}/; they read an example and pass the check`
          : `drafted plugins/${id}/ and fixtures/${id}/ from ${from}; what they guess is marked, and plugin check lists it`,
        ...(added
          ? [
              `wrote ${symbol} to ${fileURLToPath(fileOf(category.value, symbol)).slice(top.length)}; correct its website and add its github and coingecko_id by hand`
            ]
          : []),
        "next:",
        `  edit plugins/${id}/index.ts and README.md`,
        `  ${program} record ${id}          records one live run as the case ok, with its rows`,
        `  ${program} plugin cases ${id}    derives the other four cases from it`,
        `  ${program} plugin check ${id}    lists what is left to do`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Create a plugin that reads an example, or drafts one from a real answer, and passes its own check"
  )
)

export const cases = Command.make(
  "cases",
  {
    id: Argument.String("id"),
    only: Flag.String("case").pipe(
      Flag.withDescription(
        "One of the four cases, even if it was written by hand (default: all that were not)"
      ),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ id, only }) {
    const plugin = yield* contained(id)
    const outcomes = yield* writeCases(plugin, Fixtures.rootOf(id), Option.getOrUndefined(only))
    if (outcomes.length === 0) {
      return yield* new UsageError({
        message: `--case: unknown case "${Option.getOrElse(only, () => "")}" (expected measured-zero, missing-field, refused or changed-shape)`
      })
    }
    for (const { became, name, says } of outcomes) {
      yield* Console.log(
        `${became === "written" ? "wrote" : "did not write"} fixtures/${id}/${name}: ${says}`
      )
      if (became === "left")
        yield* Console.log(`  written by hand; ${program} plugin cases ${id} --case ${name} replaces it`)
    }
    const missing = outcomes.filter(({ became }) => became === "underivable").map(({ name }) => name)
    if (missing.length > 0) {
      return yield* new UsageError({
        message: [
          `write ${missing.join(", ")} by hand, as the case ok with edits:`,
          ...missing.map(
            (name) =>
              `  ${program} record ${id} --case ${name} --edit '/exchanges/0/body/…=…' --note "which documentation you followed"`
          ),
          `repeat --edit for each edit; fixtures/${id}/ok.json shows the paths`,
          "if the upstream cannot answer like this, use --edit /exchanges/0/status=200 and say why in --note"
        ].join("\n")
      })
    }
  })
).pipe(
  Command.withDescription(
    "Derive the cases measured-zero, missing-field, refused and changed-shape from the case ok"
  )
)

const printTable = Effect.fnUntraced(function* (
  head: ReadonlyArray<string>,
  lines: ReadonlyArray<ReadonlyArray<string>>
) {
  const widths = head.map((_, at) => Math.max(...[head, ...lines].map((line) => line[at]?.length ?? 0)))
  for (const line of [head, ...lines]) {
    yield* Console.log(
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd()
    )
  }
})

const list = Command.make(
  "list",
  { json: asJson },
  Effect.fnUntraced(function* ({ json }) {
    const all = yield* Coverage.entries()
    if (json) return yield* Console.log(JSON.stringify(all, null, 2))
    const lines = all.map((entry) => [
      entry.id,
      entry.networks,
      String(entry.metrics.length),
      entry.every,
      entry.grade,
      entry.fixtures,
      entry.owner,
      entry.disabled === null ? "" : `disabled: ${entry.disabled}`
    ])
    const head = ["plugin", "networks", "metrics", "every", "grade", "fixtures", "owner", ""]
    yield* printTable(head, lines)
  })
).pipe(Command.withDescription("List the plugins: network, metrics, cadence, grade, fixtures, owner"))

const budget = Command.make(
  "budget",
  { json: asJson },
  Effect.fnUntraced(function* ({ json }) {
    const lines = Budget.budget((yield* Plugins.all()).map(({ manifest }) => manifest))
    if (json) return yield* Console.log(JSON.stringify(lines, null, 2))
    yield* printTable(
      ["host", "calls per day", "allowed per day", "limit", "stated", "plugins"],
      lines.map((line) => [
        line.host,
        String(line.callsPerDay),
        String(line.allowedPerDay),
        line.limits.map(({ calls, per }) => `${calls} in ${per}`).join(", "),
        line.stated,
        line.plugins.join(", ")
      ])
    )
    const over = lines.flatMap((line) => line.over.map((says) => `over the limit: ${line.host}: ${says}`))
    for (const says of over) yield* Console.log(says)
    const total = lines.reduce((all, { callsPerDay }) => all + callsPerDay, 0)
    yield* Console.log(
      `${lines.length} hosts, at most ${total} calls per day, ${over.length} limits exceeded`
    )
    if (over.length > 0) return yield* new NotPassed({})
  })
).pipe(Command.withDescription("Show the calls per day to each host, next to what it allows"))

const isWrong = ({ level }: Finding): boolean => level === "wrong"

export const check = Command.make(
  "check",
  {
    ids: Argument.String("id").pipe(Argument.withDescription("Plugins (default: all)"), Argument.variadic()),
    strict: Flag.Boolean("strict").pipe(
      Flag.withDescription("Fail on leftovers of the scaffold, and on types and format, too"),
      Flag.withDefault(false)
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ ids, json, strict }) {
    const available = yield* Plugins.contributed()
    const outside = outsidePlugins().map(({ id }) => id)
    for (const id of ids) if (![...available, ...outside].includes(id)) yield* Plugins.find(id)
    const names = ids.length === 0 ? available : [...new Set(ids)]
    const reports: Array<{ readonly plugin: string; readonly findings: ReadonlyArray<Finding> }> = []
    for (const plugin of names) {
      const findings = yield* checked(plugin, { strict })
      reports.push({ plugin, findings })
      if (!json) yield* Console.log(report(plugin, findings))
    }
    if (json) yield* Console.log(JSON.stringify(reports, null, 2))
    const all = reports.flatMap(({ findings }) => findings)
    const failing = all.filter((finding) => isWrong(finding) || (strict && finding.level === "todo")).length
    if (!json) {
      const left = all.filter(({ level }) => level === "todo").length
      yield* Console.log(
        `${failing === 0 ? "passed" : "not passed"}: ${names.length === 1 ? "1 plugin" : `${names.length} plugins`}, ` +
          `${all.filter(isWrong).length} wrong, ${left} to do`
      )
    }
    if (failing > 0) return yield* new NotPassed({})
  })
).pipe(Command.withDescription("Check plugins against every rule and say how to fix what breaks one"))

const report = (plugin: string, findings: ReadonlyArray<Finding>): string => {
  const levels = new Set(findings.map(({ level }) => level))
  const state = levels.has("wrong") ? "wrong" : levels.has("todo") ? "todo" : "ok"
  const lines = findings.map(
    ({ level, next, says, where }) => `  ${level.padEnd(5)}  ${where}: ${says}\n         ${next}`
  )
  return [`${state.padEnd(5)} ${plugin}`, ...lines].join("\n")
}

const evidence = Command.make(
  "evidence",
  {
    id: Argument.String("id"),
    from: Flag.String("from").pipe(
      Flag.withDescription(
        "Folder of checkouts: <owner>/<repository>, <owner>+<repository> or <repository> in it, with files or bare"
      )
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ from, id, json }) {
    const plugin = yield* contained(id)
    const { tape } = yield* Fixtures.load(join(Fixtures.root, id, "ok"))
    const examination = yield* examine(plugin.manifest, yield* membersRead(plugin, tape), resolve(from))
    yield* Console.log(json ? JSON.stringify(examination, null, 2) : examinationReport(examination))
    const code = exitCode(examination)
    if (code > 0) return yield* new NotPassed({ code })
  })
).pipe(
  Command.withDescription(
    "Compare the evidence with the files that it names: 0 all there, 1 a person should look, 2 files were not readable"
  )
)

const readme = Command.make(
  "readme",
  {},
  Effect.fnUntraced(function* () {
    const changed = yield* writeReadmes
    yield* Console.log(changed.length > 0 ? `wrote ${changed.join(" and ")}` : "the READMEs are up to date")
  })
).pipe(
  Command.withDescription(
    "Gather the networks that were added, and write plugins/README.md and the figures in README.md, on main"
  )
)

const tape = Command.make(
  "tape",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("One plugin (default: all that have no plan yet)"),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ id }) {
    const plugins = Option.isSome(id) ? [yield* Plugins.find(id.value)] : yield* Plugins.all()
    for (const plugin of plugins) {
      const place = join(Fixtures.root, plugin.manifest.id, "ok")
      if (Option.isNone(id) && (yield* TapePlan.load(place)) !== undefined) continue
      const { recording, tape } = yield* Fixtures.load(place)
      const names = recording.exchanges.map(({ name }) => name)
      const plan = yield* propose(plugin, tape, names)
      yield* TapePlan.save(place, plan)
      const changes = Object.values(plan.payloads)
      const count = (of: "walk" | "shift" | "thin") =>
        changes.reduce((all, change) => all + change[of].length, 0)
      yield* Console.log(
        `${plugin.manifest.id}: ${count("walk")} numbers vary, ${count("shift")} times move, ${count("thin")} lists vary in length`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Write ok.tape.json next to the case ok: the plan from which the demo makes its past"
  )
)

const capture = Command.make(
  "capture",
  {
    export: Flag.String("export").pipe(
      Flag.withDescription("Folder to write the cases into: that of the fixtures, or another")
    )
  },
  Effect.fnUntraced(function* ({ export: folder }) {
    // It reads a database, which no other command of contributors does.
    const { exportCases } = yield* Effect.promise(() => import("./exportCases.ts"))
    yield* exportCases(resolve(folder))
  })
).pipe(
  Command.withDescription(
    "Write what the service captured of its feeds as cases, with the rows that today's code gives: real answers, cut to what the plugin reads. Feeds whose terms do not allow handing on their answers are left out and named; PERMISSIONS may allow it"
  )
)

/** `plumbline plugin`: commands for contributors. */
export const plugin = Command.make("plugin").pipe(
  Command.withDescription("Create, check and list plugins"),
  Command.withSubcommands([budget, capture, create, cases, dev, evidence, check, list, readme, tape])
)
