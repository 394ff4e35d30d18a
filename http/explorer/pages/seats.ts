/** Who signs what, as a drawing: from the source to the log, and who looks at it from outside; an empty seat is drawn, too. */
import type { Effect } from "effect"
import type { vouchedFor } from "../../../core/log/record/vouched.ts"
import type { Assurances } from "../../assurances.ts"
import { formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"

type Vouched = Effect.Success<typeof vouchedFor>

interface Seat {
  readonly name: string
  readonly address: string
  /** What whoever sits there does. */
  readonly does: string
  /** Who sits there; undefined where nobody does. */
  readonly who: string | undefined
}

const seat = ({ address, does, name, who }: Seat): Html =>
  html`<li class="${who === undefined ? "empty" : "taken"}"><a href="${address}">${name}</a><span>${does}</span><strong>${who ?? "nobody yet"}</strong></li>`

const nameOf = (key: string): string => key.split("+")[0] ?? key

const named = (names: ReadonlyArray<string>): string | undefined =>
  names.length === 0 ? undefined : names.join(", ")

/** Those that a value passes, in their order. */
const way = ({ mode, vouching }: Assurances, origin: string, feeds: number): ReadonlyArray<Seat> => [
  {
    name: "Source",
    address: "/sources",
    does: "says the figure",
    who: `${formatNumber(feeds)} ${feeds === 1 ? "feed" : "feeds"}${mode === "replay" ? ", simulated" : ""}`
  },
  {
    name: "Notary",
    address: "#notaries",
    does: "carries the session, and signs what the source answered",
    who: named(vouching.notaries.map(nameOf))
  },
  {
    name: "Collector",
    address: "#service",
    does: "reads the answer, and signs what is served",
    who: "this service"
  },
  { name: "Log", address: "#service", does: "seals each day, and only grows", who: origin }
]

/** Those that look at the log from outside. */
const beside = ({ isCosigned, vouching }: Assurances, { anchor }: Vouched): ReadonlyArray<Seat> => [
  {
    name: "Witness",
    address: "#witnesses",
    does: "signs that there is one log",
    who: isCosigned ? named(vouching.witnesses.map(({ name }) => name)) : undefined
  },
  {
    name: "Second operator",
    address: "#observers",
    does: "reads the same sources, and is compared each day",
    who: named(vouching.observers.map(({ vkey }) => nameOf(vkey)))
  },
  {
    name: "Bitcoin",
    address: "#bitcoin",
    does: "dates the log",
    who: anchor === undefined ? undefined : `block ${formatNumber(anchor.block_height)}`
  },
  {
    name: "Mirror",
    address: "#mirrors",
    does: "keeps a copy",
    who: named(vouching.mirrors.map((one) => new URL(one).host))
  }
]

export const seats = (here: Assurances, vouched: Vouched, origin: string, feeds: number): Html =>
  html`<ol class="seats way" aria-label="From the source to the log">${way(here, origin, feeds).map(seat)}</ol>
<p class="quiet seats-between">the log, looked at from outside</p>
<ul class="seats" aria-label="Beside the log">${beside(here, vouched).map(seat)}</ul>`
