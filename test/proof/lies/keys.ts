/** Lies about the keys of the service, in the documents of keys and beside them. */

import type { PublishedKey } from "../../../core/proof/keys.ts"
import { publicKeyOf } from "../../support/ed25519.ts"
import { secret } from "../../support/publication.ts"
import { close, type Lie, replace } from "./lie.ts"
import { at, document, keysAfter, keysBefore, keysDocument, rotated, rotation } from "./story.ts"

const third = (
  list: ReadonlyArray<PublishedKey>,
  rotations: ReadonlyArray<ReturnType<typeof document>> = [rotated]
) => keysDocument(at(6, "09:00"), 3, list, rotations)
const isAnswers = ({ purpose }: PublishedKey) => purpose === "answers"
const stranger = new Uint8Array(32).fill(13)
const strangers: PublishedKey = {
  purpose: "log",
  publicKey: publicKeyOf(stranger),
  announcedAt: at(5, "12:00"),
  notBefore: at(5, "12:00"),
  notAfter: null
}

export const ofKeys: ReadonlyArray<Lie> = [
  {
    sentence: "a key stays in the documents of keys",
    lie: (story) => void close(story, 5).after.push(third(keysAfter.filter((key) => !isAnswers(key)))),
    find: "document",
    says: /answers \S+ is gone/
  },
  {
    sentence: "a key's beginning stays",
    lie: (story) =>
      void close(story, 5).after.push(
        third(
          keysAfter.map((key) =>
            isAnswers(key) ? { ...key, notBefore: at(1, "00:00"), notAfter: null } : key
          )
        )
      ),
    find: "document",
    says: /began at/
  },
  {
    sentence: "the time when a key was published stays",
    lie: (story) =>
      void close(story, 5).after.push(
        third(
          keysAfter.map((key) => (isAnswers(key) ? { ...key, announcedAt: "2026-07-01T00:00:00Z" } : key))
        )
      ),
    find: "document",
    says: /published at/
  },
  {
    sentence: "the end of a key is not taken away",
    lie: (story) =>
      void close(story, 5).after.push(
        third(keysAfter.map((key) => (isAnswers(key) ? { ...key, notAfter: null } : key)))
      ),
    find: "document",
    says: /it has no end/
  },
  {
    sentence: "the end of a key is not put off",
    lie: (story) =>
      void close(story, 5).after.push(
        third(
          keysAfter.map((key) =>
            isAnswers(key) && key.notAfter !== null ? { ...key, notAfter: at(30, "00:00") } : key
          )
        )
      ),
    find: "document",
    says: /now it says 2026-09-30/
  },
  {
    sentence: "documents of keys have no gaps",
    lie: (story) => void close(story, 5).after.push(keysDocument(at(6, "09:00"), 4, keysAfter, [rotated])),
    find: "document",
    says: /document 4 of the keys follows document 2/
  },
  {
    sentence: "the first document of keys has the number 1",
    lie: (story) => replace(story, 1, "keys", keysDocument(at(1, "12:00"), 2, keysBefore)),
    find: "document",
    says: /document 2 of the keys follows document 0/
  },
  {
    sentence: "the subject of a document of keys is its number",
    lie: (story) => void close(story, 5).after.push({ ...third(keysAfter), subject: "4" }),
    find: "document",
    says: /the document's number is 3/
  },
  {
    sentence: "a document of keys is of this log",
    lie: (story) =>
      void close(story, 5).after.push(
        keysDocument(at(6, "09:00"), 3, keysAfter.filter(isAnswers), [], "log.example/other")
      ),
    find: "document",
    says: /of the log log.example\/other/
  },
  {
    sentence: "a document of keys has its keys in order",
    lie: (story) => {
      const { keys, ...rest } = JSON.parse(third(keysAfter).text)
      close(story, 5).after.push(document("keys", "3", at(6, "09:00"), { ...rest, keys: keys.toReversed() }))
    },
    find: "document",
    says: /in order/
  },
  {
    sentence: "a document of keys does not leave a rotation out",
    lie: (story) => replace(story, 2, "keys", keysDocument(at(2, "12:00"), 2, keysAfter)),
    find: "document",
    says: /in the log, and not in it/
  },
  {
    sentence: "a document of keys has no rotation that the log lacks",
    lie: (story) => {
      const of = { old: secret, new: stranger, not_before: at(5, "12:00"), not_after: "2026-10-05T12:00:00Z" }
      const list = keysAfter.map((key) =>
        key.notAfter === null && !isAnswers(key) ? { ...key, notAfter: of.not_after } : key
      )
      close(story, 5).after.push(third([...list, strangers], [rotated, rotation(at(6, "09:00"), of)]))
    },
    find: "document",
    says: /in it, and not in the log/
  },
  {
    sentence: "a rotation and the keys agree on their periods",
    lie: (story) => {
      const { rotations, ...rest } = JSON.parse(keysDocument(at(2, "12:00"), 2, keysBefore).text)
      replace(
        story,
        2,
        "keys",
        document("keys", "2", at(2, "12:00"), { ...rest, rotations: [...rotations, rotated.text] })
      )
    },
    find: "document",
    says: /disagree on when/
  },
  {
    sentence: "the key that signs the head is in the log",
    lie: (story) => {
      for (const n of [1, 2]) replace(story, n, "keys")
      replace(story, 2, "rotation")
      close(story, 1).before.push(
        keysDocument(
          at(2, "00:30"),
          1,
          keysBefore.filter((key) => isAnswers(key) || key.notBefore < "2026-09")
        )
      )
    },
    find: "keys",
    says: /lacks it/
  },
  {
    sentence: "the served key document has every key of the log",
    lie: (story) => void close(story, 5).after.push(third([...keysAfter, strangers])),
    find: "keys",
    says: /is gone/
  }
]
