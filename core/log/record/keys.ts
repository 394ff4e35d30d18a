/** The key document: every public key with its period of use, and the proofs of the log key's rotations. */
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { keyDocument, type RotationProof } from "../../proof/keys.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Log, LogKey } from "../Log.ts"
import { recordCache } from "./recordCache.ts"
import { underHead } from "./underHead.ts"

const rotationRows = rowsOf({
  body: Schema.String,
  text: Schema.String,
  place: Schema.Int,
  /** Size of the first head over it, which both keys signed. */
  own: Schema.Int
})

/** As it is served now. */
export const publishedKeys = Effect.gen(function* () {
  const { keys, origin } = yield* LogKey
  const all = keys()
  const ofLog = all.filter(({ purpose }) => purpose === "log").length
  return keyDocument({
    origin,
    keys: all,
    // Its first key was not rotated to.
    rotations: ofLog < 2 ? [] : yield* cachedRotations("rotations", rotations),
    now: yield* Clock.currentTimeMillis,
    logNow: yield* DataClock.now
  })
})

/** Every rotation of the log's key that is in the log, oldest first. */
const rotations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select d.body, e.text, e.place, (select min(size) from checkpoint where size > e.place) as own
    from signing_key k
    join document d on d.kind = 'rotation' and d.subject = k.kid
    join log_entry e on e.place = k.log_index
    order by e.place limit 1000`.pipe(rotationRows)
  const head = yield* (yield* Log).served
  return yield* Effect.forEach(
    rows.filter(({ own }) => own <= head.size),
    Effect.fnUntraced(function* ({ body, own, place, text }) {
      const { anchor, log } = yield* underHead(place, head, own)
      return { document: body, entry: text, anchor, ...log } satisfies RotationProof
    })
  )
})

const cachedRotations = recordCache<Effect.Success<typeof rotations>>(1)
