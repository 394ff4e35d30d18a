/** A corpus of forgeries. Each changes one thing of a true original, and the check that it names must find it. */
import { assert, describe, it } from "vitest"
import type { Check } from "../../core/proof/check.ts"
import { EventsResponse } from "../../core/wire/events/event.ts"
import { besideEvents } from "../../http/client/verifier/src/verifyEvents.ts"
import { besideAbsence, bodies, honestBodies, notarisedBody, verifyTold4 } from "./corpus/bodies.ts"
import { chainedEvents, unlinked } from "./corpus/chain.ts"
import { loggedKeys, observedRuns } from "./corpus/logged.ts"
import { missingEvidence } from "./corpus/missing.ts"
import { cosignatures, keyDocuments, notes } from "./corpus/notes.ts"
import { notaryStatements, observedValues, witnesses } from "./corpus/others.ts"
import { signed } from "./corpus/signed.ts"
import {
  eventLists,
  evmPayment,
  payees,
  payments,
  receipts,
  streams,
  verifyPayment,
  webhookBodies
} from "./corpus/statements.ts"
import { exitOf, type Group } from "./corpus/table.ts"
import {
  answers,
  feedDocuments,
  incidentDocuments,
  revisionDocuments,
  rotations,
  texts
} from "./corpus/texts.ts"
import { headers, stamps, trees } from "./corpus/trees.ts"
import { absences, values } from "./corpus/values.ts"

const groups: ReadonlyArray<Group> = [
  values,
  absences,
  signed,
  trees,
  stamps,
  headers,
  notes,
  keyDocuments,
  cosignatures,
  loggedKeys,
  observedRuns,
  missingEvidence,
  notaryStatements,
  observedValues,
  witnesses,
  bodies,
  texts,
  answers,
  rotations,
  revisionDocuments,
  incidentDocuments,
  feedDocuments,
  streams,
  eventLists,
  webhookBodies,
  chainedEvents,
  payees,
  receipts,
  payments
]

describe.each(groups)("$of", ({ forgeries, honest }) => {
  it("holds untouched", () => {
    const checks = honest()
    assert.strictEqual(exitOf(checks), 0, JSON.stringify(checks, null, 1))
  })

  it.each(forgeries)("is found out: $name", ({ checks: verify, foundBy, notProved, says }) => {
    const checks = verify()
    const check = checks.find(({ name, ok }) => name === foundBy && ok === (notProved ? "not proved" : false))
    assert.isDefined(check, JSON.stringify(checks, null, 1))
    assert.match(check.detail, says ?? /./)
    assert.strictEqual(exitOf(checks), notProved ? 2 : 1, JSON.stringify(checks, null, 1))
  })
})

describe("a page of events", () => {
  it("may have every member that an answer of /v1/events has, and no other", () => {
    assert.deepStrictEqual([...besideEvents].sort(), Object.keys(EventsResponse.fields).sort())
  })

  it("says where its events are not linked", () => {
    const links = (checks: ReadonlyArray<Check>) =>
      checks.filter(({ name }) => name.startsWith("chain")).map(({ name, ok }) => [name, ok])
    assert.deepStrictEqual(links(unlinked.gap), [["chain: gap", "not checked"]])
    assert.deepStrictEqual(links(unlinked.earlier), [["chain: no link", "not checked"]])
    assert.deepStrictEqual(links(unlinked.later), [["chain: no link", "not proved"]])
  })
})

describe("a receipt of a payment on an EVM chain", () => {
  it("names the same address in whatever letter case", () => {
    const checks = verifyPayment(evmPayment)
    assert.strictEqual(exitOf(checks), 0, JSON.stringify(checks, null, 1))
  })
})

describe("a body in a bundle", () => {
  const named = (checks: ReadonlyArray<Check>, name: string) => checks.find((one) => one.name === name)

  it("says the value, and so nothing needs to be derived", () => {
    for (const saved of honestBodies) {
      const checks = verifyTold4(saved)
      assert.strictEqual(exitOf(checks), 0, JSON.stringify(checks, null, 1))
      assert.match(
        named(checks, "body")?.detail ?? "",
        /^run 2 read 41\.5( at \S+)? in the answer of https:\/\/feed\.example\/v1\/nodes$/
      )
      assert.isUndefined(named(checks, "the value follows from the body"))
    }
  })

  it("and a notary say what the holder of the host's certificate said", () => {
    const checks = verifyTold4(notarisedBody())
    assert.strictEqual(exitOf(checks), 0, JSON.stringify(checks, null, 1))
    assert.match(
      named(checks, "notaries")?.detail ?? "",
      /; the holder of the host's certificate said 41\.5 at \/nodes in the answer of https:\/\/feed\.example\/v1\/nodes$/
    )
  })

  it("is refused beside an absence", () => {
    assert.strictEqual(exitOf(verifyTold4(besideAbsence())), 1)
  })
})

describe("the corpus", () => {
  it("has at least 200 forgeries, each under a name of its own", () => {
    const names = groups.flatMap(({ forgeries, of }) => forgeries.map(({ name }) => `${of}: ${name}`))
    assert.isAtLeast(names.length, 200)
    assert.strictEqual(new Set(names).size, names.length)
  })
})
