/** `plumbline log restart`: what it needs besides the log, its keys and its new name. */
import { readFile } from "node:fs/promises"
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import { unlogSales } from "../../core/credits/commitments.ts"
import { logFormat, storedFormat } from "../../core/log/format.ts"
import { CannotRestart, keyOfHead, readEarlier, restartLog } from "../../core/log/restart.ts"
import { enter, signingKeys } from "../../core/log/signingKeys.ts"
import { program } from "../../core/process/program.ts"
import { fromHex } from "../../core/proof/bytes.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { storedFact } from "../../core/sql/keyValue.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { codeLevels, migrateTo } from "../database/migrate.ts"
import { onDisk } from "../outside/disk.ts"
import { firstDay } from "../tape/instants.ts"
import { exists, type Half, type KeyFile, makeKeyFile, type Purpose, readHalf } from "./keyFiles.ts"

/** Beside the key file, versions up to 21 November 2026 kept the public half of every key that ever signed. */
const History = Schema.fromJsonString(
  Schema.Struct({
    keys: Schema.Array(
      Schema.Struct({
        public_key_hex: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
        not_before: Schema.DateFromString,
        not_after: Schema.NullOr(Schema.DateFromString)
      })
    )
  })
)

interface Used {
  readonly publicKey: Uint8Array
  /** Epoch milliseconds. */
  readonly notBefore: number
  readonly notAfter: number | null
}

/** The keys that signed before there was a table of them, the oldest first. */
const historyOf = Effect.fnUntraced(function* ({ file }: KeyFile) {
  const path = `${file}.public.json`
  if (!(yield* exists(path))) return []
  const text = yield* onDisk(() => readFile(path, "utf8"))
  const { keys } = yield* Effect.mapError(
    Schema.decodeUnknownEffect(History)(text),
    () =>
      new CannotRestart({
        message: `nothing was changed: ${path} is damaged, which lists the keys that signed so far; restore it from a backup`
      })
  )
  return keys
    .map(
      (key): Used => ({
        publicKey: fromHex(key.public_key_hex, 32),
        notBefore: key.not_before.getTime(),
        notAfter: key.not_after?.getTime() ?? null
      })
    )
    .toSorted((a, b) => a.notBefore - b.notBefore)
})

const otherRows = rowsOf({ others: Schema.Int })

/** Other processes on this database, which would go on with the earlier log. */
const othersConnected = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Connections of this process are as young as the one that asks.
  const [row] = yield* sql`
    select count(*)::int as others from pg_stat_activity a
    where a.datname = current_database() and a.application_name like 'plumbline%'
      and a.backend_start < (
        select backend_start from pg_stat_activity where pid = pg_backend_pid()
      ) - interval '5 seconds'`.pipe(otherRows)
  return row?.others ?? 0
})

/** The origin of the log after this one: `example.org/log`, `example.org/2/log`. Its end says what the log is about. */
export const nextOrigin = (origin: string): string => {
  const parts = /^(.+?)(?:\/(\d+))?\/([^/]+)$/.exec(origin)
  return parts === null ? `${origin}/2/log` : `${parts[1]}/${Number(parts[2] ?? 1) + 1}/${parts[3]}`
}

/** The key in a file, if there is one. */
const halfIn = Effect.fnUntraced(function* ({ file, purpose }: KeyFile) {
  return (yield* exists(file)) ? yield* readHalf(purpose, file) : undefined
})

/**
 * Restarts the log of a database that is not migrated yet: all in one transaction, which also migrates it, enters the keys that
 * signed before there was a table of them, and a new key for the new log. Fails without a change if this code reads the log.
 */
export const restart = Effect.fn("restart")(function* (files: Readonly<Record<Purpose, KeyFile>>) {
  const sql = yield* SqlClient.SqlClient
  const format = yield* storedFormat
  if (format === undefined || format >= logFormat) {
    return yield* new CannotRestart({
      message:
        format === undefined
          ? `nothing was changed: this database has no log yet; start the service: ${program} serve`
          : `nothing was changed: the log is of format ${format}, and only a log of an earlier format than ${logFormat} is restarted. Look at this one with: ${program} log check`
    })
  }
  const others = yield* othersConnected
  if (others > 0) {
    return yield* new CannotRestart({
      message: `nothing was changed: ${others} connections of other Plumbline processes are open on this database; stop every process, then run this again`
    })
  }
  const origin = (yield* storedFact("log_origin")) ?? "unnamed/log"
  const simulated = (yield* storedFact("mode")) === "replay"
  const earlier = yield* readEarlier(origin, format)
  if (earlier === undefined) {
    return yield* new CannotRestart({
      message:
        "nothing was changed: the first close of this log was not finished; finish it with the version that began it, then run this again"
    })
  }
  const answers = yield* halfIn(files.answers)
  const before = yield* historyOf(files.answers)
  const own = yield* halfIn(files.log)
  const publicKeys = [
    ...(answers === undefined ? [] : [answers.publicKey]),
    ...before.map(({ publicKey }) => publicKey),
    ...(own === undefined ? [] : [own.publicKey])
  ]
  const key = keyOfHead(earlier, publicKeys)
  if (key === undefined) {
    return yield* new CannotRestart({
      message: `nothing was changed: none of the keys here signed the last head of the log. Restore ${files.answers.file}, the key file of the version that wrote the log, from a backup (SIGNING_KEY_FILE names it)`
    })
  }
  if (answers === undefined) {
    return yield* new CannotRestart({
      message: `nothing was changed: ${files.answers.file} does not exist; restore it from a backup (SIGNING_KEY_FILE names it), because answers that it signed are checked with it`
    })
  }
  const earlierKid = thumbprint(key.publicKey)
  if (own?.kid === earlierKid || own?.kid === answers.kid) {
    return yield* new CannotRestart({
      message: `nothing was changed: ${files.log.file} holds the key that signed so far, and a new log needs one of its own; let LOG_KEY_FILE name a file that does not exist yet`
    })
  }
  const created = own === undefined ? yield* makeKeyFile(files.log.file) : false
  const signer = own ?? (yield* readHalf("log", files.log.file))
  const now = yield* Clock.currentTimeMillis
  const at = yield* DataClock.now
  const restarted = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* migrateTo(codeLevels)
      yield* enterKeys({ answers, before, log: signer }, earlier.since, now, simulated ? firstDay : now)
      yield* unlogSales
      return yield* restartLog(
        earlier,
        { key, earlierSigner: answers.kid === earlierKid ? answers : undefined },
        { origin: nextOrigin(origin), simulated, signer },
        at
      )
    })
  )
  return { earlier, restart: restarted, created, byEarlierKey: answers.kid === earlierKid }
})

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000

/** Enters the keys that the table does not know. */
const enterKeys = Effect.fnUntraced(function* (
  keys: { readonly answers: Half; readonly before: ReadonlyArray<Used>; readonly log: Half },
  since: number,
  now: number,
  logSince: number
) {
  const registered = yield* signingKeys
  const currentOf = (purpose: Purpose) =>
    registered.find((key) => key.purpose === purpose && key.notAfter === null)
  if (currentOf("answers") === undefined) {
    const used = keys.before.some(({ publicKey }) => thumbprint(publicKey) === keys.answers.kid)
      ? keys.before
      : [...keys.before, { publicKey: keys.answers.publicKey, notBefore: since, notAfter: null }]
    let endOfOld = wholeSecond(now)
    for (const { notAfter, notBefore, publicKey } of used) {
      const from = wholeSecond(notBefore)
      yield* enter("answers", publicKey, { announcedAt: from, notBefore: from, endOfOld })
      endOfOld = notAfter ?? wholeSecond(now)
    }
  }
  const log = currentOf("log")
  if (log === undefined) {
    const from = wholeSecond(logSince)
    yield* enter("log", keys.log.publicKey, {
      announcedAt: wholeSecond(now),
      notBefore: from,
      endOfOld: from
    })
  } else if (thumbprint(log.publicKey) !== keys.log.kid) {
    return yield* new CannotRestart({
      message: `nothing was changed: this database knows the key ${thumbprint(log.publicKey)} for the log; let LOG_KEY_FILE name the file of that key`
    })
  }
})
