/** What a follower of a notary's log remembers between two looks. */
import { fromHex, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import {
  noteKeyText,
  parseCheckpointText,
  parseNote,
  type Verifier
} from "../../../../../core/proof/checkpoint.ts"
import { type Edge, edgeLength } from "../../../../../core/proof/edge.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import {
  type NotarySessions,
  type SessionsRecord,
  sessionsRecordShape
} from "../../../../../core/proof/notaryLog.ts"
import * as s from "../../../../../core/proof/shape.ts"

/** A head that does not extend the one that is remembered: evidence against the notary. */
interface ContradictingHead {
  /** The signed note. */
  readonly checkpoint: string
  readonly seen_at: string
}

export interface NotaryState {
  readonly v: "plumbline-notary-follower-v1"
  /** Verifier key of the notary. */
  readonly notary: string
  /** The newest head that held, as a signed note: all entries up to it were read. */
  readonly checkpoint: string
  /** When it was seen, by the follower's clock. */
  readonly seen_at: string
  /** The right edge of the tree of these entries, in hex. */
  readonly edge: ReadonlyArray<string>
  /** How the sessions of the last days stand. */
  readonly days: ReadonlyArray<SessionsRecord>
  readonly contradictions?: ReadonlyArray<ContradictingHead>
}

const shape: s.Shape<NotaryState> = {
  v: s.oneOf("plumbline-notary-follower-v1"),
  notary: s.name,
  checkpoint: s.text,
  seen_at: s.time,
  edge: s.hashes,
  days: s.listOf(s.nested("the sessions of a day", sessionsRecordShape)),
  contradictions: s.optional(
    s.listOf(s.nested("a contradicting head", { checkpoint: s.text, seen_at: s.time }))
  )
}

const sizeOf = ({ checkpoint }: NotaryState): number => parseCheckpointText(parseNote(checkpoint).text).size

/** Parses a state file. Throws `Malformed`. */
export const parseNotaryState = (text: string): NotaryState => {
  const state = s.readShape("the state file", parseJson(text), shape)
  if (state.edge.length !== edgeLength(sizeOf(state)))
    throw new Malformed("the state file's edge does not belong to its head")
  return state
}

export const edgeOfNotary = (state: NotaryState): Edge => ({
  size: sizeOf(state),
  nodes: state.edge.map((node) => fromHex(node, 32))
})

/** The state after a look at which everything held. `now` is in epoch milliseconds. */
export const notaryStateOf = ({
  edge,
  note,
  now,
  sessions,
  verifier
}: {
  readonly verifier: Verifier
  /** The signed head of all entries. */
  readonly note: string
  readonly edge: Edge
  readonly sessions: NotarySessions
  readonly now: number
}): NotaryState => ({
  v: "plumbline-notary-follower-v1",
  notary: noteKeyText(verifier),
  checkpoint: note,
  seen_at: new Date(now).toISOString(),
  edge: edge.nodes.map(toHex),
  days: sessions.records()
})
