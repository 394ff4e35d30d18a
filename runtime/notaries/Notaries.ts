/** The collector's side of notaries: draws one for each run, carries the run's sessions through it, and gets their statements. */
import { Effect } from "effect"
import { noteKeyText } from "../../core/proof/checkpoint.ts"
import type { DrawnRun } from "../../core/proof/lot.ts"
import type { RunResult } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import type { Egress } from "../upstream/Egress.ts"
import { attribute, EarlierNotes, type Note } from "./attribute.ts"
import { disclose } from "./disclose.ts"
import { draw, type Notary, type NotaryText, parseNotary } from "./drawing.ts"
import { RunSessions } from "./RunSessions.ts"
import { Rests, Waits } from "./Waits.ts"

/** How the notary of a run was drawn. */
export type Lot = NonNullable<RunResult["lot"]>

/** One run through its notary. */
export interface NotarisedRun {
  readonly lot: Lot
  readonly carrier: RunSessions
  /** Ends the run's sessions and gets what notaries state of them. Never fails: a run is worth the same without. */
  readonly notes: (run: RunResult) => Effect.Effect<RunNotes | undefined>
}

export interface NotariesOptions {
  readonly notaries: ReadonlyArray<NotaryText>
  readonly egress: Egress["Service"]
  /** Certificates to trust instead of the public ones, as PEM: only tests have any. */
  readonly ca?: string
  /** Milliseconds that a run waits for its notary in all, in place of `longestWait`: only tests have any. */
  readonly patience?: number
}

/** Sessions of one run that are disclosed at once. */
const atOnce = 4

/** Draws a notary for a run; undefined where there is none, or no head of the log to draw by. */
export type DrawFor = (run: DrawnRun, head: string | undefined) => NotarisedRun | undefined

export const make = ({ ca, egress, notaries: texts, patience }: NotariesOptions): DrawFor => {
  const notaries = texts.map(parseNotary)
  const rests = new Rests()
  const earlier = new EarlierNotes()
  return (run, head) => {
    if (head === undefined) return undefined
    const drawn = draw(notaries, head, run)
    if (drawn === undefined) return undefined
    const { from, notary } = drawn
    const sessions = new RunSessions({
      notary,
      rests,
      waits: new Waits(patience),
      ca,
      agentBy: egress.agentBy
    })
    return {
      lot: { head, notary: noteKeyText(notary.key), from },
      carrier: sessions,
      notes: (result) => notesOf(sessions, notary, earlier, result)
    }
  }
}

const notesOf = Effect.fn("Notaries.notesOf")(
  function* (sessions: RunSessions, notary: Notary, earlier: EarlierNotes, run: RunResult) {
    const over = yield* Effect.tryPromise(() => sessions.end())
    const notes: Array<Note> = []
    yield* Effect.forEach(
      over,
      (session) =>
        disclose(notary, session).pipe(
          Effect.map((note) => notes.push(note)),
          Effect.catchTag("NoNote", ({ message }) =>
            Effect.logDebug("a session was not notarised").pipe(
              Effect.annotateLogs({
                plugin: run.plugin,
                notary: notary.key.name,
                host: session.host,
                cause: message
              })
            )
          )
        ),
      { concurrency: atOnce, discard: true }
    )
    const attributed = attribute(run.plugin, run.exchanges, notes, earlier)
    return attributed.exchanges.length === 0 ? undefined : { run: run.id, ...attributed }
  },
  (effect, _sessions, notary, _earlier, run) =>
    Effect.catchCause(effect, (cause) =>
      Effect.as(
        Effect.logWarning("the statements of a notary could not be had", cause).pipe(
          Effect.annotateLogs({ plugin: run.plugin, notary: notary.key.name })
        ),
        undefined
      )
    )
)
