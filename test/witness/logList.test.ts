/** Lists of logs (`logs/v0`): what we print of ours is what a witness reads. */
import { assert, describe, it } from "vitest"
import { vkey } from "../../core/proof/checkpoint.ts"
import { isLogList, logListText, parseLogList } from "../../runtime/witness/logList.ts"
import { parseLogs } from "../../runtime/witness/logs.ts"
import { publicKeyOf } from "../support/ed25519.ts"

const key = vkey("log.example/log", publicKeyOf(new Uint8Array(32).fill(1)))
const other = vkey("other.example", publicKeyOf(new Uint8Array(32).fill(2)))

describe("a list of logs", () => {
  it("is printed as it is read", () => {
    const entry = { key, perDay: 48, contact: "ops@log.example" }
    const text = logListText(entry)
    assert.strictEqual(
      text,
      `logs/v0\nvkey ${key}\norigin none\nbastion none\nqpd 48\ncontact ops@log.example\n`
    )
    assert.isTrue(isLogList(text))
    assert.deepStrictEqual(parseLogList(text), [{ key, number: 2 }])
  })

  it("is a witness's file of logs, where an origin may differ from the key's name", () => {
    const text = `# ours\n${logListText({ key, perDay: 24, contact: "ops@log.example" })}\nvkey ${other}\norigin other.example/2\nqpd 24\nnew thing\n`
    assert.deepStrictEqual(
      [...parseLogs(text)].map(([origin, verifiers]) => [origin, verifiers.map(({ name }) => name)]),
      [
        ["log.example/log", ["log.example/log"]],
        ["other.example/2", ["other.example"]]
      ]
    )
    assert.isFalse(isLogList(`log ${key}\n`))
  })

  it("names the line that is wrong", () => {
    assert.throws(() => parseLogs("logs/v0\nqpd 3\n"), /line 2: .* begins each log with a vkey line/)
    assert.throws(() => parseLogs(`logs/v0\nvkey ${key}\nvkey ${key}\norigin b\n`), /line 3: .*listed twice/)
    assert.throws(() => parseLogs("logs/v0\nvkey nonsense\n"), /line 2: .*not a verifier key/)
  })
})
