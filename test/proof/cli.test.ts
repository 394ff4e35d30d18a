/** The verifier's command against a loopback service: exit codes, and what it says was not checked. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { fromBase64, fromHex } from "../../core/proof/bytes.ts"
import { noteKeyText, parseNote, vkey } from "../../core/proof/checkpoint.ts"
import { cosignatureLine, cosignatureMessage, cosignerOf } from "../../core/proof/cosignature.ts"
import { genesis, signalHash, signalText } from "../../core/proof/signal.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"
import { batches, checkpointOf, keys, logOf } from "../support/publication.ts"
import {
  base,
  bundle,
  entryOf,
  file,
  fixture,
  folder,
  kid,
  logged,
  longLog,
  lying,
  newest,
  page,
  type published,
  run,
  serveLoopback,
  signals
} from "./loopback.ts"

serveLoopback()

describe("verify response", () => {
  it("holds for an answer of the service, and says what trust is missing", async () => {
    const { exit, text } = await run(["response", `${base}/v1/history?network=FIL`])
    assert.strictEqual(exit, 2, text)
    assert.match(text, /ok\s+statement: 14 bytes, of \/v1\/history/)
    assert.match(
      text,
      /ok\s+query and status \(RFC 9421\): GET 127.0.0.1:\d+\/v1\/history\?network=FIL returned 200/
    )
    assert.match(text, /not proved\s+operator's key: nobody vouches for key .*--key=/)
    assert.match(text, /✔ altered\? +Not altered\..*\n\? by whom\? .*not known to you.*\n\? since when\?/)
    assert.strictEqual(text.split("\n").at(-1), "not altered; signer not known to you (exit 2)")
    const pinned = await run(["response", `${base}/v1/history?network=FIL`, "--key", kid])
    assert.match(pinned.text, /ok\s+operator's key/)
    assert.strictEqual(pinned.exit, 0, pinned.text)
    assert.strictEqual(pinned.text.split("\n").at(-1), "holds")
    const stranger = await run(["response", `${base}/v1/history?network=FIL`, "--key", "another"])
    assert.strictEqual(stranger.exit, 1)
    assert.strictEqual(stranger.text.split("\n").at(-1), "not altered; signer not as given (exit 1)")
  })

  it("holds for a saved answer, with its key document, offline", async () => {
    const url = `${base}/v1/history?network=FIL`
    const response = await fetch(url)
    const body = new Uint8Array(await response.arrayBuffer())
    const head = `HTTP/1.1 200 OK\r\n${[...response.headers].map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n`
    const document = file("keys.json", JSON.stringify(keys))
    const offline = ["--keys", document, "--url", url, `--key=${kid}`]
    const whole = file(
      "whole.txt",
      Buffer.concat([Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${head}`), body])
    )
    assert.strictEqual((await run(["response", whole, ...offline])).exit, 0)
    const saved = file("body.json", body)
    const headers = file("headers.txt", head)
    assert.strictEqual((await run(["response", saved, "--headers", headers, ...offline])).exit, 0)
    const changed = file("changed.json", '{"history":[1]}')
    const forged = await run(["response", changed, "--headers", headers, ...offline])
    assert.strictEqual(forged.exit, 1)
    assert.match(forged.text, /FAILED\s+statement/)
    const other = await run(["response", saved, "--headers", headers, "--keys", document, "--url", `${url}1`])
    assert.match(other.text, /FAILED\s+query and status/)
    const moved = ["--keys", document, "--url", `${base}/v1/market`]
    assert.match((await run(["response", saved, "--headers", headers, ...moved])).text, /FAILED\s+statement/)
  })

  it("fails for a body changed on the way, and for a stale answer", async () => {
    const url = `${base}/v1/history?network=FIL`
    assert.strictEqual((await lying({ spoil: true }, () => run(["response", url]))).exit, 1)
    assert.strictEqual((await run(["response", url, "--not-before", "2026-09-06T10:00:00Z"])).exit, 1)
    assert.strictEqual(
      (await run(["response", url, "--key", kid, "--not-before", "2026-09-06T09:00:00Z"])).exit,
      0
    )
  })
})

describe("an answer that is not all there", () => {
  const url = "/v1/history?network=FIL"
  const saved = async (method: string, change: (head: string) => string = (head) => head) => {
    const response = await fetch(base + url, { method })
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`)
    const head = change(`HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`)
    return file(
      `${method}.txt`,
      Buffer.concat([Buffer.from(head), new Uint8Array(await response.arrayBuffer())])
    )
  }
  const stripped = (head: string) => head.replace(/^(?:signature|signature-input): .*\r\n/gm, "")
  const ask = (path: string, ...more: ReadonlyArray<string>) =>
    run(["response", path, "--url", base + url, "--key", kid, ...more])

  it("proves neither query nor status without its RFC 9421 signature, and says so", async () => {
    const bare = await saved("GET", stripped)
    const { exit, text } = await ask(bare)
    assert.strictEqual(exit, 2, text)
    assert.match(text, /not proved\s+query and status .*another query/)
    const other = await run(["response", bare, "--url", `${base}/v1/history?network=AR`, "--key", kid])
    assert.strictEqual(other.exit, 2, other.text)
    const missing = await ask(await saved("GET", (head) => stripped(head).replace("200 OK", "404 Not Found")))
    assert.strictEqual(missing.exit, 2, missing.text)
    const bodyOnly = await ask(bare, "--body-only")
    assert.strictEqual(bodyOnly.exit, 0, bodyOnly.text)
    assert.notMatch(bodyOnly.text, /query and status/)
  })

  it("is told what it is: a HEAD, a 304, or a body that was not saved", async () => {
    const head = await saved("HEAD")
    const headResult = await ask(head, "--method", "HEAD")
    assert.strictEqual(headResult.exit, 0, headResult.text)
    assert.match(
      headResult.text,
      /ok\s+statement: a HEAD: a GET returns the body with the SHA-256 [0-9a-f]{64}/
    )
    const untold = await ask(head)
    assert.strictEqual(untold.exit, 1)
    assert.match(untold.text, /the body is missing: .*--method HEAD/)
    const hash = createHash("sha256").update('{"history":[]}').digest("hex")
    const confirmed = (etag: string) => (head: string) =>
      stripped(head).replace("200 OK", "304 Not Modified").replace("\r\n\r\n", `\r\netag: ${etag}\r\n\r\n`)
    const same = await ask(await saved("HEAD", confirmed(`"${hash}-br"`)))
    assert.strictEqual(same.exit, 2, same.text)
    assert.match(same.text, /ok\s+statement: a 304: the body you keep is still served, if its SHA-256 is /)
    assert.match(same.text, /not proved\s+query and status .*a 304 has no Signature headers/)
    assert.strictEqual((await ask(await saved("HEAD", confirmed(`"${"0".repeat(64)}"`)))).exit, 1)
  })
})

describe("a key whose kid begins with a dash", () => {
  it("is given as --key=, and the command says so otherwise", async () => {
    const path = file("dashed.json", JSON.stringify(bundle))
    const result = await run(["bundle", path, ...fixture, "--key=-dashed"])
    assert.match(result.text, /FAILED\s+operator's key: .*not one of the given keys/)
    const apart = await run(["bundle", path, ...fixture, "--key", "-dashed"])
    assert.strictEqual(apart.exit, 2)
    assert.match(apart.text, /--key=-/)
  })
})

describe("witnesses", () => {
  const witness = (seed: number) => {
    const secret = new Uint8Array(32).fill(seed)
    const cosigner = cosignerOf(`witness${seed}.example`, publicKeyOf(secret))
    const time = Date.parse("2026-09-05T08:01:00Z") / 1000
    const { text } = parseNote(bundle.log.checkpoint)
    const line = cosignatureLine(cosigner, time, signEd25519(cosignatureMessage(text, time), secret))
    return { key: noteKeyText(cosigner), line: line.slice(0, -1) }
  }
  const [one, two] = [witness(1), witness(2)]
  const cosigned = (...lines: ReadonlyArray<string>) =>
    file("cosigned.json", JSON.stringify({ ...bundle, log: { ...bundle.log, cosignatures: lines } }))
  const ask = (path: string, ...more: ReadonlyArray<string>) =>
    run(["bundle", path, ...fixture, "--key", kid, ...more])

  it("that the caller names must have cosigned, as many as he says", async () => {
    const path = cosigned(one.line)
    const good = await ask(path, "--witness", one.key)
    assert.strictEqual(good.exit, 0, good.text)
    assert.match(good.text, /ok\s+witnesses: cosigned by witness1.example at 2026-09-05T08:01:00Z/)
    const both = ["--witness", one.key, "--witness", two.key]
    assert.strictEqual((await ask(path, ...both)).exit, 0)
    const few = await ask(path, ...both, "--quorum", "2")
    assert.strictEqual(few.exit, 2)
    assert.match(few.text, /not proved\s+witnesses: .*too few/)
    assert.strictEqual((await ask(cosigned(one.line, two.line), ...both, "--quorum", "2")).exit, 0)
    const forged = witness(2).line.slice(0, -4)
    assert.strictEqual((await ask(cosigned(`${forged}AAA=`), ...both)).exit, 1)
  })

  it("may come from a policy file, with the log's key", async () => {
    const log = keys.keys.find(({ vkey }) => vkey !== undefined)?.vkey
    const witnesses = `witness A ${one.key}\nwitness B ${two.key}\n`
    const policy = file("policy", `log ${log}\n${witnesses}group G all A B\nquorum G\n`)
    const alone = (path: string) => run(["bundle", path, ...fixture, "--policy", policy])
    const good = await alone(cosigned(one.line, two.line))
    assert.strictEqual(good.exit, 0, good.text)
    assert.strictEqual((await alone(cosigned(one.line))).exit, 2)
    const broken = file("broken", "quorum nobody\n")
    assert.match((await ask(cosigned(), "--policy", broken)).text, /policy, line 1/)
  })
})

describe("notaries", () => {
  const key = (n: number) => vkey(`notary.example/n${n}`, publicKeyOf(new Uint8Array(32).fill(n)))
  const ask = (...more: ReadonlyArray<string>) =>
    run(["bundle", file("unobserved.json", JSON.stringify(bundle)), ...fixture, "--key", kid, ...more])

  it("that the caller names prove nothing of a value whose run is not there", async () => {
    assert.strictEqual((await ask()).exit, 0)
    const { exit, text } = await ask("--notary", key(1))
    assert.strictEqual(exit, 2)
    assert.match(text, /not proved\s+notaries: the run that gave the value is not beside the bundle/)
  })

  it("have to be there as often as they are asked for", async () => {
    for (const [options, says] of [
      [["--notaries", "1"], /--notaries: 1 of 0 notaries can never be met/],
      [["--notary", key(1), "--notaries", "2"], /--notaries: 2 of 1 notaries can never be met/],
      [["--notary", key(1), "--notaries", "none"], /--notaries: "none" must be a number of notaries/],
      [["--notary", key(1), "--notary", key(1)], /a key is given twice/]
    ] as const) {
      const { exit, text } = await ask(...options)
      assert.strictEqual(exit, 2, text)
      assert.match(text, says)
    }
  })
})

describe("verify value", () => {
  const valueArgs = ["--symbol", "FIL", "--metric", "devices_total", "--date", "20260904"]

  it("holds for what the service published", async () => {
    const { exit, text } = await run(["value", ...valueArgs, "--url", `${base}/`, "--key", kid, ...fixture])
    assert.strictEqual(exit, 0, text)
    assert.match(text, /ok\s+value: FIL devices_total = 41.5 count/)
    assert.notMatch(text, /FAILED/)
    // A service of an earlier release has nothing beside a bundle of a day before runs were logged.
    assert.deepStrictEqual(
      [...text.matchAll(/^not checked +([^:]*):/gm)].map(([, name]) => name),
      ["witnesses", "keys in log", "run", "notaries"]
    )
  })

  it("asks block explorers for the header, and believes neither one that lies nor the bundle against one", async () => {
    const ask = (urls: string, ...more: ReadonlyArray<string>) =>
      run(["value", ...valueArgs, "--url", base, "--key", kid, "--anchored", ...fixture, ...more], {
        ESPLORA_URL: urls
      })
    const good = await ask(`${base}/esplora/, ${base}/nowhere, ${base}/twin/esplora`)
    assert.strictEqual(good.exit, 0, good.text)
    assert.match(good.text, /ok\s+header of block 200: .*: block 200 is /)
    assert.notMatch(good.text, /the header comes from the bundle/)
    const liar = await ask(`${base}/liar,${base}/esplora,${base}/esplora/`)
    assert.strictEqual(liar.exit, 2)
    assert.match(liar.text, /not proved\s+header of block 200: only one .* a header that does not hash to/)
    assert.match(liar.text, /not proved\s+timestamp: .*the header comes from the bundle/)
    assert.match((await ask(`${base}/esplora,${base}/other`)).text, /block explorers disagree on block 200/)
    const other = await ask(`${base}/other,${base}/twin/other`)
    assert.strictEqual(other.exit, 1)
    assert.match(other.text, /FAILED\s+timestamp/)
    const headerFile = file("given.hex", bundle.anchor.header?.hex ?? "")
    const trusted = await ask(`${base}/other`, "--header", `200=${headerFile}`)
    assert.strictEqual(trusted.exit, 0, trusted.text)
    assert.notMatch(trusted.text, /header of block|the bundle's own/)
  })

  it("fails for another value than was asked for, and for a forged one", async () => {
    const other = ["--symbol", "AKT", "--metric", "devices_total", "--date", "20260904", ...fixture]
    assert.match((await run(["value", ...other, "--url", base])).text, /FAILED\s+asked for/)
    const from = (source: string) =>
      run(["value", ...valueArgs, "--source", source, "--url", base, ...fixture])
    assert.match((await from("second-feed")).text, /FAILED\s+asked for: .*from example-feed, not second-feed/)
    assert.match((await from("example-feed")).text, /ok\s+asked for/)
    const forged = JSON.stringify({ ...bundle, leaf: bundle.leaf.replace("41.5", "42.5") })
    const lie = await lying({ bundle: forged }, () => run(["value", ...valueArgs, "--url", base, ...fixture]))
    assert.strictEqual(lie.exit, 1)
    assert.match(lie.text, /FAILED\s+leaf in batch/)
    assert.match((await run(["value", "--symbol", "FIL", "--url", base])).text, /--metric is missing/)
  })
})

describe("verify bundle", () => {
  it("holds with no network, and demands a block only when asked to", async () => {
    const path = file("bundle.json", JSON.stringify(bundle))
    const anchored = ["bundle", path, ...fixture, "--anchored", "--key", kid]
    const own = await run(anchored)
    assert.strictEqual(own.exit, 2, own.text)
    assert.match(own.text, /not proved\s+timestamp: .*the header comes from the bundle/)
    const headerFile = file("own.hex", bundle.anchor.header?.hex ?? "")
    assert.strictEqual((await run([...anchored, "--header", `200=${headerFile}`])).exit, 0)
    const two = { ESPLORA_URL: `${base}/esplora,${base}/twin/esplora` }
    assert.strictEqual((await run(anchored, two)).exit, 0)
    assert.strictEqual((await run(anchored, { ESPLORA_URL: `${base}/esplora` })).exit, 2)
    assert.strictEqual((await run(["bundle", path])).exit, 1)
    const none = {
      ...bundle,
      anchor: { network: "bitcoin-regtest-fixture", status: "none", reason: "replay" }
    }
    const bare = file("none.json", JSON.stringify(none))
    assert.strictEqual((await run(["bundle", bare, ...fixture, "--key", kid])).exit, 0)
    const demanded = await run(["bundle", bare, ...fixture, "--anchored", "--key", kid])
    assert.strictEqual(demanded.exit, 2)
    assert.match(demanded.text, /not proved/)
    const pending = JSON.stringify(bundle).replace('"status":"confirmed"', '"status":"pending"')
    assert.strictEqual(
      (await run(["bundle", file("pending.json", pending), ...fixture, "--key", kid])).exit,
      0
    )
  })

  it("prints nothing that steers a terminal", async () => {
    const hostile = file("hostile.json", JSON.stringify({ ...bundle, "\u001b[2Jx\u202e": 1 }))
    const { exit, text } = await run(["bundle", hostile])
    assert.strictEqual(exit, 1)
    for (const character of ["\u001b", "\u202e"]) assert.notInclude(text, character)
  })

  it("speaks JSON", async () => {
    const path = file("bundle.json", JSON.stringify(bundle))
    const { exit, text } = await run(["bundle", path, "--json", ...fixture])
    const report: { readonly verdict: string; readonly checks: ReadonlyArray<unknown> } = JSON.parse(text)
    assert.strictEqual(exit, 2)
    assert.strictEqual(report.verdict, "not proved")
    const pinned = await run(["bundle", path, "--json", "--key", kid, ...fixture])
    const { checked, not_checked, ...rest } = JSON.parse(pinned.text)
    assert.deepStrictEqual({ ...rest, checks: [] }, { verdict: "holds", exit: 0, checks: [] })
    assert.include(checked, "leaf in batch")
    assert.deepInclude(not_checked, { name: "run", detail: "made before runs were logged" })
    for (const wrong of [
      ["nothing"],
      ["bundle"],
      ["bundle", "--nope"],
      ["bundle", join(folder, "missing")],
      []
    ]) {
      const result = await run([...wrong, "--json"])
      const { exit, verdict }: { readonly exit: number; readonly verdict: string } = JSON.parse(result.text)
      assert.deepStrictEqual([result.exit, exit, verdict], [2, 2, "not proved"], wrong.join(" "))
    }
    assert.isAtLeast(report.checks.length, 10)
  })
})

describe("verify log", () => {
  const olderHeadFile = () =>
    file("kept.txt", checkpointOf(logOf(batches.slice(0, 3).map(({ entry }) => entry))))

  it("holds for a log that grew, and keeps the newest checkpoint", async () => {
    const save = join(folder, "saved.txt")
    const { exit, text } = await run(["log", "--from", olderHeadFile(), "--url", base, "--save", save])
    assert.strictEqual(exit, 0, text)
    assert.match(text, /the first 3 of 5 entries/)
    assert.strictEqual(readFileSync(save, "utf8"), newest)
    assert.strictEqual((await run(["log", "--from", save, "--url", base])).exit, 0)
  })

  it("fails for a rewritten and for an older log, and keeps nothing", async () => {
    const entries = batches.map(({ entry }) => entry)
    const rewritten = checkpointOf(logOf([...entries.slice(1), ...entries.slice(0, 1)]))
    const save = join(folder, "never.txt")
    const lie = await lying({ checkpoint: rewritten }, () =>
      run(["log", "--from", olderHeadFile(), "--url", base, "--save", save])
    )
    assert.strictEqual(lie.exit, 1)
    assert.match(lie.text, /FAILED\s+append-only/)
    assert.throws(() => readFileSync(save))
    const old = checkpointOf(logOf(entries.slice(0, 2)))
    const rolled = await lying({ checkpoint: old }, () =>
      run(["log", "--from", olderHeadFile(), "--url", base])
    )
    assert.match(rolled.text, /stale/)
  })
})

describe("verify signals", () => {
  const ledger = (...more: ReadonlyArray<string>) =>
    run(["signals", `${base}/v1/signals?limit=3`, ...more], { PLUMBLINE_API_KEY: "plk_reader" })

  it("reads all pages of a service, and checks every answer and the chain to its first row", async () => {
    const { exit, text } = await lying(logged(longLog), () =>
      ledger("--key", kid, "--head", signals[700]?.hash ?? "")
    )
    assert.strictEqual(exit, 0, text)
    assert.match(text, /ok\s+hashes: 1203 rows/)
    assert.match(text, /ok\s+links: rows 1 to 1203 are linked/)
    assert.match(text, /ok\s+end: row 1203 is the head/)
    assert.match(text, /ok\s+head given: row 503 has the given hash/)
    assert.match(text, /ok\s+log: entries: the 308 entries hash to its root/)
    assert.match(
      text,
      /ok\s+rows in the log: all 3 rows named in the log are present; the newest is row 1200/
    )
    assert.notMatch(text, /not checked/)
    assert.match((await run(["signals", `${base}/v1/signals`])).text, /returned 402/)
  })

  it("names what a service changed, left out or cut off", async () => {
    const changed = signals.map((row) => (row.n === 40 ? { ...row, after_value: 0 } : row))
    const lie = await lying({ signals: changed }, () => ledger())
    assert.strictEqual(lie.exit, 1)
    assert.match(lie.text, /FAILED\s+hashes: row 40: the content hashes to /)
    const without = signals.filter(({ n }) => n !== 500)
    assert.match(
      (await lying({ signals: without }, () => ledger())).text,
      /FAILED\s+links: row 501 follows row 499/
    )
    const older = signals.slice(10)
    assert.strictEqual((await lying({ signals: older }, () => ledger("--key", kid))).exit, 0)
    const result = await lying({ signals: older }, () => ledger("--head", signals[0]?.hash ?? ""))
    assert.match(result.text, /FAILED\s+head given: .*rolled back/)
    assert.strictEqual(result.exit, 1)
    const rest = signals.filter(({ n }) => n > 100)
    assert.match((await lying({ signals: rest }, () => ledger())).text, /FAILED\s+beginning/)
  })

  it("reads the whole log for the rows that it names, and believes no part of it", async () => {
    const verifyLie = async (lie: Partial<typeof published>) =>
      lying({ ...logged(longLog), ...lie }, () => ledger("--key", kid))
    // A ledger made anew from row 700 on, every hash and link of it as it should be.
    const anew = signals.slice(-700)
    for (let n = 701; n <= 1203; n++) {
      const { hash: _, ...row } = signals[1203 - n] ?? assert.fail("no such row")
      const next = { ...row, after_value: 0, prev_hash: anew[0]?.hash ?? genesis }
      anew.unshift({ ...next, hash: signalHash(signalText(next)) })
    }
    const rewritten = await verifyLie({ signals: anew })
    assert.strictEqual(rewritten.exit, 1)
    assert.match(rewritten.text, /FAILED\s+rows in the log: the log recorded row 800 /)
    assert.notMatch(rewritten.text, /FAILED\s+(hashes|links|end)/)
    assert.match(
      (await verifyLie({ signals: signals.slice(4) })).text,
      /FAILED\s+rows in the log: the log recorded row 1200 /
    )

    const hidden = longLog.map((entry, place) => (place === 6 ? entryOf(anew[403]) : entry))
    const forged = await verifyLie({ signals: anew, entries: hidden })
    assert.match(forged.text, /FAILED\s+log: entries: .*do not match the checkpoint/)
    assert.match((await verifyLie({ entries: longLog.slice(1) })).text, /FAILED\s+log: entries/)
    const stranger = checkpointOf(logOf(longLog), new Uint8Array(32).fill(9))
    assert.match((await verifyLie({ checkpoint: stranger })).text, /FAILED\s+log: checkpoint/)

    const none = await verifyLie({ checkpoint: undefined })
    assert.strictEqual(none.exit, 0)
    assert.match(none.text, /not checked\s+log: the service has no log yet/)
    assert.match((await ledger()).text, /not checked\s+rows in the log: no log entry names a row yet/)
  })

  it("checks a saved answer offline, and what is missing in it", async () => {
    const whole = page(signals.slice(-20), new URLSearchParams("limit=500"))
    const saved = file("signals.json", JSON.stringify(whole))
    const { exit, text } = await run(["signals", saved])
    assert.strictEqual(exit, 2, text)
    assert.match(text, /not proved\s+operator's ledger: rows carry no signature/)
    const headArgs = ["--head", signals.at(-7)?.hash ?? ""]
    assert.strictEqual((await run(["signals", saved, ...headArgs])).exit, 0)
    const cut = file("cut.json", JSON.stringify({ ...whole, signals: whole.signals.slice(5) }))
    assert.match((await run(["signals", cut])).text, /FAILED\s+end: the rows end at 15/)
    const turned = file("turned.json", JSON.stringify({ ...whole, signals: whole.signals.toReversed() }))
    assert.strictEqual((await run(["signals", turned, ...headArgs])).exit, 0)
    const [first, second, ...others] = whole.signals
    const swapped = file("swapped.json", JSON.stringify({ ...whole, signals: [second, first, ...others] }))
    assert.match((await run(["signals", swapped])).text, /FAILED\s+links/)
    assert.match(
      (await run(["signals", file("none.json", "{}")])).text,
      /FAILED\s+the document has no `signals`/
    )
  })
})

describe("verify timestamp", () => {
  const ots = () => file("checkpoint.ots", fromBase64(bundle.anchor.ots ?? ""))
  const original = () => file("checkpoint", bundle.log.checkpoint)

  it("holds with a header given", async () => {
    const header = file("header.hex", `${bundle.anchor.header?.hex}\n`)
    const args = [ots(), "--file", original(), "--header", `200=${header}`, ...fixture]
    const { exit, text } = await run(["timestamp", ...args])
    assert.strictEqual(exit, 0, text)
    assert.strictEqual((await run(["timestamp", ...args.slice(0, -2)])).exit, 2)
    const wrong = await run(["timestamp", ots(), "--file", header, "--header", `200=${header}`, ...fixture])
    assert.match(wrong.text, /FAILED\s+file/)
    assert.strictEqual(wrong.exit, 1)
  })

  it("asks block explorers otherwise, and believes none that lies", async () => {
    const ask = (urls: string) =>
      run(["timestamp", ots(), "--file", original(), ...fixture], { ESPLORA_URL: urls })
    const good = await ask(`${base}/esplora/,${base}/twin/esplora`)
    assert.strictEqual(good.exit, 0, good.text)
    assert.match(good.text, /: block 200 is /)
    const liar = await ask(`${base}/liar`)
    assert.strictEqual(liar.exit, 2)
    assert.match(liar.text, /a header that does not hash to/)
    assert.strictEqual((await ask(`${base}/nowhere`)).exit, 2)
    assert.match((await ask(`${base}/liar,${base}/esplora`)).text, /only one block explorer answered/)
  })

  it("of a promise is pending, of a broken file failed", async () => {
    const corpus = new URL("../../fixtures/ots/", import.meta.url).pathname
    assert.strictEqual((await run(["timestamp", `${corpus}pending.ots`])).exit, 2)
    assert.strictEqual((await run(["timestamp", `${corpus}bad-truncated.ots`])).exit, 1)
    assert.strictEqual((await run(["timestamp", `${corpus}pending.ots`, "--file", original()])).exit, 1)
    const { headers }: { readonly headers: Record<string, string> } = JSON.parse(
      readFileSync(`${corpus}index.json`, "utf8")
    )
    assert.strictEqual(fromHex(headers["144"] ?? "").length, 80)
    const wrong = file("144.hex", headers["145"] ?? "")
    assert.strictEqual(
      (await run(["timestamp", `${corpus}valid.ots`, "--header", `144=${wrong}`, ...fixture])).exit,
      1
    )
  })
})

describe("the command line", () => {
  it("explains itself, and refuses what it does not know", async () => {
    assert.strictEqual((await run(["--help"])).exit, 0)
    for (const args of [
      [],
      ["nothing"],
      ["constructor"],
      ["bundle"],
      ["bundle", "a", "b"],
      ["bundle", join(folder, "missing")],
      ["bundle", "--nope"],
      ["timestamp", "x", "--header", "200"],
      ["log", "--from", "x"],
      ["response", "ftp://x"],
      ["bundle", "x", "--quorum", "1"],
      ["bundle", "x", "--policy", join(folder, "missing")]
    ]) {
      const { exit, text } = await run(args)
      assert.strictEqual(exit, 2, args.join(" "))
      assert.notStrictEqual(text, "")
    }
  })
})

describe("the program", () => {
  it.each(["runtime/bin.ts", "http/client/verifier/src/cli.ts"])("%s exits 0, 1 and 2", (program) => {
    const top = new URL("../..", import.meta.url).pathname
    const exit = (...args: ReadonlyArray<string>) => {
      const done = spawnSync(process.execPath, [program, "verify", "timestamp", ...args], { cwd: top })
      return done.status
    }
    const stamp = ["fixtures/vectors/checkpoint.ots", "--file", "fixtures/vectors/checkpoint", ...fixture]
    assert.strictEqual(exit(...stamp, "--header", "200=fixtures/vectors/header-200.hex"), 0)
    assert.strictEqual(exit("fixtures/ots/bad-magic.ots"), 1)
    assert.strictEqual(exit("fixtures/ots/pending.ots"), 2)
  })
})
