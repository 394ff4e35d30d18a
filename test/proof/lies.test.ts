/** Logs of an operator who signs everything properly and lies: the monitor finds each, and nothing in the honest ones. */
import { assert, describe, it } from "vitest"
import type { Finding } from "../../core/proof/finding.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { type Reason, reasons } from "../../core/proof/reason.ts"
import { minute } from "../../core/proof/time.ts"
import { look } from "../../http/client/verifier/src/monitor/look.ts"
import { parseState, type State } from "../../http/client/verifier/src/monitor/state.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import { secret } from "../support/publication.ts"
import { earlierLook } from "../upgrade/earlierMonitor.ts"
import { observedStory } from "./lies/agreements.ts"
import { at, type Files, filesOf, restarted, silence, story } from "./lies/story.ts"
import { lies } from "./lies/table.ts"
import { kinds } from "./lies/watched.ts"

/** When the newest of so many entries was there. */
const nowOf = ({ entries }: Files, size: number): number => {
  const { closed_at, recorded_at } = JSON.parse(entries[size - 1] ?? "{}")
  return Date.parse(closed_at ?? recorded_at) + minute
}

/** A look at all, long after, or at the beginning of a log, when it was made. */
const looked = async (
  files: Files,
  size = files.entries.length,
  state?: State,
  by = look,
  now = size === files.entries.length ? Date.parse("2026-09-20T12:00:00Z") : nowOf(files, size)
) => {
  const { sourceOf } = files
  const result = await by(
    {
      trust: { pins: [thumbprint(publicKeyOf(secret))] },
      source: sourceOf(size),
      now: () => now,
      random: () => 0,
      say: () => undefined,
      checked: async () => undefined
    },
    state
  )
  const [promises, findings] = [true, false].map((are) =>
    result.findings.filter(({ what }) => (what === "promise") === are)
  )
  return { findings: findings ?? [], promises: promises ?? [], state: result.state }
}

/** What a monitor finds that looks after each close. */
const followed = async (
  files: Files,
  sizes = files.sizes,
  without: (state: State) => State = (state) => state
) => {
  let state: State | undefined
  const findings: Array<Finding> = []
  for (const size of sizes) {
    const one = await looked(files, size, state)
    findings.push(...one.findings)
    state = one.state === undefined ? undefined : parseState(JSON.stringify(without(one.state)))
  }
  return findings
}

/** A state as the release before wrote it. */
const earlierRelease = ({ record: _, ...state }: State): State => state

describe.each([
  ["six days", story],
  ["six days after a restart", restarted],
  ["six days that others observe", observedStory],
  ["a series that falls silent", silence]
])("an honest log of %s", (_, written) => {
  const files = filesOf(written())

  it("has nothing to be found, at once or after each close", async () => {
    assert.deepStrictEqual((await looked(files)).findings, [])
    assert.deepStrictEqual(await followed(files), [])
  })

  it("has nothing to be found from any entry on, nor with a state of the release before", async () => {
    assert.deepStrictEqual(await followed(files, files.sizes, earlierRelease), [])
    for (let size = 1; size < files.entries.length; size++) {
      const { state } = await looked(files, size)
      // A head is signed over whole closes: one in the midst of one may lack the revisions of a batch.
      if (state === undefined || state.checked.size < size) continue
      assert.deepStrictEqual((await looked(files, undefined, state)).findings, [], `from ${size} on`)
    }
  })

  it("has nothing to be found by a monitor of the release before, nor by the newer one that goes on", async () => {
    const earlier = await earlierLook()
    let state: State | undefined
    for (const size of files.sizes) {
      const { findings, state: next } = await looked(files, size, state, earlier)
      assert.deepStrictEqual(findings, [], `at ${size} entries`)
      state = next
      assert.deepStrictEqual((await looked(files, undefined, state)).findings, [], `from ${size} on`)
    }
    assert.strictEqual(state?.checked.size, files.entries.length)
  })
})

/** Why some of the lies are found. */
const because: Readonly<Record<string, Reason>> = {
  "a document is served": "missing",
  "`follows` is the hash of a leaf that exists": "hash",
  "a rotation is of this log": "origin",
  "a key has one successor": "key",
  "a document of events is of a day that is over": "time",
  "a day has one document of sales": "contradiction",
  "a tree of sales has at least 16 leaves": "form"
}

describe.each(lies)("$sentence", ({ find, lie, of = story, says, sentence }) => {
  const written = of()
  lie(written)
  const files = filesOf(written)
  const isFound = (findings: ReadonlyArray<Finding>) =>
    assert.isTrue(
      findings.some(
        (one) =>
          one.what === find &&
          says.test(`${one.expected}: ${one.found}`) &&
          (because[sentence] ?? one.reason) === one.reason &&
          reasons.includes(one.reason)
      ),
      JSON.stringify(findings, null, 1)
    )

  it("is held to by a monitor that looks once, and again", async () => {
    const { findings, state } = await looked(files)
    isFound(findings)
    isFound((await looked(files, undefined, state)).findings)
  })

  it("is held to by one that looks after each close", async () => {
    isFound(await followed(files, files.sizes.slice(2)))
  })
})

describe("a batch that was checked", () => {
  it.each(["leaves", "absent"])("is not served with other %s later", async (name) => {
    const files = filesOf(story())
    const { state } = await looked(files, files.sizes[4])
    const path = `/v1/log/batches/2026-09-05/${name}`
    const sourceOf: Files["sourceOf"] = (size) => {
      const { name: source, read } = files.sourceOf(size)
      const day = `/v1/log/batches/2026-09-02/${name}`
      return { name: source, read: (file) => read(file === path ? day : file) }
    }
    const { findings } = await looked({ ...files, sourceOf }, undefined, state)
    assert.match(JSON.stringify(findings), /that (was|were) there before/)
  })
})

describe.each(kinds)("$what that nobody saw at the last look", ({ entered }) => {
  const begun = () => {
    const log = story()
    log.closes.splice(5)
    return log
  }
  const before = filesOf(begun())
  /** What is found at half past eleven by who looked at eleven, when the entry was not there, and at noon. */
  const lookedTwice = async (recordedAt: string, without: (state: State) => State = (state) => state) => {
    const log = begun()
    log.closes[4]?.after.push(entered(recordedAt))
    const files = filesOf(log)
    const look11 = await looked(before, undefined, undefined, undefined, Date.parse(at(6, "11:00")))
    assert.deepStrictEqual(look11.findings, [])
    const state = look11.state === undefined ? undefined : without(look11.state)
    const first = await looked(files, undefined, state, undefined, Date.parse(at(6, "11:30")))
    const again = await looked(files, undefined, first.state, undefined, Date.parse(at(6, "12:00")))
    return [first, again].map(({ findings }) =>
      findings.filter((one) => /entered later than it says, or held back/.test(one.found))
    )
  }

  it("is not older than a quarter of an hour before it", async () => {
    for (const findings of await lookedTwice(at(6, "10:45"))) assert.strictEqual(findings.length, 1)
  })

  it("is not older for a monitor that goes on from a state of the release before", async () => {
    const earlier = ({ looks: _, ...state }: State): State => state
    for (const findings of await lookedTwice(at(6, "10:45"), earlier)) assert.strictEqual(findings.length, 1)
  })

  it("may be of any time since", async () => {
    for (const time of ["10:46", "11:20"]) assert.deepStrictEqual(await lookedTwice(at(6, time)), [[], []])
  })
})

it("a log that never had a schedule breaks a promise", async () => {
  const log = story()
  for (const one of log.closes) one.before = one.before.filter(({ kind }) => kind !== "schedule")
  for (const { before } of log.closes)
    for (const one of before) one.text = one.text.replace(/"schedule":"[0-9a-f]{64}",/, "")
  const files = filesOf(log)
  const { promises } = await looked(files)
  assert.isTrue(promises.some(({ where }) => where === "schedules"))
  assert.deepStrictEqual(
    (await looked(filesOf(story()))).promises.map(({ where }) => where),
    ["newest batch"]
  )
})

it("a batch is not made up after a look at which its close was due", async () => {
  const files = filesOf(story())
  const size = files.sizes[4] ?? 0
  const { state } = await looked(files, size, undefined, look, Date.parse(at(7, "12:00")))
  const { findings } = await looked(files, undefined, state, look, Date.parse(at(7, "13:00")))
  assert.isTrue(findings.some((one) => /2026-09-07T08:00:00Z.*entered later/.test(one.found)))
})

describe("the lying logs", () => {
  it("are lies of different sentences", () => {
    assert.isAtLeast(lies.length, 60)
    assert.strictEqual(new Set(lies.map(({ sentence }) => sentence)).size, lies.length)
  })
})
