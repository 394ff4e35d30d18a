/** When a thread counts as blocked, by its heartbeats and its CPU time. */
import { assert, describe, it } from "@effect/vitest"
import { watch } from "../../runtime/collector/blocking.ts"

const beat = 1000
const allowed = 10

/** Looks at a thread once for each of these: the heartbeats and the milliseconds of CPU time since the look before. */
const looks = (each: ReadonlyArray<readonly [beats: number, cpu: number]>): ReadonlyArray<boolean> => {
  const look = watch(beat)
  let [beats, cpu] = [1, 0]
  look({ beats, cpu }, allowed)
  return each.map(([more, used]) => {
    beats += more
    cpu += used
    return look({ beats, cpu }, allowed).blocked
  })
}

const times = (n: number, beats: number, cpu: number) =>
  Array.from({ length: n }, () => [beats, cpu] as const)

describe("a thread", () => {
  it("that computes without a heartbeat is blocked after as much CPU time", () => {
    const verdicts = looks(times(12, 0, beat))
    assert.strictEqual(verdicts.indexOf(true), 9)
  })

  it("that waits for a core is not blocked before it has used that CPU time", () => {
    const verdicts = looks(times(60, 0, beat / 4))
    assert.strictEqual(verdicts.indexOf(true), 39)
  })

  it("that beats is never blocked, however much it computes", () => {
    assert.notInclude(looks(times(100, 1, beat)), true)
    // A heartbeat on the last look before the limit starts the count anew.
    assert.notInclude(looks([...times(9, 0, beat), [1, beat], ...times(9, 0, beat)]), true)
  })

  it("that uses no CPU time and never beats again is blocked after three times as long", () => {
    assert.strictEqual(looks(times(40, 0, 0)).indexOf(true), 29)
    assert.notInclude(looks([...times(29, 0, 0), [0, 100], ...times(29, 0, 0)]), true)
  })
})
