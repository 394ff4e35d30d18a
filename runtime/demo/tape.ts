/**
 * The demo's tape: out of one recorded run it makes the run that would have been recorded at another time. Payloads,
 * not rows: their numbers walk and their times move as the plan says, and the real collector reads them.
 */
import { createHash } from "node:crypto"
import type { Exchange } from "../../core/plugin/Upstream.ts"
import { items, leaves } from "../payload/leaves.ts"
import type { Tape } from "../upstream/replay.ts"
import type { Changes, Plan } from "./Plan.ts"
import { type Move, moved, movedInText, type TimeForm } from "./times.ts"
import { factor, isMissing, seedOf, type Walk, walked } from "./walk.ts"

/** A recorded run, made ready to be told at other times. */
export interface Reel {
  /** The plugin's id: part of every seed, so that no two plugins walk alike. */
  readonly id: string
  readonly base: Tape
  readonly daily: boolean
  readonly payloads: ReadonlyArray<Payload>
}

/** A body as pieces: fixed text, then what is put in its slot. */
interface Payload {
  readonly exchange: Exchange
  readonly pieces: ReadonlyArray<Piece>
}

interface Piece {
  readonly text: string
  readonly slot?: Slot | undefined
  /** The items of thinned lists that the piece is part of. */
  readonly within: ReadonlyArray<Thinned>
}

interface Thinned {
  readonly start: number
  readonly end: number
  readonly listSeed: number
  readonly itemSeed: number
}

type Slot =
  | { readonly kind: "walk"; readonly text: string; readonly walk: Walk; readonly seed: number }
  | { readonly kind: "shift"; readonly text: string; readonly form: TimeForm }

/** Whether a path is under a pointer with wildcards. */
const matcher = (pointer: string): ((path: ReadonlyArray<string>) => boolean) => {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => (part === "*" ? undefined : part.replaceAll("~1", "/").replaceAll("~0", "~")))
  return (path) =>
    path.length === parts.length && parts.every((part, at) => part === undefined || part === path[at])
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

interface Filled {
  readonly start: number
  readonly end: number
  readonly slot: Slot
}

const slotsOf = (id: string, file: string, text: string, changes: Changes): ReadonlyArray<Filled> => {
  const walks = changes.walk.map((walk) => [matcher(walk.at), walk] as const)
  const shifts = changes.shift.map((shift) => [matcher(shift.at), shift] as const)
  return leaves(text).flatMap(({ end, path, start }): ReadonlyArray<Filled> => {
    const source = text.slice(start, end)
    const shift = shifts.find(([matches]) => matches(path))?.[1]
    if (shift !== undefined) return [{ start, end, slot: { kind: "shift", text: source, form: shift.form } }]
    const walk = walks.find(([matches]) => matches(path))?.[1]
    if (walk === undefined) return []
    const seed = seedOf(`${id}|${file}|${path.join("/")}`)
    return [{ start, end, slot: { kind: "walk", text: source, walk, seed } }]
  })
}

const thinnedOf = (id: string, file: string, text: string, changes: Changes): ReadonlyArray<Thinned> => {
  if (changes.thin.length === 0) return []
  const lists = changes.thin.map(({ at }) => matcher(at))
  return items(text).flatMap(({ end, path, start }, index) => {
    if (!lists.some((matches) => matches(path))) return []
    const list = `${id}|${file}|${path.join("/")}`
    return [{ start, end, listSeed: seedOf(list), itemSeed: seedOf(`${list}|${index}`) }]
  })
}

const payloadOf = (id: string, file: string, exchange: Exchange, changes: Changes | undefined): Payload => {
  const text = decoder.decode(exchange.body)
  if (changes === undefined) return { exchange, pieces: [] }
  const thinned = thinnedOf(id, file, text, changes)
  const slots = slotsOf(id, file, text, changes)
  const cuts = new Set([0, text.length])
  for (const { end, start } of [...slots, ...thinned]) cuts.add(start).add(end)
  const bySlot = new Map(slots.map((filled) => [filled.start, filled]))
  const marks = [...cuts].sort((a, b) => a - b)
  const waiting = [...thinned].sort((a, b) => a.start - b.start)
  let open: ReadonlyArray<Thinned> = []
  const pieces = marks.slice(0, -1).map((start, index): Piece => {
    open = open.filter((item) => item.end > start)
    while (waiting[0] !== undefined && waiting[0].start <= start) open = [...open, ...waiting.splice(0, 1)]
    return { text: text.slice(start, marks[index + 1]), slot: bySlot.get(start)?.slot, within: open }
  })
  return { exchange, pieces }
}

/** Reads a recorded run and its plan; `files` names the file of each exchange, in their order. */
export const reel = (id: string, base: Tape, files: ReadonlyArray<string>, plan: Plan): Reel => ({
  id,
  base,
  daily: plan.daily === true,
  payloads: base.exchanges.map((exchange, index) => {
    const file = files[index] ?? ""
    return payloadOf(id, file, exchange, plan.payloads[file])
  })
})

const unquoted = (text: string, change: (inner: string) => string): string =>
  text.startsWith('"') ? JSON.stringify(change(JSON.parse(text) as string)) : change(text)

const startOfDay = (ms: number): number => ms - (ms % 86_400_000)

const fill = (slot: Slot, move: Move, steps: Move): string =>
  slot.kind === "shift"
    ? unquoted(slot.text, (text) => moved(slot.form, text, move))
    : walked(slot.walk, slot.text, factor(slot.walk, slot.seed, steps.from, steps.to))

/** The run as it would have been recorded at `now` (epoch milliseconds). Pure: the same reel and time give the same bytes. */
export const tapeAt = ({ base, daily, payloads }: Reel, now: number): Tape => {
  if (now === base.now) return base
  const move = { from: base.now, to: now }
  return {
    ...base,
    now,
    exchanges: payloads.map(({ exchange, pieces }) => {
      const body = pieces.length === 0 ? exchange.body : bodyOf(pieces, move, daily)
      return {
        ...exchange,
        request: movedRequest(exchange.request, move),
        at: exchange.at + (now - base.now),
        headers: movedHeaders(exchange.headers, move),
        sha256: pieces.length === 0 ? exchange.sha256 : createHash("sha256").update(body).digest("hex"),
        body
      }
    })
  }
}

const bodyOf = (pieces: ReadonlyArray<Piece>, move: Move, daily: boolean): Uint8Array => {
  const steps = daily ? { from: startOfDay(move.from), to: startOfDay(move.to) } : move
  const missing = new Map<Thinned, boolean>()
  const isOut = (item: Thinned): boolean => {
    const known = missing.get(item)
    if (known !== undefined) return known
    const out = isMissing(item.listSeed, item.itemSeed, steps.from, steps.to)
    missing.set(item, out)
    return out
  }
  let text = ""
  for (const piece of pieces) {
    if (!piece.within.some(isOut))
      text += piece.slot === undefined ? piece.text : fill(piece.slot, move, steps)
  }
  return encoder.encode(text)
}

const movedRequest = (request: Exchange["request"], move: Move): Exchange["request"] => ({
  ...request,
  url: movedInText(request.url, move),
  ...(request.body === undefined ? {} : { body: movedInText(request.body, move) })
})

const movedHeaders = (headers: Exchange["headers"], move: Move): Exchange["headers"] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      name === "date" || name === "last-modified" ? [name, moved("http", value, move)] : [name, value]
    )
  )
