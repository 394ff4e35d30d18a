/** What a run was given beside its exchanges, by hash: the targets and the settings, which anybody may read. */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { canonical } from "../../../proof/canonical.ts"
import { texts } from "../arrays.ts"
import { Blobs } from "../Blobs.ts"
import type { Delivery, RunResult } from "../Run.ts"

const decompress = promisify(zstdDecompress)

interface Input {
  readonly sha256: string
  readonly kind: "targets" | "settings"
  readonly text: string
}

/** The settings of a run as canonical JSON, which its `settings_sha256` is of. */
export const settingsInput = (settings: RunResult["settings"]): Input => {
  const text = canonical(settings)
  return { sha256: hash("sha256", text), kind: "settings", text }
}

/** The targets of a run, whose bytes came with it or were stored with an earlier one. */
const targetsInput = Effect.fnUntraced(function* ({ bodies, run }: Delivery) {
  const blob = bodies.get(run.targets_sha256) ?? (yield* storedBlob(run.targets_sha256))
  if (blob === undefined) return []
  const bytes = yield* Effect.orDie(Effect.tryPromise(() => decompress(blob)))
  const input: Input = { sha256: run.targets_sha256, kind: "targets", text: bytes.toString("utf8") }
  return [input]
})

const storedBlob = Effect.fnUntraced(function* (sha256: string) {
  const { get } = yield* Blobs
  return Option.getOrUndefined(yield* get(sha256))
})

/** The texts behind the hashes of a run. Read before the transaction that keeps them. */
export const inputsOf = Effect.fnUntraced(function* (delivery: Delivery) {
  return [settingsInput(delivery.run.settings), ...(yield* targetsInput(delivery))]
})

/** Keeps the texts for good. */
export const keepInputs = Effect.fnUntraced(function* (inputs: ReadonlyArray<Input>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into run_input (sha256, kind, text)
    select sha256, kind, text from unnest(${texts(inputs.map(({ sha256 }) => sha256))},
      ${texts(inputs.map(({ kind }) => kind))}, ${texts(inputs.map(({ text }) => text))}) as t(sha256, kind, text)
    on conflict do nothing`
})
