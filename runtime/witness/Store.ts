/**
 * The folder of a witness: its private key (`key.pem`), the newest checkpoint that it cosigned of each log (`state.json`)
 * and the logs it cosigns (`logs`).
 *
 * A witness that forgets what it signed can be led to sign a fork. So the key is never used without the state that was
 * created with it, and a new state is on disk before its signature is.
 */
import { generateKeyPairSync, sign } from "node:crypto"
import { type FileHandle, mkdir, open, readFile, rename, stat } from "node:fs/promises"
import { join } from "node:path"
import { Data, Effect, Schema } from "effect"
import { program } from "../../core/process/program.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import {
  type Checkpoint,
  noteKeyText,
  parseAnyCheckpointText,
  parseNote
} from "../../core/proof/checkpoint.ts"
import { type Cosigner, cosignaturesOf, cosignerOf, parseCosigner } from "../../core/proof/cosignature.ts"
import { own } from "../database/ownership.ts"
import { pemOf, publicHalf, readPrivateKey } from "../outside/ed25519File.ts"
import { makePrivate } from "../outside/privateFile.ts"
import { type Logs, parseLogs } from "./logs.ts"

/** A folder that a witness cannot start from. The message is one line that says what to do. */
export class WitnessUnusable extends Schema.TaggedError<WitnessUnusable>()("WitnessUnusable", {
  message: Schema.String
}) {}

/** The state could not be written. Nothing was signed. */
export class StateUnwritten extends Data.TaggedError("StateUnwritten")<{ readonly message: string }> {}

/** The newest checkpoint of a log that the witness cosigned. */
export interface CosignedCheckpoint extends Checkpoint {
  /** With the signatures of the log that were verified, and the cosignature. */
  readonly note: string
}

export interface Store {
  readonly cosigner: Cosigner
  readonly logs: Logs
  /** What the witness holds of each log, by origin. */
  readonly cosigned: () => ReadonlyMap<string, CosignedCheckpoint>
  readonly sign: (message: Uint8Array) => Uint8Array
  /** Keeps a checkpoint in place of the one before it. It is on disk when this returns. */
  readonly keep: (checkpoint: CosignedCheckpoint) => Effect.Effect<void, StateUnwritten>
}

const File = Schema.Struct({
  v: Schema.Literal("plumbline-witness-v1"),
  /** The verifier key of the witness, which ties the state to its key. */
  witness: Schema.String,
  /** The newest cosigned checkpoint of each log. */
  checkpoints: Schema.Array(Schema.String)
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(File))

const filesOf = (folder: string) => ({
  key: join(folder, "key.pem"),
  state: join(folder, "state.json"),
  logs: join(folder, "logs")
})

const firstLogs = `# The logs to cosign, one line each: log <verifier key>
# During a key rotation, list both keys of the log. Restart the witness after a change.
`

const stateText = (cosigner: Cosigner, checkpoints: Iterable<CosignedCheckpoint>): string =>
  `${JSON.stringify(
    {
      v: "plumbline-witness-v1",
      witness: noteKeyText(cosigner),
      checkpoints: Array.from(checkpoints, ({ note }) => note)
    } satisfies typeof File.Type,
    null,
    2
  )}\n`

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/\s+/g, " ") : String(error)

const attempt = <A>(file: string, doing: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new WitnessUnusable({ message: `${file}: cannot ${doing}: ${reasonOf(error)}` })
  })

const exists = (file: string) => Effect.isSuccess(Effect.tryPromise(() => stat(file)))

/** Creates a witness in a folder: key, empty state and an empty list of logs. Returns its verifier key. */
export const create = Effect.fn("Witness.create")(function* (folder: string, name: string) {
  const files = filesOf(folder)
  const { privateKey } = generateKeyPairSync("ed25519")
  const cosigner = cosignerOf(name, publicHalf(privateKey))
  const refuse = (message: string) => new WitnessUnusable({ message })
  const vkey = noteKeyText(cosigner)
  yield* Effect.try({
    try: () => parseCosigner(vkey),
    catch: () =>
      refuse(
        `--name "${name}" cannot be the name of a witness: it must have no spaces, no control characters and no + (expected e.g. witness.example.org/w1)`
      )
  })
  if ((yield* exists(files.key)) || (yield* exists(files.state))) {
    return yield* refuse(`${folder} already contains a witness and was not changed; name another folder`)
  }
  // The key last: until it is there, the folder cannot sign.
  yield* attempt(files.state, "be created", () => makePrivate(files.state, stateText(cosigner, [])))
  yield* attempt(files.logs, "be created", () => makePrivate(files.logs, firstLogs))
  yield* attempt(files.key, "be created", () => makePrivate(files.key, pemOf(privateKey)))
  return vkey
})

/** Opens a witness's folder, and keeps other processes out of it until the scope closes. */
export const openStore = Effect.fn("Witness.openStore")(function* (folder: string) {
  const files = filesOf(folder)
  const key = yield* readKey(files)
  // Two processes with one state would sign two heads of one size.
  yield* own(folder).pipe(
    Effect.mapError(({ _tag, message }) =>
      _tag === "DirectoryOwned"
        ? new WitnessUnusable({ message: `${folder} is in use by another witness process; stop it first` })
        : new WitnessUnusable({ message: message.replace("as the data directory", "by a witness") })
    )
  )
  const { cosigner, cosigned } = yield* readState(files.state, publicHalf(key))
  const logs = yield* readLogs(files.logs)
  let current: ReadonlyMap<string, CosignedCheckpoint> = cosigned
  const store: Store = {
    cosigner,
    logs,
    cosigned: () => current,
    sign: (message) => sign(null, message, key),
    keep: Effect.fnUntraced(function* (newest) {
      const next = new Map(current).set(newest.origin, newest)
      yield* Effect.tryPromise({
        try: () => replace(folder, files.state, stateText(cosigner, next.values())),
        catch: (error) =>
          new StateUnwritten({ message: `${files.state} cannot be written: ${reasonOf(error)}` })
      })
      current = next
    })
  }
  return store
})

type Files = ReturnType<typeof filesOf>

const readKey = Effect.fnUntraced(function* (files: Files) {
  const refuse = (message: string) => new WitnessUnusable({ message })
  const has = { key: yield* exists(files.key), state: yield* exists(files.state) }
  if (!has.key && !has.state) {
    return yield* refuse(
      `${files.key} does not exist; create a witness with: ${program} witness new <folder> --name <name>`
    )
  }
  if (!has.key) return yield* refuse(`${files.key} is missing, but there is its state; restore the key`)
  if (!has.state) {
    return yield* refuse(
      `${files.state} is missing, but there is its key. Without it the witness could sign a second history; restore the newest state, or create another witness`
    )
  }
  return yield* Effect.mapError(readPrivateKey(files.key), ({ message }) => refuse(message))
})

const readState = Effect.fnUntraced(function* (file: string, publicKey: Uint8Array) {
  const text = yield* attempt(file, "be read", () => readFile(file, "utf8"))
  const refuse = (why: string) =>
    new WitnessUnusable({ message: `${file} ${why}; restore the newest state, or create another witness` })
  const state = yield* Effect.mapError(decode(text), () => refuse("is not the state of a witness"))
  return yield* Effect.try({
    try: () => {
      const cosigner = parseCosigner(state.witness)
      if (noteKeyText(cosignerOf(cosigner.name, publicKey)) !== state.witness) {
        throw new Malformed("belongs to another key than key.pem")
      }
      const checkpoints = state.checkpoints.map((note) => cosignedOf(note, cosigner))
      return { cosigner, cosigned: new Map(checkpoints.map((one) => [one.origin, one])) }
    },
    catch: (error) => refuse(reasonOf(error))
  })
})

const cosignedOf = (note: string, cosigner: Cosigner): CosignedCheckpoint => {
  const parsed = parseNote(note)
  if (cosignaturesOf(parsed.text, parsed.signatures, [cosigner]).length === 0) {
    throw new Malformed("contains a checkpoint that this witness did not sign")
  }
  const { origin, root, size } = parseAnyCheckpointText(parsed.text)
  return { origin, root, size, note }
}

const readLogs = Effect.fnUntraced(function* (file: string) {
  const text = yield* attempt(file, "be read", () => readFile(file, "utf8"))
  return yield* Effect.try({
    try: () => parseLogs(text),
    catch: (error) => new WitnessUnusable({ message: `${file}, ${reasonOf(error)}` })
  })
})

/** Replaces a file in one step that outlives a loss of power: a crash leaves the old content or the new. */
const replace = async (folder: string, file: string, content: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.new`
  await synced(await open(temporary, "w", 0o600), (handle) => handle.writeFile(content))
  await rename(temporary, file)
  // The new name is an entry of the folder, which has to be on disk too.
  await synced(await open(folder, "r"), async () => {})
}

const synced = async (handle: FileHandle, work: (handle: FileHandle) => Promise<void>): Promise<void> => {
  try {
    await work(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
