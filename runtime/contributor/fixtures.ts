/** Case folders: `fixtures/<plugin>/<case>/` with `recording.json`, its bodies and `expected.json`. */
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { Expected, Recording } from "../../core/plugin/Recording.ts"
import type { Exchange } from "../../core/plugin/Upstream.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import * as Replay from "../upstream/replay.ts"

/** The folder of all cases. */
export const root = new URL("../../fixtures/", import.meta.url).pathname

/** A case folder that cannot be used, and why. */
export class CaseBroken extends Schema.TaggedError<CaseBroken>()("CaseBroken", {
  folder: Schema.String,
  message: Schema.String
}) {}

const parse = <S extends Schema.Codec<unknown, unknown>>(schema: S, folder: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(join(folder, file), "utf8"),
    catch: () => new CaseBroken({ folder, message: `there is no ${file}` })
  }).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))),
    Effect.mapError((error) =>
      error instanceof CaseBroken ? error : new CaseBroken({ folder, message: `${file}: ${error.message}` })
    )
  )

/** Names of a plugin's cases, sorted; none where it has no folder. */
export const casesOf = (plugin: string, from: string = root): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(() => readdir(join(from, plugin), { withFileTypes: true }).catch(() => [])).pipe(
    Effect.map((entries) =>
      entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort()
    )
  )

/** Headers of an answer by the names that a plugin knows them by, which a tool may have written `Date` or `DATE`. */
export const headersOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Reads a case with its bodies; a body that is not the one its hash names is refused. */
export const load = Effect.fn("Fixtures.load")(function* (folder: string) {
  const recording = yield* parse(Recording, folder, "recording.json")
  const exchanges: Array<Exchange> = []
  for (const kept of recording.exchanges) {
    const body = yield* Effect.tryPromise({
      try: () => readFile(join(folder, kept.file)),
      catch: () => new CaseBroken({ folder, message: `there is no ${kept.file}` })
    })
    if (createHash("sha256").update(body).digest("hex") !== kept.sha256) {
      return yield* new CaseBroken({ folder, message: `${kept.file} is not the body that was recorded` })
    }
    const { at, body: asked, file: _, headers, method, sha256, status, url, confirmed } = kept
    exchanges.push({
      request: { method, url, ...(asked === undefined ? {} : { body: asked }) },
      at: Date.parse(at),
      status,
      headers: headersOf(headers),
      sha256,
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
  return { recording, tape }
})

/** How a case came to be; `none` where there is no such case or it cannot be read. */
export const origin = (folder: string): Effect.Effect<Recording["origin"] | "none"> =>
  parse(Recording, folder, "recording.json").pipe(
    Effect.map((recording) => recording.origin),
    Effect.catchTag("CaseBroken", () => Effect.succeed("none" as const))
  )

/** The rows, or the failure, kept beside a case. */
export const expected = (folder: string) => parse(Expected, folder, "expected.json")

/** A request of the run that its tape does not answer, in words; such rows say nothing about the plugin. */
export const unanswered = (rows: Expected): string | undefined =>
  ("error" in rows ? [rows.message] : rows.refused.map(({ reason }) => reason)).find((text) =>
    text.endsWith(Replay.notRecorded)
  )

/** Replays a tape through a plugin, in the form in which `expected.json` keeps it. */
export const replay = (plugin: Plugin, tape: Replay.Tape): Effect.Effect<Expected> =>
  plugin.collect.pipe(
    Effect.provide(Replay.layer(tape), { local: true }),
    Effect.match({
      onFailure: (error) => ({ error: error._tag, message: error.message }),
      // What was read stands in the recording, beside the rows.
      onSuccess: ({ observations, refused }) => ({
        observations: observations.map(({ read_url: _, ...row }) => row),
        refused
      })
    })
  )

const bodyForm = /^\d+\.[a-z]+$/

/** Bodies in a case folder that no exchange names: those of an earlier, longer recording. */
export const strays = (
  folder: string,
  recording: Pick<Recording, "exchanges">
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(() => readdir(folder)).pipe(
    Effect.map((names) => {
      const kept = new Set(recording.exchanges.map(({ file }) => file))
      return names.filter((name) => bodyForm.test(name) && !kept.has(name)).sort()
    })
  )

/** Writes a case folder, and clears it of an earlier recording's bodies; `expected.json` is left to `writeExpected`, which looks at the rows first. */
export const save = Effect.fn("Fixtures.save")(function* (
  folder: string,
  about: Pick<Recording, "plugin" | "origin" | "note">,
  tape: Replay.Tape
) {
  yield* Effect.promise(() => mkdir(folder, { recursive: true }))
  const exchanges: Array<Recording["exchanges"][number]> = []
  for (const [index, { at, body, confirmed, headers, request, sha256, status }] of tape.exchanges.entries()) {
    const file = `${index + 1}.${extensionOf(headers["content-type"], body)}`
    yield* Effect.promise(() => writeFile(join(folder, file), body))
    exchanges.push({
      method: request.method,
      url: request.url,
      ...(request.body === undefined ? {} : { body: request.body }),
      at: isoTime(at),
      status,
      headers,
      ...(confirmed === undefined ? {} : { confirmed }),
      sha256,
      file
    })
  }
  const recording: Recording = {
    ...about,
    now: isoTime(tape.now),
    targets: tape.targets,
    settings: tape.settings,
    exchanges
  }
  yield* Effect.promise(() =>
    writeFile(join(folder, "recording.json"), `${JSON.stringify(recording, null, 2)}\n`)
  )
  for (const file of yield* strays(folder, recording)) yield* Effect.promise(() => rm(join(folder, file)))
})

/** Writes `expected.json`, one row a line, so that a changed row is one changed line. */
export const writeExpected = (folder: string, rows: Expected): Effect.Effect<void> =>
  Effect.promise(() => writeFile(join(folder, "expected.json"), expectedText(rows)))

const expectedText = (rows: Expected): string => {
  if ("error" in rows) return `${JSON.stringify(rows, null, 2)}\n`
  const lines = (list: ReadonlyArray<unknown>) =>
    list.length === 0 ? "[]" : `[\n${list.map((row) => JSON.stringify(row)).join(",\n")}\n]`
  return `{"observations": ${lines(rows.observations)},\n"refused": ${lines(rows.refused)}}\n`
}

const extensionOf = (contentType: string | undefined, body: Uint8Array): string => {
  if (contentType?.includes("csv")) return "csv"
  if (contentType?.includes("html")) return "html"
  return contentType?.includes("json") || body[0] === 0x7b || body[0] === 0x5b ? "json" : "txt"
}
