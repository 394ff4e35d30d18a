/** Keys and checkpoints of others: what public logs and witnesses signed verifies here, and their keys are read as theirs. */
import { assert, describe, it } from "vitest"
import { fromBase64 } from "../../core/proof/bytes.ts"
import { noteKeyText, parseNote, parseVkey, verifyNote } from "../../core/proof/checkpoint.ts"
import { cosignaturesOf, cosignerOf, parseCosigner } from "../../core/proof/cosignature.ts"
import { parseLogs } from "../../runtime/witness/logs.ts"
import { publicKeyOf } from "../support/ed25519.ts"

/** A checkpoint of a staging log for certificates (transparency.dev) of May 2026, cosigned by four public witnesses. */
const checkpoint = `arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=

\u2014 arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
\u2014 arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
\u2014 transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
\u2014 witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
\u2014 remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
\u2014 witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
`

const log = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"

const witnesses = [
  "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
  "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO",
  "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv",
  "witness.navigli.sunlight.geomys.org+a3e00fe2+BNy/co4C1Hn1p+INwJrfUlgz7W55dSZReusH/GhUhJ/G"
]

/** Keys with their secrets, as the tests of Tessera publish them. */
const pairs = [
  [
    "Wit1+4dd489c8+BDd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c",
    "AVq3ou1kOLb/aTkJLoMwbMULJQNr8EQVGbpyZxMEZMyT"
  ],
  [
    "Wit2+ef71459d+BJ1w/MdWovBzZtRD4pNwmb9SHl1U+hZzCMsgx6MmMJ0L",
    "AXLjVp1/sY1o5exVavpVt8zWIVFAD7ejqaMBU38CoYgg"
  ],
  [
    "Wit3+e1fc6196+BO1XsCjtkV0G56JUYj7n6LykElL1GcNo1BytsQMsRjyZ",
    "AS6qbV1WaGUoVgAz3CajG9iCm1pLZ5eUTKBD6XxJVl5x"
  ]
] as const

describe("a public log", () => {
  it("verifies with its cosignatures, and lines of other keys and types are passed over", () => {
    const note = parseNote(checkpoint)
    const cosignatures = cosignaturesOf(note.text, note.signatures, witnesses.map(parseCosigner))
    assert.deepStrictEqual(
      cosignatures
        .map(({ cosigner, timestamp }) => `${cosigner.name} ${new Date(timestamp * 1000).toISOString()}`)
        .sort(),
      [
        "remora.n621.de 2026-05-23T21:50:24.000Z",
        "witness.stagemole.eu 2026-05-23T21:50:24.000Z",
        "witness1.smartit.nu/witness1 2026-05-23T21:50:24.000Z"
      ]
    )
    assert.strictEqual(verifyNote(note, [parseVkey(log)])?.length, 1)
    const other = parseNote(checkpoint.replace("1432088532", "1432088533"))
    assert.isUndefined(verifyNote(other, [parseVkey(log)]))
    for (const witness of witnesses.slice(0, 3)) {
      assert.throws(() => cosignaturesOf(other.text, other.signatures, [parseCosigner(witness)]), /verify/)
    }
  })

  it("can be followed by our witness, and cosigners have the keys that others compute", () => {
    assert.deepStrictEqual([...parseLogs(`log ${log}\n`).keys()], ["arche2025h1.staging.ct.transparency.dev"])
    for (const witness of witnesses) assert.strictEqual(noteKeyText(parseCosigner(witness)), witness)
    for (const [vkey, secret] of pairs) {
      const [name = ""] = vkey.split("+")
      assert.strictEqual(noteKeyText(cosignerOf(name, publicKeyOf(fromBase64(secret).slice(1)))), vkey)
    }
  })
})
