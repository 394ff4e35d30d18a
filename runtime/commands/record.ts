import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { targetsOf } from "../../core/catalog/Catalog.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { type Exchange, type Request, storedHeaders } from "../../core/plugin/Upstream.ts"
import { isoTime, parseTime } from "../../core/plugin/Value.ts"
import { program } from "../../core/process/program.ts"
import { pluginName, targets } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { answered } from "../contributor/kit/answered.ts"
import { captureHere } from "../contributor/kit/capture.ts"
import { derived, table } from "../contributor/rows.ts"
import type { Tape } from "../upstream/replay.ts"
import { contained } from "./contained.ts"

/** An entry of the `--exchanges` array. `file` is relative to the JSON file. */
const Saved = Schema.Struct({
  method: Schema.optionalKey(Schema.Literals(["GET", "POST", "LISTEN"])),
  url: Schema.String,
  body: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Int),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  time: Schema.optionalKey(Schema.String),
  file: Schema.String
})

const readBody = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file),
    catch: () => new UsageError({ message: `${file} cannot be read` })
  })

const recordedHeaders = (rawHeaders: Readonly<Record<string, string>>) => {
  const headers = Fixtures.headersOf(rawHeaders)
  return Object.fromEntries(
    storedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
  )
}

const exchangeOf = (
  request: Request,
  body: Uint8Array,
  answer: {
    readonly at: number
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
  }
): Exchange => ({
  request,
  at: answer.at,
  status: answer.status ?? 200,
  headers: recordedHeaders(answer.headers ?? {}),
  sha256: createHash("sha256").update(body).digest("hex"),
  body
})

const timeOf = (text: string) => {
  const ms = parseTime(text)
  return ms === undefined
    ? Effect.fail(
        new UsageError({ message: `"${text}" is not an ISO 8601 time (expected e.g. 2026-09-05T11:00:00Z)` })
      )
    : Effect.succeed(ms)
}

const fromFiles = Effect.fnUntraced(function* (pairs: ReadonlyArray<string>, at: number) {
  const exchanges: Array<Exchange> = []
  for (const pair of pairs) {
    const cut = pair.lastIndexOf("=")
    if (cut < 1)
      return yield* new UsageError({ message: `--from: "${pair}" is not of the form <url>=<file>` })
    exchanges.push(
      exchangeOf({ method: "GET", url: pair.slice(0, cut) }, yield* readBody(pair.slice(cut + 1)), { at })
    )
  }
  return exchanges
})

const fromList = Effect.fnUntraced(function* (file: string, at: number) {
  const saved = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Saved)))(
    new TextDecoder().decode(yield* readBody(file))
  ).pipe(Effect.mapError((error) => new UsageError({ message: `${file}: ${error.message}` })))
  const exchanges: Array<Exchange> = []
  for (const { body, file: name, method = "GET", time: when, url, ...answer } of saved) {
    const request: Request = { method, url, ...(body === undefined ? {} : { body }) }
    const bytes = yield* readBody(resolve(file, "..", name))
    exchanges.push(
      exchangeOf(request, bytes, { ...answer, at: when === undefined ? at : yield* timeOf(when) })
    )
  }
  return exchanges
})

/** `plumbline record`: makes a case from a live run, from saved answers, or from the case ok with edits. */
export const record = Command.make(
  "record",
  {
    plugin: pluginName,
    case: Flag.String("case").pipe(Flag.withDescription("Case to write"), Flag.withDefault("ok")),
    from: Flag.String("from").pipe(
      Flag.withDescription(
        "A saved answer, <url>=<file>, to a GET or POST of the plugin; repeat for each request, in order"
      ),
      Flag.atLeast(0)
    ),
    exchanges: Flag.String("exchanges").pipe(
      Flag.withDescription("JSON file with an array of {method, url, body, status, headers, time, file}"),
      Flag.optional
    ),
    edit: Flag.String("edit").pipe(
      Flag.withDescription(
        "Start from the case ok and edit it: <JSON pointer>=<JSON value> sets, <JSON pointer> alone removes, e.g. " +
          "/exchanges/0/status=429 or /exchanges/0/body/nodes; repeat for each edit"
      ),
      Flag.atLeast(0)
    ),
    at: Flag.String("at").pipe(
      Flag.withDescription("ISO 8601 time of the answers and of the run (default: now)"),
      Flag.optional
    ),
    targets,
    note: Flag.String("note").pipe(
      Flag.withDescription("Where the answers come from, or which documentation they follow"),
      Flag.optional
    ),
    captured: Flag.Boolean("captured").pipe(
      Flag.withDescription("The saved answers are the bytes that the upstream sent"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (options) {
    const plugin = yield* contained(options.plugin)
    const only = Option.getOrUndefined(options.targets)
    const saved = options.from.length > 0 || Option.isSome(options.exchanges)
    if (!Fixtures.nameForm.test(options.case)) {
      return yield* new UsageError({
        message: `--case: "${options.case}" is not a case name (lower-case letters, digits and hyphens)`
      })
    }
    const place = join(Fixtures.rootOf(options.plugin), options.plugin, options.case)
    const name = `fixtures/${options.plugin}/${options.case}`
    if (options.edit.length > 0) {
      if (saved || options.case === "ok") {
        return yield* new UsageError({
          message:
            "--edit makes another case from ok: name it with --case, and do not combine it with --from or --exchanges"
        })
      }
      const { note } = (yield* Fixtures.load(join(Fixtures.rootOf(options.plugin), options.plugin, "ok")))
        .recording
      const tape = yield* Fixtures.edited(
        join(Fixtures.rootOf(options.plugin), options.plugin, "ok"),
        options.edit
      )
      const about = Option.getOrElse(
        options.note,
        () => `Made from the case ok (${note}): ${options.edit.join(", ")}`
      )
      yield* Fixtures.save(place, { plugin: options.plugin, origin: "written", note: about }, tape)
      yield* Console.log(`wrote ${countOf(tape)} in ${name}`)
      return yield* show(plugin, options.case, place, tape)
    }
    if (!saved) {
      const { failure, note, origin, tape } = yield* captureHere(plugin, only)
      if (tape.exchanges.length === 0) {
        return yield* new UsageError({
          message:
            `no answer to record: ${failure?.message ?? "the plugin sent no request"}\n` +
            `if the upstream cannot be reached from here: ${program} record ${options.plugin} --from <url>=<file>`
        })
      }
      const about = Option.getOrElse(options.note, () => note)
      yield* Fixtures.save(place, { plugin: options.plugin, origin, note: about }, tape)
      yield* Console.log(`recorded ${countOf(tape)} in ${name} (${origin}: ${about})`)
      return yield* show(plugin, options.case, place, tape)
    }
    const at = Option.isSome(options.at) ? yield* timeOf(options.at.value) : yield* Clock.currentTimeMillis
    const targets = targetsOf(plugin.manifest.covers).filter(
      ({ symbol }) => only === undefined || only.has(symbol)
    )
    const run = { now: at, targets, settings: plugin.manifest.settings ?? {} }
    const { left, tape } = Option.isSome(options.exchanges)
      ? { left: [], tape: { ...run, exchanges: yield* fromList(options.exchanges.value, at) } }
      : yield* answered(plugin, { ...run, exchanges: yield* fromFiles(options.from, at) })
    const origin = options.captured ? "captured" : "written"
    const note = Option.getOrElse(options.note, () => "saved answers")
    yield* Fixtures.save(place, { plugin: options.plugin, origin, note }, tape)
    yield* Console.log(`recorded ${countOf(tape)} at ${isoTime(at)} in ${name}`)
    for (const url of left) yield* Console.log(`plugins/${options.plugin} does not request ${url}`)
    yield* show(plugin, options.case, place, tape)
  })
).pipe(Command.withDescription("Record what an upstream answers as a test case"))

const countOf = ({ exchanges }: Tape): string =>
  exchanges.length === 1 ? "1 exchange" : `${exchanges.length} exchanges`

/** Shows the rows of the recording and writes them as expected, unless this is the case ok and its run fails. */
const show = Effect.fnUntraced(function* (plugin: Plugin, name: string, place: string, tape: Tape) {
  const rows = yield* derived(plugin, tape)
  yield* Console.log(table(rows))
  const { id } = plugin.manifest
  const unanswered = Fixtures.unanswered(rows)
  if (unanswered !== undefined) {
    yield* Console.log(
      `next: fix plugins/${id}/index.ts, or record again with one more --from; expected was not changed`
    )
  } else if ("error" in rows && name === "ok") {
    yield* Console.log(
      `next: fix plugins/${id}/index.ts, then run ${program} replay ${id} --case ok --update`
    )
  } else {
    yield* Fixtures.writeExpected(place, rows)
    yield* Console.log(`saved these rows as expected: check each of them against the answer`)
  }
})
