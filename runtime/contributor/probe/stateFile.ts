/** What a probe has found so far, one line of JSON for each plugin: an interrupted one goes on after the last whole line. */
import { appendFile, readFile, rm } from "node:fs/promises"
import { Effect, Option, Schema } from "effect"
import { onDisk } from "../../outside/disk.ts"
import { Probed } from "./Probed.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Probed))

/** Results in the file, by plugin. A line that an interrupted probe left half written is skipped. */
export const read = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.orElseSucceed(
    onDisk(() => readFile(file, "utf8")),
    () => ""
  )
  return new Map(
    text
      .split("\n")
      .flatMap((line) =>
        Option.match(decode(line), { onNone: () => [], onSome: (one) => [[one.plugin, one] as const] })
      )
  )
})

/** Begins with a line break, because the last line may be half written. */
export const append = (file: string, probed: Probed) =>
  onDisk(() => appendFile(file, `\n${JSON.stringify(probed)}`))

export const remove = (file: string) => onDisk(() => rm(file, { force: true }))
