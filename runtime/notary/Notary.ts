/** A notary: carries sessions between collectors and hosts, and states afterwards what it finds in their tapes. */
import { hash, timingSafeEqual } from "node:crypto"
import type { Duplex } from "node:stream"
import { Clock, Context, Data, Deferred, Effect, Layer, Option, Schema } from "effect"
import { isoTime } from "../../core/plugin/Value.ts"
import { makeThread } from "../../core/process/threads/thread.ts"
import { Malformed, toHex } from "../../core/proof/bytes.ts"
import { noteKeyText } from "../../core/proof/checkpoint.ts"
import { notarisationNote, notarisationTag, noteHash } from "../../core/proof/notarisation.ts"
import { isHostName } from "../../core/proof/sessionSense.ts"
import type { DiskError } from "../outside/disk.ts"
import { carry, dial } from "./carry.ts"
import { Exceptions } from "./Exceptions.ts"
import type { Examination, Judgement } from "./examination.ts"
import { type Folder, openFolder } from "./Folder.ts"
import { defaults, type NotaryLimits } from "./limits.ts"
import { openRegister, type Register, type SessionEnd } from "./Register.ts"
import { type Session, Sessions } from "./Sessions.ts"
import type { LogHead, TileLog } from "./TileLog.ts"

/** A `CONNECT` that the notary does not serve, with its HTTP status. */
export class NotCarried extends Data.TaggedError("NotCarried")<{
  readonly status: 403 | 407 | 502 | 503
  readonly message: string
}> {}

/** Secrets for which there is no statement, with the HTTP status. */
export class NotStated extends Data.TaggedError("NotStated")<{
  readonly status: 404 | 409 | 422
  readonly message: string
}> {}

/** What a collector asks for with `CONNECT`. */
export interface ConnectRequest {
  /** The request target. */
  readonly target: string
  /** The value of `Proxy-Authorization`. */
  readonly authorization: string | undefined
  /** Bytes that came after the head. */
  readonly first: Buffer
  /** Called once the token is known: this is a collector. */
  readonly admitted?: () => void
}

export class Notary extends Context.Service<
  Notary,
  {
    /** The verifier key string. */
    readonly vkey: string
    readonly collectors: ReadonlyArray<string>
    readonly hosts: number
    /** Sessions that are open or wait for their secrets. */
    readonly sessions: () => number
    /** Bytes of their tapes. */
    readonly tapes: () => number
    readonly head: () => LogHead
    readonly tile: TileLog["tile"]
    /** Carries a session on the socket of a `CONNECT` until it is over. */
    readonly carry: (request: ConnectRequest, collector: Duplex) => Effect.Effect<void, NotCarried>
    /** States a session, whose secrets are in the body as JSON; the note. */
    readonly state: (id: string, body: Uint8Array) => Effect.Effect<string, DiskError | NotStated>
  }
>()("runtime/notary/Notary") {
  /** The notary in a folder. */
  static readonly layer = (folder: string, limits: Partial<NotaryLimits> = {}) =>
    Layer.effect(Notary, make(folder, { ...defaults, ...limits }))
}

/** What the functions of a notary share. */
interface Parts {
  readonly folder: Folder
  readonly limits: NotaryLimits
  readonly register: Register
  readonly sessions: Sessions
  readonly exceptions: Exceptions
  readonly examine: (task: Examination) => Effect.Effect<Judgement>
}

const make = Effect.fnUntraced(function* (path: string, limits: NotaryLimits) {
  const folder = yield* openFolder(path)
  const register = yield* openRegister(folder.path, folder.signer)
  const sessions = new Sessions(limits)
  const examine = yield* makeThread<Examination, Judgement>(
    new URL("examine.thread.ts", import.meta.url),
    "examining a tape"
  )
  const parts: Parts = { folder, limits, register, sessions, exceptions: yield* Exceptions, examine }
  const scope = yield* Effect.scope
  return Notary.of({
    vkey: noteKeyText(folder.signer.verifier),
    collectors: [...folder.collectors.values()],
    hosts: folder.hosts.size,
    sessions: () => sessions.size,
    tapes: () => sessions.memory.bytes,
    head: register.log.head,
    tile: register.log.tile,
    carry: Effect.fn("Notary.carry")(function* (request, collector) {
      const host = yield* hostOf(parts, request.target)
      const name = yield* collectorOf(parts, request.authorization)
      request.admitted?.()
      if (!sessions.enter(name)) return yield* new NotCarried({ status: 503, message: "Too many sessions" })
      const leave = Effect.sync(() => sessions.leave(name))
      const session = yield* carried(parts, name, host, request.first, collector).pipe(
        Effect.onError(() => leave)
      )
      // The session keeps its place, and its tape in memory, until its secrets come.
      yield* expired(parts, session).pipe(Effect.ensuring(leave), Effect.forkIn(scope))
    }),
    state: (id, body) => stated(parts, id, body)
  })
})

const hostOf = ({ folder }: Parts, target: string) => {
  const [host = "", port, ...more] = target.split(":")
  if (more.length > 0 || port !== "443" || !isHostName(host))
    return Effect.fail(new NotCarried({ status: 403, message: "Only names, only port 443" }))
  return folder.hosts.has(host)
    ? Effect.succeed(host)
    : Effect.fail(new NotCarried({ status: 403, message: "Not a listed host" }))
}

const collectorOf = ({ folder }: Parts, authorization: string | undefined) => {
  const [, token = ""] = /^Bearer ([\x21-\x7e]{1,200})$/.exec(authorization ?? "") ?? []
  const digest = Buffer.from(hash("sha256", token), "hex")
  // Each is compared in the same time, whatever was given.
  const matches = [...folder.collectors].filter(([token]) =>
    timingSafeEqual(Buffer.from(token, "hex"), digest)
  )
  const [, name] = matches[0] ?? []
  return name === undefined
    ? Effect.fail(new NotCarried({ status: 407, message: "No collector with this token" }))
    : Effect.succeed(name)
}

/** The address of a host that may be connected to. Nothing resolves the name again. */
const addressOf = Effect.fnUntraced(function* ({ exceptions }: Parts, host: string) {
  const addresses = yield* Effect.tryPromise({
    try: () => exceptions.resolve(host),
    catch: () => new NotCarried({ status: 502, message: "The name does not resolve" })
  })
  const [first] = addresses
  const bad = addresses.map(({ address }) => exceptions.refusal(address)).find((why) => why !== undefined)
  if (first === undefined || bad !== undefined)
    return yield* new NotCarried({ status: 403, message: `The name resolves to ${bad ?? "nothing"}` })
  return first.address
})

/** Ends when the socket does. */
const gone = (socket: Duplex): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (socket.destroyed) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
  })

const connected = (parts: Parts, host: string) =>
  Effect.gen(function* () {
    const address = yield* addressOf(parts, host)
    const socket = yield* dial(parts.exceptions.endpoint(address))
    return { address, socket }
  }).pipe(
    Effect.timeoutOrElse({
      duration: parts.limits.connect,
      orElse: () => Effect.fail(new NotCarried({ status: 502, message: "The host does not answer in time" }))
    }),
    Effect.catchTag("HostUnreachable", () =>
      Effect.fail(new NotCarried({ status: 502, message: "The host does not answer" }))
    )
  )

/** Carries a session to its end; its tape is complete then. */
const carried = Effect.fnUntraced(function* (
  parts: Parts,
  name: string,
  host: string,
  first: Buffer,
  collector: Duplex
) {
  const { limits, register, sessions } = parts
  const link = yield* Effect.raceFirst(
    connected(parts, host),
    Effect.andThen(
      gone(collector),
      Effect.fail(new NotCarried({ status: 502, message: "The collector hung up" }))
    )
  )
  const opened = yield* Clock.currentTimeMillis
  const session = sessions.open(yield* register.opened(name, host))
  const { recording } = session
  yield* Effect.gen(function* () {
    collector.write(`HTTP/1.1 200 Connected\r\nPlumbline-Session: ${session.id}\r\n\r\n`)
    if (first.length > 0) {
      recording.add("toHost", first, opened)
      link.socket.write(first)
    }
    yield* carry(collector, link.socket, recording).pipe(Effect.timeoutOption(limits.life))
  }).pipe(
    Effect.ensuring(
      Effect.map(Clock.currentTimeMillis, (closed) =>
        Deferred.doneUnsafe(
          session.closed,
          Effect.succeed(recording.tape({ host, address: link.address, opened, closed }))
        )
      )
    )
  )
  return session
})

/** Waits for the secrets of a closed session, and lets it go if they do not come. */
const expired = Effect.fnUntraced(function* (
  { limits, register, sessions }: Parts,
  { disclosed, id }: Session
) {
  yield* Effect.raceFirst(Deferred.await(disclosed), Effect.sleep(limits.hold))
  const session = sessions.take(id)
  if (session === undefined) return
  const why = session.recording.isTooLarge ? tooLarge : "its secrets did not come in time"
  session.recording.release()
  yield* Effect.ignore(register.ended(session.number, { what: "lost", why }))
})

const tooLarge = "the tape was too large, and dropped"

const Secret = Schema.optionalKey(
  Schema.Uint8ArrayFromHex.check(
    Schema.makeFilter(({ length }) => length === 32 || length === 48, { expected: "32 or 48 bytes" })
  )
)

/** The names of a key log (RFC 9850). */
const decodeSecrets = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      SERVER_HANDSHAKE_TRAFFIC_SECRET: Secret,
      SERVER_TRAFFIC_SECRET_0: Secret,
      CLIENT_HANDSHAKE_TRAFFIC_SECRET: Secret,
      CLIENT_TRAFFIC_SECRET_0: Secret
    })
  )
)

const unknownSession = new NotStated({
  status: 404,
  message: "no such session: never opened, already stated, or forgotten"
})

const stated = Effect.fn("Notary.stated")(function* (parts: Parts, id: string, body: Uint8Array) {
  const { limits, register, sessions } = parts
  const waiting = sessions.get(id)
  if (waiting === undefined) return yield* unknownSession
  // The collector sees the end of a session a moment before the notary.
  const tape = yield* Effect.timeoutOption(Deferred.await(waiting.closed), limits.ending)
  if (Option.isNone(tape))
    return yield* new NotStated({
      status: 409,
      message: "the session is still open: close it before its secrets are shown"
    })
  const session = sessions.take(id)
  if (session === undefined) return yield* unknownSession
  const judgement = yield* judged(parts, session, tape.value, body).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        session.recording.release()
        Deferred.doneUnsafe(session.disclosed, Effect.void)
      })
    )
  )
  if ("refused" in judgement) {
    yield* register.ended(session.number, { what: "refused", why: judgement.refused })
    return yield* new NotStated({ status: 422, message: judgement.refused })
  }
  const note = yield* signed(parts, session, judgement).pipe(
    // A clock that was set back within the session leaves times that contradict each other.
    Effect.catchTag("NotStated", (error) =>
      Effect.andThen(register.ended(session.number, { what: "refused", why: error.message }), error)
    )
  )
  const end: SessionEnd = { what: "stated", note: noteHash(note) }
  // Nobody has a statement that is not in the notary's log.
  yield* register.ended(session.number, end)
  return note
})

const judged = (parts: Parts, { recording }: Session, tape: Examination["tape"], body: Uint8Array) => {
  const { exceptions, examine } = parts
  if (recording.isTooLarge) return Effect.succeed<Judgement>({ refused: tooLarge })
  const secrets = decodeSecrets(Buffer.from(body).toString("utf8"))
  if (Option.isNone(secrets)) return Effect.succeed<Judgement>({ refused: "malformed secrets" })
  return examine({
    tape,
    secrets: secrets.value,
    ...(exceptions.roots === undefined ? {} : { roots: exceptions.roots })
  })
}

const signed = Effect.fnUntraced(function* (
  { folder, register }: Parts,
  { number }: Session,
  { findings }: Exclude<Judgement, { readonly refused: string }>
) {
  const { sign, verifier } = folder.signer
  const { root, size } = register.log.head()
  const statement = {
    v: notarisationTag,
    notary: verifier.name,
    ...number,
    ...findings,
    stated_at: isoTime(yield* Clock.currentTimeMillis),
    log: { size, root: toHex(root) }
  } as const
  return yield* Effect.try({
    try: () => notarisationNote(statement, verifier, sign),
    catch: (error) => {
      if (error instanceof Malformed) return new NotStated({ status: 422, message: error.message })
      throw error
    }
  })
})
