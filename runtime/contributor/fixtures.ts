/**
 * Cases: `fixtures/<plugin>/<case>.json` holds a recording and its expected rows. Files that belong to it start with
 * `<case>.`. Here a case is named by its path without the extension: `fixtures/<plugin>/<case>`.
 */
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { Effect, JsonPatch, Option, Predicate, Schema } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { Expected, type KeptExchange, Recording, Variant } from "../../core/plugin/Recording.ts"
import { type Exchange, notRecorded } from "../../core/plugin/Upstream.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { folderFromElsewhere } from "../collector/outside.ts"
import * as Plugins from "../collector/plugins.ts"
import { watched } from "../collector/watch.ts"
import { type DiskError, onDisk } from "../outside/disk.ts"
import * as Replay from "../upstream/replay.ts"
import { edits, memberTyped, typed } from "./kit/edits.ts"
import { layout } from "./kit/layout.ts"

/** The folder of all cases. */
export const root = new URL("../../fixtures/", import.meta.url).pathname

/** The folder that the folder of a plugin's cases is in. One from elsewhere has its own. */
export const rootOf = (plugin: string): string => {
  const elsewhere = folderFromElsewhere(plugin)
  return elsewhere === undefined ? root : fileURLToPath(new URL("fixtures/", elsewhere))
}

/** A case that cannot be used. The message says why. */
export class CaseBroken extends Schema.TaggedError<CaseBroken>()("CaseBroken", {
  place: Schema.String,
  message: Schema.String
}) {}

/** A case name has no dot: `ok.tape.json` is not a case but a file that belongs to one. */
export const nameForm = /^[a-z0-9][a-z0-9-]*$/

/** Names of a plugin's cases, sorted; empty if it has no folder. */
export const casesOf = (
  plugin: string,
  from: string = rootOf(plugin)
): Effect.Effect<ReadonlyArray<string>> =>
  namesIn(join(from, plugin)).pipe(
    Effect.map((names) =>
      names
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.slice(0, -".json".length))
        .filter((name) => nameForm.test(name))
    )
  )

const namesIn = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  onDisk(() => readdir(folder)).pipe(
    Effect.orElseSucceed(() => []),
    Effect.map((names) => names.sort())
  )

/** Response headers with lower-case names, as plugins expect them. */
export const headersOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const read = Effect.fnUntraced(function* (place: string) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(`${place}.json`, "utf8"),
    catch: () => new CaseBroken({ place, message: `${basename(place)}.json does not exist` })
  })
  return yield* Effect.try({
    try: (): Schema.Json => JSON.parse(text),
    catch: (error) => new CaseBroken({ place, message: `${basename(place)}.json: ${String(error)}` })
  })
})

const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, place: string, value: unknown) =>
  Schema.decodeUnknownEffect(schema)(value).pipe(
    Effect.mapError(
      (error) => new CaseBroken({ place, message: `${basename(place)}.json: ${error.message}` })
    )
  )

const member = (value: Schema.Json, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

/** The whole recording of a case. A variant is resolved: the recording of the case it is like, with its edits. */
const recordingAt = Effect.fnUntraced(function* (place: string) {
  const own = yield* read(place)
  if (member(own, "like") === undefined) return yield* decode(Recording, place, own)
  const { edits, like, ...about } = yield* decode(Variant, place, own)
  const base = yield* read(join(dirname(place), like))
  if (member(base, "like") !== undefined) {
    const message = `like: ${like} is itself a variant; name a case with a whole recording`
    return yield* new CaseBroken({ place, message })
  }
  const edited = yield* Effect.try({
    try: () => JsonPatch.apply(edits, base),
    catch: (error) =>
      new CaseBroken({ place, message: `its edits do not apply to the case ${like}: ${String(error)}` })
  })
  return { ...(yield* decode(Recording, place, edited)), ...about }
})

const bodyOf = (place: string, { body, file, name, text }: KeptExchange) => {
  if (file !== undefined) {
    return Effect.tryPromise({
      try: (): Promise<Uint8Array> => readFile(join(dirname(place), file)),
      catch: () => new CaseBroken({ place, message: `${file} does not exist` })
    })
  }
  const written = text ?? (body === undefined ? undefined : JSON.stringify(body))
  return written === undefined
    ? Effect.fail(new CaseBroken({ place, message: `${name} has no body, no text and no file` }))
    : Effect.succeed(new TextEncoder().encode(written))
}

const tapeOf = Effect.fnUntraced(function* (place: string, recording: Recording) {
  const exchanges: Array<Exchange> = []
  for (const recorded of recording.exchanges) {
    const { at, confirmed, headers, method, request_body, status, url } = recorded
    const body = yield* bodyOf(place, recorded)
    exchanges.push({
      request: { method, url, ...(request_body === undefined ? {} : { body: request_body }) },
      at: Date.parse(at),
      status,
      headers: headersOf(headers),
      sha256: createHash("sha256").update(body).digest("hex"),
      body,
      ...(confirmed === undefined ? {} : { confirmed })
    })
  }
  const tape: Replay.Tape = {
    now: Date.parse(recording.now),
    targets: recording.targets,
    settings: recording.settings,
    exchanges
  }
  return tape
})

/** Reads a case with its bodies. Refuses a body that does not match its hash. */
export const load = Effect.fn("Fixtures.load")(function* (place: string) {
  const recording = yield* recordingAt(place)
  const tape = yield* tapeOf(place, recording)
  const edited = recording.exchanges.find(({ sha256 }, at) => tape.exchanges[at]?.sha256 !== sha256)
  if (edited !== undefined) {
    return yield* new CaseBroken({
      place,
      message: `${edited.name} does not match the hash of the recorded body`
    })
  }
  return { recording, tape }
})

/** The tape of a case after edits to its recording, in the form that `typed` reads; a body that is kept as text is edited there. */
export const edited = Effect.fn("Fixtures.edited")(function* (place: string, changes: ReadonlyArray<string>) {
  const { recording, tape } = yield* load(place)
  const ofMembers = changes.flatMap((change) => {
    const [, index = "", member] = /^\/exchanges\/(\d+)\/body(\/.*)$/s.exec(change) ?? []
    const exchange = recording.exchanges[Number(index)]
    return member === undefined || exchange === undefined || exchange.body !== undefined
      ? []
      : [{ change, index: Number(index), member }]
  })
  const changed = yield* Effect.try({
    try: () => {
      const exchanges = recording.exchanges.map(({ file, ...exchange }, index) => {
        const members = ofMembers.filter((one) => one.index === index)
        const text = new TextDecoder().decode(tape.exchanges[index]?.body)
        if (members.length > 0)
          return { ...exchange, text: members.reduce((text, { member }) => memberTyped(text, member), text) }
        return file === undefined ? exchange : { ...exchange, file }
      })
      return changes
        .filter((change) => !ofMembers.some((one) => one.change === change))
        .reduce(typed, json({ ...recording, exchanges }))
    },
    catch: (error) =>
      new CaseBroken({ place, message: error instanceof Error ? error.message : String(error) })
  })
  return yield* tapeOf(place, yield* decode(Recording, place, changed))
})

/** The origin of a case; `none` if the case does not exist or cannot be read. */
export const origin = (place: string): Effect.Effect<Recording["origin"] | "none"> =>
  read(place).pipe(
    Effect.flatMap((own) => decode(Schema.Struct({ origin: Recording.fields.origin }), place, own)),
    Effect.map(({ origin }) => origin),
    Effect.catchTag("CaseBroken", () => Effect.succeed("none" as const))
  )

/** The rows, or the failure, that a case expects. */
export const expected = Effect.fn("Fixtures.expected")(function* (place: string) {
  const raw = member(yield* read(place), "expected")
  if (raw === undefined) return yield* new CaseBroken({ place, message: "it has no expected rows" })
  return yield* decode(Expected, place, raw)
})

/** The message about a request that the tape does not answer. Such rows say nothing about the plugin. */
export const unanswered = (rows: Expected): string | undefined =>
  ("error" in rows ? [rows.message] : rows.refused.map(({ reason }) => reason)).find((text) =>
    text.endsWith(notRecorded)
  )

/** Replays a tape through a plugin. Returns the rows in the form that cases store. */
export const replay = (plugin: Plugin, tape: Replay.Tape): Effect.Effect<Expected> =>
  Plugins.patiently(
    "collect",
    Effect.provide(watched(plugin.manifest.id, plugin.collect), Replay.layer(tape), { local: true }),
    (message) => ({ _tag: "NotReturning", message })
  ).pipe(
    Effect.match({
      onFailure: (error) => ({ error: error._tag, message: error.message }),
      // The URL that was read is part of the recording, not of the rows.
      onSuccess: ({ observations, refused }) => ({
        observations: observations.map(({ read_url: _, ...row }) => row),
        refused
      })
    })
  )

const bodyForm = /^\d+\.[a-z]+$/

/** Body files that no exchange names: left over from an earlier, longer recording. */
export const strays = (
  place: string,
  recording: Pick<Recording, "exchanges">
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(namesIn(dirname(place)), (names) => {
    const files = new Set(recording.exchanges.map(({ file }) => file))
    const own = `${basename(place)}.`
    return names.filter(
      (name) => name.startsWith(own) && bodyForm.test(name.slice(own.length)) && !files.has(name)
    )
  })

/** Longest text, in characters, that is stored inline; a longer one becomes a file next to the case. */
const longText = 4096

/** How a body is stored: inline as JSON or text, or as a file. */
const runState = (file: string, body: Uint8Array): Pick<KeptExchange, "body" | "text" | "file"> => {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body)
  const value = parsed(text)
  if (Option.isSome(value) && JSON.stringify(value.value) === text) return { body: value.value }
  const isText =
    text.length <= longText && isDeepStrictEqual(new TextEncoder().encode(text), new Uint8Array(body))
  return isText ? { text } : { file }
}

const parsed = Option.liftThrowable((text: string): Schema.Json => JSON.parse(text))

type About = Pick<Recording, "plugin" | "origin" | "note">

const write = Effect.fnUntraced(function* (place: string, about: About, tape: Replay.Tape) {
  const whole = basename(place) === "ok" ? Option.none() : yield* wholeOk(place)
  const shared = new Map(
    Option.getOrElse(whole, () => ({ exchanges: [] })).exchanges.map(({ file, sha256 }) => [sha256, file])
  )
  const exchanges: Array<KeptExchange> = []
  for (const [index, { at, body, confirmed, headers, request, sha256, status }] of tape.exchanges.entries()) {
    const name = `${index + 1}.${extensionOf(headers["content-type"], body)}`
    const stands = runState(shared.get(sha256) ?? `${basename(place)}.${name}`, body)
    if (stands.file !== undefined && stands.file !== shared.get(sha256)) {
      const file = join(dirname(place), stands.file)
      yield* onDisk(() => writeFile(file, body))
    }
    exchanges.push({
      name,
      method: request.method,
      url: request.url,
      ...(request.body === undefined ? {} : { request_body: request.body }),
      at: isoTime(at),
      status,
      headers,
      ...(confirmed === undefined ? {} : { confirmed }),
      sha256,
      ...stands
    })
  }
  const recording: Recording = {
    ...about,
    now: isoTime(tape.now),
    targets: tape.targets,
    settings: tape.settings,
    exchanges
  }
  const rows = yield* Effect.option(expected(place))
  yield* writeFileOf(place, {
    ...(Option.isSome(whole) ? briefer(whole.value, recording) : recording),
    ...(Option.isSome(rows) ? { expected: rows.value } : {})
  })
  for (const file of yield* strays(place, recording)) {
    yield* onDisk(() => rm(join(dirname(place), file)))
  }
})

const wholeOk = (place: string) => Effect.option(recordingAt(join(dirname(place), "ok")))

/** A recording as a variant of the case ok, if that is shorter. */
const briefer = (ok: Recording, recording: Recording): Recording | Variant => {
  const { origin, note } = recording
  const variant: Variant = {
    like: "ok",
    origin,
    note,
    edits: edits(json({ ...ok, origin, note }), json(recording))
  }
  return JSON.stringify(variant).length < JSON.stringify(recording).length ? variant : recording
}

const json = (value: Recording): Schema.Json => JSON.parse(JSON.stringify(value))

const writeFileOf = (place: string, content: object): Effect.Effect<void, DiskError> =>
  onDisk(() => writeFile(`${place}.json`, `${layout(content)}\n`))

/**
 * Writes a case and removes the bodies of an earlier recording. `expected` is not touched; `writeExpected` sets it. When
 * the case is `ok`, its variants keep their content: their edits are computed again.
 */
export const save = Effect.fn("Fixtures.save")(function* (place: string, about: About, tape: Replay.Tape) {
  const folder = dirname(place)
  yield* onDisk(() => mkdir(folder, { recursive: true }))
  const variants: Array<readonly [place: string, about: About, tape: Replay.Tape]> = []
  if (basename(place) === "ok") {
    for (const name of yield* casesOf(basename(folder), dirname(folder))) {
      const other = join(folder, name)
      const loaded = yield* Effect.option(load(other))
      if (name === "ok" || Option.isNone(loaded)) continue
      const { note, origin, plugin } = loaded.value.recording
      variants.push([other, { plugin, origin, note }, loaded.value.tape])
    }
  }
  yield* write(place, about, tape)
  for (const variant of variants) yield* write(...variant)
})

/** Writes the expected rows into a case, one per line, so a changed row is one changed line. */
export const writeExpected = Effect.fn("Fixtures.writeExpected")(function* (place: string, rows: Expected) {
  const own = yield* decode(Schema.JsonObject, place, yield* read(place))
  yield* writeFileOf(place, { ...own, expected: rows })
})

/** Deletes a case and its body files. */
export const remove = Effect.fn("Fixtures.remove")(function* (place: string) {
  for (const file of yield* strays(place, { exchanges: [] })) {
    yield* onDisk(() => rm(join(dirname(place), file)))
  }
  yield* onDisk(() => rm(`${place}.json`))
})

const extensionOf = (contentType: string | undefined, body: Uint8Array): string => {
  if (contentType?.includes("csv")) return "csv"
  if (contentType?.includes("html")) return "html"
  return contentType?.includes("json") || body[0] === 0x7b || body[0] === 0x5b ? "json" : "txt"
}
