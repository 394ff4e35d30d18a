/** The answer that a draft begins with: read live, or out of a file. */
import { readFile } from "node:fs/promises"
import { Clock, Effect } from "effect"
import * as Plugin from "../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../core/plugin/Upstream.ts"
import { UsageError } from "../../cli/usage.ts"
import { onDisk } from "../../outside/disk.ts"
import { scaffoldMark } from "../check/Finding.ts"
import { draftOfViews, inventedNote, tapeOfViews, type View, viewsIn } from "./abi.ts"
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

/** A saved answer of an address, as if it had just come; or, of a contract's ABI, a made-up one of its node. */
export const sampleIn = Effect.fnUntraced(function* (
  file: string,
  { contract, id, url }: { readonly contract: string | undefined; readonly id: string; readonly url: string }
) {
  const body = yield* Effect.mapError(
    onDisk(() => readFile(file)),
    () => new UsageError({ message: `--from: ${file} is neither an https URL nor a file that can be read` })
  )
  const views = viewsIn(new TextDecoder().decode(body))
  if (views !== undefined) return yield* sampleOfViews(views, file, contract, id, url)
  if (contract !== undefined)
    return yield* new UsageError({ message: `--contract: ${file} is no ABI (a JSON list of functions)` })
  const note = `${scaffoldMark}: a saved answer; say from where and when, or record it live`
  return {
    tape: sampleTape(url, body, yield* Clock.currentTimeMillis),
    about: { origin: "written", note }
  } satisfies Sample
})

const addressForm = /^0x[0-9a-fA-F]{40}$/

const sampleOfViews = Effect.fnUntraced(function* (
  views: ReadonlyArray<View>,
  file: string,
  contract: string | undefined,
  id: string,
  url: string
) {
  const refuse = (message: string) => new UsageError({ message })
  if (contract === undefined || !addressForm.test(contract))
    return yield* refuse(
      `--contract: ${file} is an ABI; say at which address the contract is (0x and 40 hex digits)`
    )
  if (views.length === 0)
    return yield* refuse(
      `--from: ${file} has no function that takes nothing and gives one unsigned integer; write the plugin with --url`
    )
  const draft = (units: Parameters<typeof draftOfViews>[4]) => draftOfViews(views, contract, url, id, units)
  const { metrics } = draft(new Map())
  const read = views.filter(({ name }) => metrics.some(({ place }) => place.includes(`"${name}"`)))
  return {
    tape: tapeOfViews(read, contract, url, yield* Clock.currentTimeMillis),
    about: { origin: "written", note: inventedNote },
    draft
  } satisfies Sample
})
