/** Real answers arrive by themselves: a case of each feed, and another when the shape of what its plugin reads has changed. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { dueCases, keepCase } from "../../core/readings/ingest/shapes/cases.ts"
import { cutTape } from "../answers/cutting.ts"
import { packed } from "../answers/packedCase.ts"
import { onDuty } from "../cluster/Duties.ts"
import * as Database from "../database/Database.ts"
import { makeAgain } from "../derivation/again.ts"
import { storedRun, tapeOf } from "../derivation/storedTape.ts"
import { makeScrub } from "../logging/scrub.ts"
import { secretsIn } from "../logging/secrets.ts"
import type { Tape } from "../upstream/replay.ts"

/** Feeds of one turn: each is read again some hundred times, in a thread. */
const atOnce = 3

/** The tape without what looks like a secret. Answers that have none keep their bytes. */
const scrubbed = (tape: Tape, scrub: (text: string) => string): Tape => ({
  ...tape,
  exchanges: tape.exchanges.map((exchange) => {
    const text = new TextDecoder().decode(exchange.body)
    const clean = scrub(text)
    if (clean === text) return exchange
    const body = new TextEncoder().encode(clean)
    return { ...exchange, body, sha256: createHash("sha256").update(body).digest("hex") }
  })
})

/** Keeps the answers of the feeds that are due. A run whose answers are no longer stored, or too large, leaves none. */
export const captureDue = Effect.fn("Capturing.captureDue")(function* () {
  const due = yield* dueCases(atOnce)
  if (due.length === 0) return
  const scrub = makeScrub(secretsIn(process.env))
  const mapped = (yield* Database.heldMode) === "mapped"
  const again = yield* makeAgain
  for (const one of due) {
    const tape = yield* tapeOf(yield* storedRun(one.run))
    const cut =
      tape === undefined
        ? undefined
        : yield* cutTape(scrubbed(tape, scrub), (smaller) =>
            Effect.map(again({ plugin: one.plugin, tape: smaller }), (rows) =>
              "error" in rows ? undefined : rows.observations
            )
          )
    const isNew = yield* keepCase(one, cut === undefined ? undefined : yield* packed(cut, mapped))
    if (isNew) yield* Effect.logInfo("kept the answers of a run as a case of its feed", one)
  }
}, Effect.scoped)

export const capturing = onDuty("answers as cases", "2 minutes", captureDue())
