/** Lies about the draw of a run's notary: a head that the operator makes up draws the notary that he likes. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { vkey } from "../../../core/proof/checkpoint.ts"
import { notaryListHash } from "../../../core/proof/lot.ts"
import { treeOf } from "../../../core/proof/merkle.ts"
import { publicKeyOf } from "../../support/ed25519.ts"
import { checkpointOf } from "../../support/publication.ts"
import type { Lie } from "./lie.ts"
import { instead } from "./runs.ts"
import { dayOf, type Loose, runOf, runs } from "./story.ts"

const notary = vkey("n1.example", publicKeyOf(new Uint8Array(32).fill(31)))
const stranger = new Uint8Array(32).fill(13)
const hash = (text: string) => toHex(sha256(utf8(text)))

/** A run of the fifth that drew its only notary by this note. */
const drawn = (note: string, more: Loose = {}) => {
  const lot = { head: hash(note), notary, from: notaryListHash([notary]) }
  return runs(5, 10, [runOf(5, "10:00", { lot })], {
    drawn_from: [[notary]],
    n_draws: 1,
    drawn_by: [note],
    ...more
  })
}

/** The log has other entries, or not so many. */
const other = checkpointOf(treeOf([utf8("another entry")]))
const tooLong = checkpointOf(treeOf(Array.from({ length: 200 }, (_, n) => utf8(String(n)))))

const lie = (sentence: string, says: RegExp, note: string, more: Loose = {}): Lie => ({
  sentence,
  lie: (story) => instead(story, `${dayOf(5)}T10`, drawn(note, more)),
  find: "draw",
  says
})

export const ofDraws: ReadonlyArray<Lie> = [
  lie("a notary is drawn by a head of this log", /which this log does not extend/, other),
  lie("a notary is not drawn by a head to come", /before the log had more than/, tooLong),
  lie(
    "a notary is drawn by a head that the log signed",
    /no log key in the document signed/,
    checkpointOf(treeOf([utf8("another entry")]), stranger)
  ),
  lie("the head of a draw is given", /which its hour does not give/, other, { drawn_by: [] }),
  lie("the head of a draw is not 32 bytes that nobody knows", /which its hour does not give/, other, {
    drawn_by: [tooLong]
  }),
  lie("the head of a draw is a signed note", /./, "a text that hashes like any other"),
  lie("documents with draws are counted", /document 2 with draws follows document 0/, other, { n_draws: 2 })
]

/** Without a count the documents with draws have no first. */
export const ofCount: Lie = {
  sentence: "a document with draws has a number",
  lie: (story) => {
    const { file, text, ...rest } = drawn(other)
    instead(story, `${dayOf(5)}T10`, {
      ...rest,
      text: text.replace('"n_draws":1,', ""),
      ...(file === undefined ? {} : { file })
    })
  },
  find: "draw",
  says: /must be there exactly/
}
