/**
 * The folder of a notary: its private key (`key.pem`), its log (`entries`, `checkpoint`, `tile/`), the collectors that it carries for
 * (`collectors`) and the hosts that it carries to (`hosts`).
 *
 * A key without its log could state what the log then lacks, so neither is used alone.
 */
import { generateKeyPairSync, hash, randomBytes, sign } from "node:crypto"
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { program } from "../../core/process/program.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import { parseVkey, verifierOf, vkey } from "../../core/proof/checkpoint.ts"
import { own } from "../database/ownership.ts"
import { type DiskError, onDisk } from "../outside/disk.ts"
import { pemOf, publicHalf, readPrivateKey } from "../outside/ed25519File.ts"
import { makePrivate } from "../outside/privateFile.ts"
import { type Collectors, collectorLine, parseCollectors, parseHosts } from "./lists.ts"
import { createTileLog, type LogSigner } from "./TileLog.ts"

/** A folder that a notary cannot start from. The message is one line that says what to do. */
export class NotaryUnusable extends Schema.TaggedError<NotaryUnusable>()("NotaryUnusable", {
  message: Schema.String
}) {}

export interface Folder {
  readonly path: string
  readonly signer: LogSigner
  readonly collectors: Collectors
  readonly hosts: ReadonlySet<string>
}

const filesOf = (folder: string) => ({
  key: join(folder, "key.pem"),
  collectors: join(folder, "collectors"),
  hosts: join(folder, "hosts")
})

const firstCollectors = `# The collectors to carry sessions for, one a line: <name> <SHA-256 of its token, hex>
# Add one with: ${program} notary admit <folder> --name <name>. Restart the notary after a change.
`

const firstHosts = `# The hosts to carry sessions to, one a line, at port 443. Restart the notary after a change.
`

const unusable = ({ message }: { readonly message: string }) => new NotaryUnusable({ message })

const attempt = <A>(file: string, doing: string, run: () => Promise<A>) =>
  Effect.mapError(onDisk(run), ({ message }: DiskError) =>
    unusable({ message: `${file}: cannot ${doing}: ${message.replace(/\s+/g, " ")}` })
  )

/** Creates a notary in a folder: key, empty log, no collector, and these hosts. Returns its verifier key. */
export const createFolder = Effect.fn("Notary.createFolder")(function* (
  folder: string,
  name: string,
  hosts: ReadonlyArray<string>
) {
  const files = filesOf(folder)
  const { privateKey } = generateKeyPairSync("ed25519")
  const key = vkey(name, publicHalf(privateKey))
  const verifier = yield* Effect.try({
    try: () => parseVkey(key),
    catch: () =>
      unusable({
        message: `--name "${name}" cannot be the name of a notary: it must have no spaces, no control characters and no + (expected e.g. notary.example.org/n1)`
      })
  })
  const isNew = yield* attempt(files.key, "be created", () => makePrivate(files.key, pemOf(privateKey)))
  if (!isNew)
    return yield* unusable({
      message: `${folder} already contains a notary and was not changed; name another folder`
    })
  const signer: LogSigner = { verifier, sign: (message) => sign(null, message, privateKey) }
  yield* Effect.mapError(createTileLog(folder, signer), unusable)
  yield* attempt(files.collectors, "be created", () => makePrivate(files.collectors, firstCollectors))
  const lines = hosts.map((host) => `${host}\n`).join("")
  yield* attempt(files.hosts, "be created", () => makePrivate(files.hosts, `${firstHosts}${lines}`))
  return key
})

/** Opens a notary's folder, and keeps other processes out of it until the scope closes. */
export const openFolder = Effect.fn("Notary.openFolder")(function* (folder: string) {
  const files = filesOf(folder)
  const key = yield* Effect.mapError(readPrivateKey(files.key), ({ message }) =>
    unusable({
      message: message.includes("ENOENT")
        ? `${files.key} does not exist; create a notary with: ${program} notary new <folder> --name <name>`
        : message
    })
  )
  yield* own(folder).pipe(
    Effect.mapError(({ _tag, message }) =>
      unusable({
        message:
          _tag === "DirectoryOwned"
            ? `${folder} is in use by another notary process; stop it first`
            : message.replace("as the data directory", "by a notary")
      })
    )
  )
  const checkpoint = yield* attempt(join(folder, "checkpoint"), "be read", () =>
    readFile(join(folder, "checkpoint"), "utf8")
  )
  // The key has no name: its log has.
  const [name = ""] = checkpoint.split("\n")
  const opened: Folder = {
    path: folder,
    signer: {
      verifier: verifierOf(name, publicHalf(key)),
      sign: (message) => sign(null, message, key)
    },
    collectors: yield* readList(files.collectors, parseCollectors),
    hosts: yield* readList(files.hosts, parseHosts)
  }
  return opened
})

const readList = Effect.fnUntraced(function* <A>(file: string, parse: (text: string) => A) {
  const text = yield* attempt(file, "be read", () => readFile(file, "utf8"))
  return yield* Effect.try({
    try: () => parse(text),
    catch: (error) =>
      unusable({ message: `${file}, ${error instanceof Malformed ? error.message : String(error)}` })
  })
})

/** Bytes of a collector's token. */
const tokenLength = 24

/** Admits a collector under a name. Returns its token, of which the folder has only the hash. */
export const admitCollector = Effect.fn("Notary.admitCollector")(function* (folder: string, name: string) {
  const { collectors: file } = filesOf(folder)
  const collectors = yield* readList(file, parseCollectors)
  if ([...collectors.values()].includes(name))
    return yield* unusable({
      message: `${file} has the collector ${name} already; remove its line to give it another token`
    })
  const token = randomBytes(tokenLength).toString("base64url")
  const line = collectorLine(name, hash("sha256", token))
  yield* Effect.try({
    try: () => parseCollectors(line),
    catch: () =>
      unusable({
        message: `--name "${name}" cannot be the name of a collector: it must have no spaces and no control characters (expected e.g. the origin of its log)`
      })
  })
  yield* attempt(file, "be written", () => appendFile(file, line))
  return token
})
