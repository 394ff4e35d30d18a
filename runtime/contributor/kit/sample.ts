/** The answer that a draft begins with: read live, or out of a file. */
import { readFile } from "node:fs/promises"
import { Clock, Effect } from "effect"
import * as Plugin from "../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../core/plugin/Upstream.ts"
import { UsageError } from "../../cli/usage.ts"
import { onDisk } from "../../outside/disk.ts"
import { scaffoldMark } from "../check/Finding.ts"
import { captureHere } from "./capture.ts"
import { type Sample, sampleTape } from "./scaffold.ts"

/** Reads an address once, with the limits and stand-ins of a run. */
export const sampleOf = Effect.fnUntraced(function* (url: string) {
  const reader = Plugin.define({
    id: "sample",
    title: "Sample",
    covers: { networks: [] },
    tier: "supply_telemetry",
    source: "sample",
    hosts: [new URL(url).hostname],
    every: "1 hour",
    grade: "C",
    metrics: {},
    collect: () => Effect.as(Upstream.bytes(url), [])
  })
  const { failure, note, origin, tape } = yield* captureHere(reader, undefined)
  if (tape.exchanges.length === 0) {
    const message = `--from: ${failure?.message ?? "no answer"}; save an answer in a file and pass that with --url`
    return yield* new UsageError({ message })
  }
  return { tape, about: { origin, note } } satisfies Sample
})

/** A saved answer of an address, as if it had just come. */
export const sampleIn = Effect.fnUntraced(function* (file: string, url: string) {
  const body = yield* Effect.mapError(
    onDisk(() => readFile(file)),
    () => new UsageError({ message: `--from: ${file} is neither an https URL nor a file that can be read` })
  )
  const note = `${scaffoldMark}: a saved answer; say from where and when, or record it live`
  return {
    tape: sampleTape(url, body, yield* Clock.currentTimeMillis),
    about: { origin: "written", note }
  } satisfies Sample
})
