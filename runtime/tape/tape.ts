/**
 * The demo's tape: out of one recorded run it makes the run that would have been recorded at another time. Payloads,
 * not rows: their numbers walk and their times move as the plan says, and the real collector reads them.
 */
import { createHash } from "node:crypto"
import { day, hour, minute } from "../../core/plugin/time.ts"
import type { Exchange } from "../../core/plugin/Upstream.ts"
import type { Leaf } from "../contributor/Leaf.ts"
import { type Item, items, leaves } from "../contributor/leaves.ts"
import type { Tape } from "../upstream/replay.ts"
import { assetAsked, barsAt } from "./bars.ts"
import { coinsAt } from "./coins.ts"
import { assetNamed, change, priced } from "./market.ts"
import type { Changes, Plan, WalkLeaf } from "./Plan.ts"
import { type Move, moved, movedInText, type TimeForm, timeOf } from "./times.ts"
import { factor, isMissing, seedOf, type Walk, walked } from "./walk.ts"

/** A recorded run, made ready to be told at other times. */
export interface Reel {
  readonly base: Tape
  readonly plan: Plan
  /** Taken apart when the first other time is asked for: the last reading of a demo is often the recording itself. */
  readonly payloads: () => ReadonlyArray<Payload>
}

/** A body taken apart. */
export interface Parts {
  readonly text: string
  readonly leaves: ReadonlyArray<Leaf>
  readonly items: ReadonlyArray<Item>
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

export const partsOf = (body: Uint8Array): Parts => {
  const text = decoder.decode(body)
  return { text, leaves: leaves(text), items: items(text) }
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
  | { readonly kind: "price"; readonly text: string; readonly asset: string }
  | {
      readonly kind: "shift"
      readonly text: string
      readonly form: TimeForm
      readonly days: number | undefined
    }

/** Whether a path is under a pointer with wildcards. */
const matcher = (pointer: string): ((path: ReadonlyArray<string>) => boolean) => {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => (part === "*" ? undefined : part.replaceAll("~1", "/").replaceAll("~0", "~")))
  return (path) =>
    path.length === parts.length && parts.every((part, at) => part === undefined || part === path[at])
}

/** The text of the leaf under a pointer, where `*` stands for what it stands for in `at` on the way to `path`. */
const textBeside = (
  { leaves, text }: Parts,
  pointer: string,
  at: string,
  path: ReadonlyArray<string>
): string | undefined => {
  const stars = at
    .split("/")
    .slice(1)
    .flatMap((part, depth) => (part === "*" ? [path[depth] ?? ""] : []))
  let star = 0
  const matches = matcher(pointer.replaceAll("*", () => stars[star++] ?? "*"))
  const leaf = leaves.find((leaf) => matches(leaf.path))
  return leaf && unquoted(text.slice(leaf.start, leaf.end), (inner) => inner).replaceAll('"', "")
}

/** The asset that a leaf is the price of: its address, where the catalog does not know it. Undefined where it is no price. */
const assetOf = (parts: Parts, walk: WalkLeaf, path: ReadonlyArray<string>): string | undefined => {
  const name = walk.price && textBeside(parts, walk.price, walk.at, path)
  return name && (assetNamed(name) ?? name.slice(name.indexOf("_") + 1).toLowerCase())
}

interface Filled {
  readonly start: number
  readonly end: number
  readonly slot: Slot
}

const slotsOf = (id: string, file: string, parts: Parts, changes: Changes): ReadonlyArray<Filled> => {
  const { leaves, text } = parts
  const walks = changes.walk.map((walk) => [matcher(walk.at), walk] as const)
  const shifts = changes.shift.map((shift) => [matcher(shift.at), shift] as const)
  return leaves.flatMap(({ end, path, start }): ReadonlyArray<Filled> => {
    const source = text.slice(start, end)
    const shift = shifts.find(([matches]) => matches(path))?.[1]
    if (shift !== undefined)
      return [{ start, end, slot: { kind: "shift", text: source, form: shift.form, days: shift.days } }]
    const walk = walks.find(([matches]) => matches(path))?.[1]
    if (walk === undefined) return []
    const asset = assetOf(parts, walk, path)
    if (asset !== undefined) return [{ start, end, slot: { kind: "price", text: source, asset } }]
    // What only grows grows alike in one plugin, so that parts and their sum stay together.
    const seed = seedOf(walk.monotone === true ? `${id}|growth` : `${id}|${file}|${path.join("/")}`)
    return [{ start, end, slot: { kind: "walk", text: source, walk, seed } }]
  })
}

const thinnedOf = (id: string, file: string, { items }: Parts, changes: Changes): ReadonlyArray<Thinned> => {
  if (changes.thin.length === 0) return []
  const lists = changes.thin.map(({ at }) => matcher(at))
  return items.flatMap(({ end, path, start }, index) => {
    if (!lists.some((matches) => matches(path))) return []
    const list = `${id}|${file}|${path.join("/")}`
    return [{ start, end, listSeed: seedOf(list), itemSeed: seedOf(`${list}|${index}`) }]
  })
}

const payloadOf = (
  id: string,
  file: string,
  exchange: Exchange,
  changes: Changes | undefined,
  take: (body: Uint8Array) => Parts
): Payload => {
  if (changes === undefined) return { exchange, pieces: [] }
  const parts = take(exchange.body)
  const { text } = parts
  const thinned = thinnedOf(id, file, parts, changes)
  const slots = slotsOf(id, file, parts, changes)
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

/**
 * Reads a recorded run and its plan. The plugin's id is part of every seed, so that no two plugins walk alike; `files`
 * has the name of each exchange, in their order.
 */
export const reel = (
  id: string,
  base: Tape,
  files: ReadonlyArray<string>,
  plan: Plan,
  take: (body: Uint8Array) => Parts = partsOf
): Reel => {
  let payloads: ReadonlyArray<Payload> | undefined
  return {
    base,
    plan,
    payloads: () => {
      payloads ??= base.exchanges.map((exchange, index) => {
        const file = files[index] ?? ""
        return payloadOf(id, file, exchange, plan.payloads[file], take)
      })
      return payloads
    }
  }
}

const unquoted = (text: string, change: (inner: string) => string): string =>
  text.startsWith('"') ? JSON.stringify(change(JSON.parse(text) as string)) : change(text)

const startOfDay = (ms: number): number => ms - (ms % day)

/** The targets in the order in which a plugin that takes them by turns asks for the recorded ones. */
const turned = <A>(targets: ReadonlyArray<A>, { from, to }: Move, turns: Plan["turns"]): ReadonlyArray<A> => {
  if (turns === undefined) return targets
  const placeAt = (ms: number) => Math.floor(ms / (turns.minutes * minute)) * turns.targets
  const by = (placeAt(from) - placeAt(to)) % targets.length
  const start = (by + targets.length) % targets.length
  return [...targets.slice(start), ...targets.slice(0, start)]
}

const fill = (slot: Slot, move: Move, steps: Move): string => {
  if (slot.kind === "shift") {
    const { days = Infinity, form } = slot
    return unquoted(slot.text, (text) =>
      move.from - (timeOf(form, text) ?? 0) > days * day ? text : moved(form, text, move)
    )
  }
  if (slot.kind === "walk")
    return walked(slot.walk, slot.text, factor(slot.walk, slot.seed, steps.from, steps.to))
  return unquoted(slot.text, (text) =>
    String(priced(Number(text) * change(slot.asset, steps.from, steps.to)))
  )
}

/** The latest time at or before `at` that the reel can tell of. */
export const timeOn = ({ base, plan }: Reel, at: number): number => {
  const period = (plan.period_hours ?? 0) * hour
  return period === 0 ? at : base.now + Math.floor((at - base.now) / period) * period
}

/**
 * The run as it would have been recorded at `now` (epoch milliseconds), a time of `timeOn`; its payloads speak of
 * `payloadTime`, which is earlier where an upstream tells a past time again. Pure: the same reel and times give the same bytes.
 */
export const tapeAt = (reel: Reel, now: number, payloadTime = now): Tape => {
  const { base, plan } = reel
  if (now === base.now && payloadTime === now) return base
  const move = { from: base.now, to: now }
  const times = { from: base.now, to: payloadTime, ages: plan.ages }
  const steps = plan.daily === true ? { from: startOfDay(move.from), to: startOfDay(move.to) } : move
  const coins =
    plan.list === "coins"
      ? coinsAt(
          base.exchanges.map(({ body }) => decoder.decode(body)),
          times
        )
      : []
  const textAt = ({ body, request }: Exchange, index: number): string | undefined =>
    plan.list === "bars" ? barsAt(decoder.decode(body), assetAsked(request.url), base.now, now) : coins[index]
  return {
    ...base,
    now,
    targets: turned(base.targets, move, plan.turns),
    exchanges: reel.payloads().map(({ exchange, pieces }, index) => {
      const text = textAt(exchange, index) ?? (pieces.length === 0 ? undefined : textOf(pieces, times, steps))
      const body = text === undefined ? exchange.body : encoder.encode(text)
      return {
        ...exchange,
        request: movedRequest(exchange.request, move),
        at: exchange.at + (now - base.now),
        headers: movedHeaders(exchange.headers, move),
        sha256: body === exchange.body ? exchange.sha256 : createHash("sha256").update(body).digest("hex"),
        body
      }
    })
  }
}

/** Times of the body move by `move`, numbers walk by `steps`. */
const textOf = (pieces: ReadonlyArray<Piece>, move: Move, steps: Move): string => {
  const missing = new Map<Thinned, boolean>()
  const isOut = (item: Thinned): boolean => {
    const cached = missing.get(item)
    if (cached !== undefined) return cached
    const out = isMissing(item.listSeed, item.itemSeed, steps.from, steps.to)
    missing.set(item, out)
    return out
  }
  let text = ""
  for (const piece of pieces) {
    if (!piece.within.some(isOut))
      text += piece.slot === undefined ? piece.text : fill(piece.slot, move, steps)
  }
  return text
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
