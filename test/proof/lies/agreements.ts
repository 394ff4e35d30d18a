/** A log that other operators observe, and lies about what they have: one for each sentence of the formats page about it. */
import { relationOf } from "../../../core/proof/agreementLeaf.ts"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { compareLeaves, leafBytes, leafHashHex, type RowLeaf } from "../../../core/proof/leaf.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"
import { publicKeyOf } from "../../support/ed25519.ts"
import { origin, retiredSecret, secret } from "../../support/publication.ts"
import { close, type Lie, replace } from "./lie.ts"
import { at, type Document, dayOf, document, type Loose, leafOf, names, type Story, story } from "./story.ts"

const hash = (digit: string) => digit.repeat(64)
const tolerance = { relative: 0.01 }
const day = dayOf(2)

/** What two observers have of a value: the first has one that is 0.5 % larger, the second was not read. */
const comparison = (own: RowLeaf, more: Loose = {}): Loose => {
  const value = own.value * 1.005
  return {
    v: "service-agreement-leaf-v1",
    symbol: own.symbol,
    metric: own.metric,
    source: own.source,
    day: own.day,
    leaf_hash: leafHashHex(leafBytes(own)),
    tolerance,
    seen: [
      {
        observer: 0,
        relation: relationOf(own, { ...own, value }, tolerance),
        value,
        as_of: own.as_of,
        leaf_hash: hash("d")
      },
      { observer: 1, relation: "silent" }
    ],
    ...more
  }
}

const observers: ReadonlyArray<Loose> = [
  {
    origin: "other.example/log",
    key: "kid-1",
    state: "read",
    size: 9,
    root: hash("e"),
    batch_root: hash("f")
  },
  { origin: "third.example/log", key: "kid-2", state: "silent", why: "it did not answer" }
]

/** The document of these comparisons of a day, all of which are close, with its file. */
const agreement = (n: number, leaves: ReadonlyArray<Loose>, more: Loose = {}): Document => {
  const texts = leaves.map((leaf) => canonical(leaf))
  return {
    ...document("agreement", dayOf(n), at(n + 1, "09:02"), {
      v: "service-agreement-v1",
      day: dayOf(n),
      observers,
      n_compared: leaves.length,
      n_equal: 0,
      n_close: leaves.length,
      n_differs: 0,
      n_silent: 0,
      root: toHex(root(treeOf(texts.map(utf8)))),
      tree_size: leaves.length,
      ...more
    }),
    file: [`/v1/log/agreements/${dayOf(n)}/leaves`, `${texts.join("\n")}\n`]
  }
}

/** The values of a batch's own day that can be compared. */
const ownOf = (of: Story, n: number): ReadonlyArray<RowLeaf> =>
  close(of, n)
    .leaves.filter((leaf) => leaf.day === dayOf(n) && leaf.excluded_by === undefined)
    .toSorted(compareLeaves)

const compared = (of: Story, n: number): ReadonlyArray<Loose> => ownOf(of, n).map((leaf) => comparison(leaf))

/** The honest log, in which two days were compared. */
export const observedStory = (): Story => {
  const log = story()
  for (const n of [2, 5]) close(log, n).after.push(agreement(n, compared(log, n)))
  return log
}

/** The comparisons of the second day, of which the first is another. */
const changed = (more: Loose): ReadonlyArray<Loose> => {
  const [first, ...rest] = ownOf(story(), 2)
  return first === undefined ? [] : [comparison(first, more), ...rest.map((leaf) => comparison(leaf))]
}
const honest = changed({})
const hidden = ({ file: _, ...rest }: Document): Document => rest

const lie = (sentence: string, says: RegExp, ...by: ReadonlyArray<Document>): Lie => ({
  sentence,
  of: observedStory,
  lie: (log) => replace(log, 2, "agreement", ...by),
  find: "document",
  says
})
/** The second comparison of a log whose first one read a head of 9 entries says another of the first observer. */
const laterLie = (sentence: string, says: RegExp, head: Loose): Lie => ({
  sentence,
  of: observedStory,
  lie: (log) =>
    replace(
      log,
      5,
      "agreement",
      agreement(5, compared(log, 5), { observers: [{ ...observers[0], ...head }, observers[1]] })
    ),
  find: "document",
  says
})
const lieOfLeaves = (sentence: string, says: RegExp, by: Document): Lie => ({
  ...lie(sentence, says, by),
  find: "agreement"
})

export const ofAgreements: ReadonlyArray<Lie> = [
  lie("a day is compared once", /a day has one document/, agreement(2, honest), agreement(2, honest)),
  lie("a day is compared after its batch", /is not closed/, agreement(3, honest)),
  lie("the subject of an agreement is its day", /the entry's subject/, {
    ...agreement(2, honest),
    subject: dayOf(1)
  }),
  lie(
    "an agreement names an observer once",
    /each observer once/,
    agreement(2, honest, { observers: [observers[0], observers[0]] })
  ),
  lie(
    "what was read of an observer is under a head",
    /exactly if its state is read/,
    agreement(2, honest, { observers: [{ ...observers[0], state: "silent" }, observers[1]] })
  ),
  lie("an agreement counts what it compared", /`n_compared` must be/, agreement(2, honest, { n_equal: 1 })),
  laterLie("the log of an observer does not shrink", /had 9 entries on .*, and has 7/, {
    size: 7,
    root: hash("c")
  }),
  laterLie("the log of an observer has one root of each size", /two roots of 9 entries/, { root: hash("c") }),
  laterLie("the log of an observer does not shrink under another key", /it shrank/, {
    key: "kid-9",
    size: 8
  }),
  lie(
    "no observer has a key of the service",
    /has the key .* of the service itself/,
    agreement(2, honest, {
      observers: [{ ...observers[0], key: thumbprint(publicKeyOf(secret)) }, observers[1]]
    })
  ),
  lie(
    "no observer has a key that the service had",
    /has the key .* of the service itself/,
    agreement(2, honest, {
      observers: [observers[0], { ...observers[1], key: thumbprint(publicKeyOf(retiredSecret)) }]
    })
  ),
  lie(
    "no observer has the name of the service's log",
    /has the name of the service's own log/,
    agreement(2, honest, { observers: [{ ...observers[0], origin }, observers[1]] })
  ),
  lie(
    "no observer has the name of the service's log in capitals",
    /has the name of the service's own log/,
    agreement(2, honest, { observers: [{ ...observers[0], origin: origin.toUpperCase() }, observers[1]] })
  ),
  lieOfLeaves(
    "no tolerance is above the greatest share",
    /above the greatest/,
    agreement(2, changed({ tolerance: { relative: 0.51 } }))
  ),
  lieOfLeaves(
    "no tolerance is above the greatest distance",
    /above the greatest/,
    agreement(2, changed({ tolerance: { absolute: 1e308 } }))
  ),
  lieOfLeaves(
    "an agreement counts as its leaves do",
    /`n_equal` of the comparisons/,
    agreement(2, honest, { n_equal: 1, n_close: honest.length - 1 })
  ),
  lieOfLeaves("comparisons hash to their root", /do not hash/, agreement(2, honest, { root: hash("a") })),
  lieOfLeaves("comparisons are served", /no such file/, hidden(agreement(2, honest))),
  lieOfLeaves(
    "every value of the day is compared",
    /values of the day, and/,
    agreement(2, honest.slice(0, -1))
  ),
  lieOfLeaves(
    "only values of the batch are compared",
    /of no leaf|not about the leaf/,
    agreement(2, [...honest, comparison(leafOf({ ...names.render, metric: "zz" }, 2))])
  ),
  lieOfLeaves("comparisons are in order", /out of order/, agreement(2, honest.toReversed())),
  lieOfLeaves(
    "a comparison is of the leaf that was published",
    /not about the leaf/,
    agreement(2, changed({ leaf_hash: hash("b") }))
  ),
  lieOfLeaves(
    "a relation follows from the two values",
    /is called close, but its value says differs/,
    agreement(2, changed({ tolerance: { relative: 0.001 } }))
  ),
  lieOfLeaves(
    "an observer that was not read has no leaf",
    /was not read/,
    agreement(2, honest, { observers: [{ ...observers[1], key: "kid-1" }, observers[1]] })
  ),
  lieOfLeaves(
    "a comparison has a place for each observer",
    /names 2 observers/,
    agreement(2, honest, { observers: observers.slice(0, 1) })
  ),
  lieOfLeaves("a comparison is of its document's day", /cannot be in the document of/, {
    ...agreement(2, changed({ day: dayOf(1) })),
    subject: day
  })
]
