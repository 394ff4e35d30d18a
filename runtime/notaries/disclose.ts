/** Shows a notary the secrets of a session that is over, and takes its statement. */
import { Data, Effect } from "effect"
import { Malformed } from "../../core/proof/bytes.ts"
import { noteHash, readNotarisation } from "../../core/proof/notarisation.ts"
import { sendBounded } from "../outside/boundedRequest.ts"
import type { Note } from "./attribute.ts"
import type { Notary } from "./drawing.ts"
import type { KeyLog } from "./tunnel.ts"

/** Bytes of the longest note: as many exchanges as a statement may have, with long headers. */
const longest = 4 * 1024 * 1024

const timeout = "15 seconds"

/** The secret that opens the requests, and with them the keys in them. */
const secretOfRequests = "CLIENT_TRAFFIC_SECRET_0"

/** What a notary is shown: of a session with hidden requests not the secret that opens them. */
const visible = (secrets: KeyLog, isHidden: boolean): KeyLog =>
  Object.fromEntries(Object.entries(secrets).filter(([label]) => !isHidden || label !== secretOfRequests))

/** A session that is over. */
export interface OverSession {
  readonly id: string
  readonly host: string
  readonly secrets: KeyLog
  /** Whether its requests stay hidden, because a key is in them. */
  readonly isHidden: boolean
}

/** Why a notary gave no note. */
export class NoNote extends Data.TaggedError("NoNote")<{ readonly message: string }> {}

/** The note of a session, or why there is none. */
export const disclose = Effect.fn("Notaries.disclose")(function* (
  { key, url }: Notary,
  { host, id, isHidden, secrets }: OverSession
) {
  const { body, status } = yield* sendBounded({
    method: "POST",
    url: `${url.origin}/v1/sessions/${id}`,
    headers: { "user-agent": "plumbline", "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(visible(secrets, isHidden))),
    most: longest,
    timeout
  }).pipe(Effect.mapError(({ message }) => new NoNote({ message })))
  const text = Buffer.from(body).toString("utf8")
  if (status !== 200) return yield* new NoNote({ message: text.trim().slice(0, 200) || `status ${status}` })
  return yield* Effect.try({
    try: (): Note => {
      const signed = readNotarisation(text, [key])
      if (signed === undefined) throw new Malformed("the note is not signed by this notary")
      if (signed.statement.host !== host) throw new Malformed("the note is about another host")
      return { sha256: noteHash(text), text, statement: signed.statement }
    },
    catch: (error) => new NoNote({ message: error instanceof Error ? error.message : String(error) })
  })
})
