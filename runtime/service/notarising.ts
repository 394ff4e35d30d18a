/**
 * The notaries in the settings: who carries the collectors' sessions, what is kept of their statements, by which head they are drawn, and
 * which of them state no more.
 */
import { readFile } from "node:fs/promises"
import { Effect, Layer, Option, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import { headToDrawBy } from "../../core/log/drawingHeads.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { inBackground } from "../../core/process/loop.ts"
import { ProcessState } from "../../core/process/ProcessState.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import { parseVkey } from "../../core/proof/checkpoint.ts"
import { keepNotes, type RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import { silenceOf } from "../../core/readings/ingest/runs/silentNotary.ts"
import type { Warning } from "../../core/wire/log/readiness.ts"
import { Collector } from "../collector/Collector.ts"
import { type NotaryText, parseNotaries } from "../notaries/drawing.ts"
import { onDisk } from "../outside/disk.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"

const refuse = (message: string) => new SettingsError({ message: `NOTARIES: ${message}` })

/** Notaries, and not the name of a file with them. */
const isList = (setting: string): boolean => /\s/.test(setting.trim())

/** The notaries of the setting; none where it is not set. */
export const configured = Effect.gen(function* () {
  const { notaries } = yield* Settings
  const setting = Option.match(notaries, { onNone: () => "", onSome: Redacted.value })
  if (setting.trim() === "") return []
  const text = isList(setting)
    ? setting
    : yield* Effect.mapError(
        onDisk(() => readFile(setting.trim(), "utf8")),
        // The setting itself may be a secret that was written wrongly.
        () =>
          refuse(
            "it is neither <verifier key> https://<token>@<host> nor the name of a file that can be read"
          )
      )
  return yield* Effect.try({
    try: (): ReadonlyArray<NotaryText> => parseNotaries(text),
    catch: (error) => refuse(error instanceof Malformed ? error.message : "it cannot be read")
  })
})

/** Keeps what these notaries state of runs. */
export const noteStorage = Effect.fnUntraced(function* (notaries: ReadonlyArray<Pick<NotaryText, "vkey">>) {
  const sql = yield* SqlClient.SqlClient
  const verifiers = notaries.map(({ vkey }) => parseVkey(vkey))
  return (notes: RunNotes): Effect.Effect<void> =>
    keepNotes(notes, verifiers).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.flatMap((isKept) =>
        isKept
          ? Effect.void
          : Effect.logDebug("statements of a notary came too late, or are about no run", { run: notes.run })
      ),
      Effect.catchTag("SqlError", (error) =>
        Effect.logWarning("cannot store what a notary states", { run: notes.run, cause: error.message })
      )
    )
})

/** How often the head is looked up by which the next runs' notaries are drawn, and whether all of them state. */
const every = "1 minute"

/** Names it to the collector, where there are notaries. */
export const drawing = Layer.effectDiscard(
  Effect.gen(function* () {
    if ((yield* configured).length === 0) return
    const { drawBy } = yield* Collector
    yield* inBackground(
      "the head by which notaries are drawn",
      every,
      Effect.flatMap(headToDrawBy, (head) => (head === undefined ? Effect.void : drawBy(head)))
    )
  })
)

/** What `/readyz` says of the notaries that state no more; none where all of them do. */
const silentNotaries = Effect.fnUntraced(function* (vkeys: ReadonlyArray<string>) {
  const now = yield* DataClock.now
  const silent: Array<string> = []
  for (const vkey of vkeys) {
    const silence = yield* silenceOf(vkey, now)
    if (silence === undefined) continue
    const { name } = parseVkey(vkey)
    silent.push(`${name} (${silence.runs} runs since ${isoTime(silence.since.getTime())})`)
  }
  const message = `Readings go on without their statements: notaries stated nothing that is about what was read: ${silent.join(", ")}.`
  return silent.length === 0 ? [] : [{ code: "notary_silent", message } satisfies Warning]
})

/** Adds them to what `/readyz` says. They are looked for in the background, so that a probe asks no database. */
export const notaryWarnings = Layer.effect(
  ProcessState,
  Effect.gen(function* () {
    const process = yield* ProcessState
    const vkeys = (yield* configured).map(({ vkey }) => vkey)
    if (vkeys.length === 0) return process
    let silent: ReadonlyArray<Warning> = []
    yield* inBackground(
      "looking for notaries that state nothing",
      every,
      Effect.map(silentNotaries(vkeys), (now) => {
        silent = now
      })
    )
    return { ...process, warnings: Effect.map(process.warnings, (others) => [...others, ...silent]) }
  })
)
