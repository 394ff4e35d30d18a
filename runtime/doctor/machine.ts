/** This machine: private files, folders, disks, and the port. */
import { existsSync } from "node:fs"
import { access, constants, readdir, stat, statfs } from "node:fs/promises"
import { createServer } from "node:net"
import { dirname, join, relative, resolve } from "node:path"
import { Effect, Option, Result } from "effect"
import { program } from "../../core/process/program.ts"
import { hashOfFile } from "../backup/manifest.ts"
import { onDisk } from "../outside/disk.ts"
import { headDirOf } from "../service/headFiles.ts"
import { exists, keyFilesOf, purposes, readHalves, settingOf } from "../service/keyFiles.ts"
import { fileOf, least as leastSecret } from "../service/secret.ts"
import { embeddedIn } from "../settings/dataDir.ts"
import { restoring } from "../settings/restoring.ts"
import type { Settings } from "../settings/Settings.ts"
import { type Finding, findingFor } from "./Finding.ts"

const keys = findingFor("keys")

/** The key files and the secret: there, readable by their owner alone, and keys. */
export const privateFiles = Effect.fnUntraced(function* (settings: Settings["Service"], restarts: boolean) {
  const files = keyFilesOf(settings)
  const findings: Array<Finding> = []
  /** A database that has been started before knows its keys and its secret. */
  const inUse =
    Option.isNone(settings.databaseUrl) && existsSync(join(embeddedIn(settings.dataDir), "PG_VERSION"))
  for (const purpose of purposes) {
    const key = files[purpose]
    if (key.own && !(yield* exists(key.file))) {
      findings.push(
        inUse
          ? keys("fail", `${key.file}, the key for ${purpose}, is missing beside its database`, restoring)
          : keys("ok", `the first start makes the key for ${purpose}: ${key.file}`)
      )
      continue
    }
    if (restarts && purpose === "log" && !(yield* exists(key.file))) {
      findings.push(keys("ok", `the restart of the log makes its key: ${key.file}`))
      continue
    }
    const read = yield* Effect.result(readHalves(key))
    findings.push(
      Result.isFailure(read)
        ? keys("fail", read.failure.message, `${settingOf[purpose]} must name a key file of mode 600`)
        : keys("ok", `${purpose}: ${read.success.map(({ kid }) => kid).join(", next: ")}`)
    )
  }
  const secret = fileOf({
    dataDir: settings.dataDir,
    file: Option.getOrUndefined(settings.serverSecretFile)
  })
  const there = yield* Effect.result(onDisk(() => stat(secret)))
  const isOwn = Option.isNone(settings.serverSecretFile)
  findings.push(ofSecret(secret, there, isOwn && !inUse))
  return findings
})

const ofSecret = (
  file: string,
  there: Result.Result<{ readonly mode: number; readonly size: number }, unknown>,
  isMade: boolean
): Finding => {
  if (Result.isFailure(there)) {
    return isMade
      ? keys("ok", `the first start makes the server secret: ${file}`)
      : keys("fail", `SERVER_SECRET_FILE: ${file} cannot be read`, restoring)
  }
  const { mode, size } = there.success
  if (size < leastSecret)
    return keys("fail", `SERVER_SECRET_FILE: ${file} is too short`, `move it away. ${restoring}`)
  return (mode & 0o077) === 0
    ? keys("ok", "server secret")
    : keys("fail", `${file} is readable by other users`, `chmod 600 ${file}`)
}

const disk = findingFor("disk")
const gibibyte = 2 ** 30
/** Of one day of all feeds with their bodies, with room to spare. */
const least = 2 * gibibyte

/** The folder itself, or the one above it in which it would be made. */
const nearest = async (folder: string): Promise<string> => {
  try {
    await access(folder)
    return folder
  } catch {
    return dirname(folder) === folder ? folder : nearest(dirname(folder))
  }
}

const space = (setting: string, folder: string): Effect.Effect<Finding> =>
  onDisk(async () => {
    const there = await nearest(resolve(folder))
    await access(there, constants.W_OK)
    const { bavail, blocks, bsize } = await statfs(there)
    const free = bavail * bsize
    const percent = Math.round((100 * bavail) / blocks)
    const message = `${setting} ${folder}: ${(free / gibibyte).toFixed(1)} GiB free (${percent} %)`
    if (free < least) return disk("fail", message, "free space, or move the folder to a larger disk")
    return percent < 10 ? disk("warn", message, "free space before it fills") : disk("ok", message)
  }).pipe(
    Effect.catch(({ message }) =>
      Effect.succeed(disk("fail", `${setting}: ${message}`, "make it a folder that the service may write"))
    )
  )

export const disks = Effect.fnUntraced(function* (settings: Settings["Service"]) {
  const heads = headDirOf(settings, keyFilesOf(settings).log.file, false)
  const inside = !relative(resolve(settings.dataDir), resolve(heads)).startsWith("..")
  return [
    yield* space("DATA_DIR", settings.dataDir),
    yield* space("LOG_HEAD_DIR", heads),
    ...(Option.isSome(settings.archiveDir) ? [yield* space("ARCHIVE_DIR", settings.archiveDir.value)] : []),
    ...(inside
      ? [
          disk(
            "warn",
            `LOG_HEAD_DIR ${heads} is inside DATA_DIR, and would go back with a restored backup`,
            "put it beside DATA_DIR"
          )
        ]
      : [])
  ]
})

/** Files of the archive that do not have the hash in their name. A bucket checks its own. */
export const archived = Effect.fnUntraced(function* (settings: Settings["Service"]) {
  if (Option.isSome(settings.archiveBucket)) return []
  const folder = Option.getOrElse(settings.archiveDir, () => join(settings.dataDir, "archive"))
  const names = yield* Effect.orElseSucceed(
    onDisk(() => readdir(folder, { recursive: true })),
    (): ReadonlyArray<string> => []
  )
  const findings: Array<Finding> = []
  let whole = 0
  for (const name of names) {
    const sha256 = /\.([0-9a-f]{64})\.parquet$/.exec(name)?.[1]
    if (sha256 === undefined) continue
    const hash = yield* Effect.orElseSucceed(hashOfFile(join(folder, name)), () => "unreadable")
    if (hash === sha256) whole++
    else {
      const action = `a running service makes it again from the log; else move it away, and copy it from archive/ of a backup`
      findings.push(findingFor("archive")("fail", `${join(folder, name)} is damaged`, action))
    }
  }
  return whole === 0
    ? findings
    : [...findings, findingFor("archive")("ok", `${whole} files have their hashes`)]
})

const service = findingFor("service")

/** Whether the port can be listened on, where no service runs. */
export const port = ({ host, port }: Settings["Service"]): Effect.Effect<Finding> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", ({ message }) =>
      resume(
        Effect.succeed(service("fail", `cannot listen on ${host}:${port}: ${message}`, "change HOST or PORT"))
      )
    )
    server.listen(port, host, () =>
      server.close(() =>
        resume(Effect.succeed(service("warn", `not running; ${host}:${port} is free`, `${program} serve`)))
      )
    )
  })
