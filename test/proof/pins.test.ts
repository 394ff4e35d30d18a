/** The file of pins as the command keeps it: what is given once counts later, and what is only seen is said to be so. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import { inclusionProof } from "../../core/proof/merkle.ts"
import { parseMemory } from "../../http/client/verifier/src/pins.ts"
import { batches, checkpointOf, hexes, keys, logOf, stamped } from "../support/publication.ts"
import { base, bundle, file, fixture, folder, kid, newest, run, serveLoopback } from "./loopback.ts"

const hexOfNote = (note: string) => toHex(parseCheckpointText(parseNote(note).text).root)

let n = 0
const fresh = () => {
  n++
  return { PLUMBLINE_PINS: join(folder, `pins-${n}`, "pins.json") }
}
const saved = () => file(`bundle-${n}.json`, JSON.stringify(bundle))
const history = () => `${base}/v1/history?network=FIL`

serveLoopback()

describe("the file of pins", () => {
  it("lets a key count that was given once", async () => {
    const env = fresh()
    assert.strictEqual((await run(["bundle", saved(), ...fixture], env)).exit, 2)
    const pinned = await run(["bundle", saved(), ...fixture, `--key=${kid}`], env)
    assert.strictEqual(pinned.exit, 0, pinned.text)
    const later = await run(["bundle", saved(), ...fixture], env)
    assert.strictEqual(later.exit, 0, later.text)
    assert.match(later.text, /ok\s+remembered keys/)
    assert.strictEqual((await run(["bundle", saved(), ...fixture, "--pins", "none"], env)).exit, 2)
    assert.strictEqual((await run(["bundle", saved(), ...fixture, "--key=another"], env)).exit, 1)
    assert.strictEqual(statSync(env.PLUMBLINE_PINS).mode & 0o777, 0o600)
    const [log] = parseMemory(readFileSync(env.PLUMBLINE_PINS, "utf8"))
    assert.deepInclude(log?.keys[0], { kid, by: "given" })
  })

  it("says since when a key was seen that nobody vouches for, and proves nothing by it", async () => {
    const env = fresh()
    const first = await run(["response", history()], env)
    assert.strictEqual(first.exit, 2)
    const second = await run(["response", history()], env)
    assert.strictEqual(second.exit, 2)
    assert.match(second.text, /not proved\s+operator's key: .*first saw on \d{4}-\d\d-\d\d/)
  })

  it("does not prove an undated answer by a key that was last looked up long ago", async () => {
    const env = fresh()
    const document = file("keys-pins.json", JSON.stringify(keys))
    const response = await fetch(history())
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\r\n")
    const answer = file("answer-pins.txt", `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${await response.text()}`)
    const offline = ["response", answer, "--keys", document, "--url", history()]
    assert.strictEqual((await run([...offline, `--key=${kid}`], env)).exit, 0)
    assert.strictEqual((await run(offline, env)).exit, 0)
    const memory = JSON.parse(readFileSync(env.PLUMBLINE_PINS, "utf8"))
    memory.logs[0].checked = "2026-01-01T00:00:00Z"
    writeFileSync(env.PLUMBLINE_PINS, JSON.stringify(memory))
    const stale = await run(offline, env)
    assert.strictEqual(stale.exit, 2, stale.text)
    assert.match(stale.text, /last looked up on 2026-01-01/)
    // The block over a bundle's head dates it.
    assert.strictEqual((await run(["bundle", saved(), ...fixture], env)).exit, 0)
    assert.strictEqual((await run([...offline, `--key=${kid}`], env)).exit, 0)
  })

  it("refuses a head that contradicts a remembered one, and keeps both", async () => {
    const env = fresh()
    const trusted = [...fixture, `--key=${kid}`]
    assert.strictEqual((await run(["bundle", saved(), ...trusted], env)).exit, 0)
    // The operator signs another log of four entries, with the same batch at its end.
    const entries = [batches[4], ...batches.slice(1, 4)].flatMap((one) => one?.entry ?? [])
    const other = logOf(entries)
    const checkpoint = checkpointOf(other)
    const forked = {
      ...bundle,
      log: { ...bundle.log, path: hexes(inclusionProof(other, 3)), checkpoint },
      anchor: {
        ...bundle.anchor,
        ...stamped(utf8(checkpoint), "2026-09-05T09:00:00Z")
      }
    }
    const command = ["bundle", file("forked.json", JSON.stringify(forked)), ...trusted]
    assert.strictEqual((await run([...command, "--pins", "none"], env)).exit, 0)
    const { exit, text } = await run(command, env)
    assert.strictEqual(exit, 1, text)
    assert.match(text, /FAILED\s+remembered head: .*pins.json .*send them to the witnesses/)
    const [log] = parseMemory(readFileSync(env.PLUMBLINE_PINS, "utf8"))
    assert.deepStrictEqual(
      log?.forks.map((fork) => [fork.remembered, fork.other]),
      [[bundle.log.checkpoint, checkpoint]]
    )
    // The remembered one goes on to count.
    assert.strictEqual((await run(["bundle", saved(), ...fixture], env)).exit, 0)
  })

  it("holds a head of another size to the one it remembers, by the files of the log", async () => {
    const env = fresh()
    const trusted = [...fixture, `--key=${kid}`]
    // The log of the first four batches, and then a value under the whole one.
    assert.strictEqual((await run(["bundle", saved(), ...trusted], env)).exit, 0)
    const memory = () => JSON.parse(readFileSync(env.PLUMBLINE_PINS, "utf8"))
    const heads = memory().logs[0].heads
    assert.lengthOf(heads, 1)
    const whole = { ...memory() }
    whole.logs[0].heads = [{ ...heads[0], size: batches.length, root: hexOfNote(newest), note: newest }]
    writeFileSync(env.PLUMBLINE_PINS, JSON.stringify(whole))
    const offline = await run(["bundle", saved(), ...trusted], env)
    assert.strictEqual(offline.exit, 0, offline.text)
    assert.match(offline.text, /not checked\s+remembered head: .*--url of the service/)
    assert.lengthOf(memory().logs[0].heads, 1)
    const online = await run(["bundle", saved(), "--url", base, ...trusted], env)
    assert.match(online.text, /ok\s+remembered head: .* are of one log/, online.text)
    // Another log of that size, whose files nobody has.
    const other = checkpointOf(logOf([...batches].reverse().map(({ entry }) => entry)))
    whole.logs[0].heads = [{ ...heads[0], size: batches.length, root: hexOfNote(other), note: other }]
    writeFileSync(env.PLUMBLINE_PINS, JSON.stringify(whole))
    const elsewhere = await run(["bundle", saved(), "--url", base, ...trusted], env)
    assert.strictEqual(elsewhere.exit, 2, elsewhere.text)
    assert.match(elsewhere.text, /not proved\s+remembered head: .*do not prove/)
  })

  it("is not written for what fails, and one that cannot be read is named", async () => {
    const env = fresh()
    const changed = file(
      "changed-pins.json",
      JSON.stringify({ ...bundle, leaf: bundle.leaf.replace("41.5", "42") })
    )
    assert.strictEqual((await run(["bundle", changed, ...fixture, `--key=${kid}`], env)).exit, 1)
    assert.isFalse(existsSync(env.PLUMBLINE_PINS))
    const broken = { PLUMBLINE_PINS: file("broken-pins.json", "{}") }
    const { exit, text } = await run(["bundle", saved(), ...fixture], broken)
    assert.strictEqual(exit, 2)
    assert.match(text, /broken-pins.json cannot be used: .*--pins none/)
  })
})
