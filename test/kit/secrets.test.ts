/** What `plugin check` refuses to see committed: secrets in any file, what tells of persons, and very large cases. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { check } from "../../runtime/contributor/check/check.ts"
import { isKeyName, personalFindings, secretFindings } from "../../runtime/contributor/check/secrets.ts"
import { sizeFindings } from "../../runtime/contributor/check/sizes.ts"
import { contributor } from "../support/contributor.ts"

const letters = (count: number): string => "Ab1".repeat(count).slice(0, count)

// In parts, so that no scanner of secrets takes this file for one.
const secrets = [
  ["AKIA", "IOSFODNN7EXAMPLE"],
  ["ghp_", letters(36)],
  ["gho_", letters(36)],
  ["github_pat_", letters(60)],
  ["sk_live_", letters(24)],
  ["xoxb-", "123456789012-abcdefghij"],
  ["eyJ", "hbGciOiJIUzI1NiJ9.", "eyJ", "zdWIiOiIxMjM0In0.", letters(43)],
  ["-----BEGIN ", "PRIVATE KEY-----"],
  ["-----BEGIN EC ", "PRIVATE KEY-----"]
].map((parts) => parts.join(""))

describe("a secret", () => {
  it.each(secrets)("like %s is refused, and not repeated", (secret) => {
    const [finding, ...more] = secretFindings("source", "index.ts", `// one\nconst a = "${secret}"\n`)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(finding?.level, "wrong")
    assert.include(finding?.says, "line 2")
    assert.notInclude(finding?.says, secret)
  })

  it("is not a hash, an address or a word", () => {
    const text = `${"a1".repeat(32)} 0x${"Ab".repeat(20)} task_live_1 AKIA ghp_short eyJ.eyJ.x -----BEGIN PUBLIC KEY-----`
    assert.deepStrictEqual(secretFindings("source", "index.ts", text), [])
  })

  it.effect("is looked for in every file of the plugin and of its cases", () =>
    Effect.gen(function* () {
      const { fixtures, plugins } = yield* contributor
      mkdirSync(new URL("leaky/more/", plugins), { recursive: true })
      mkdirSync(join(fixtures, "leaky"))
      const [aws = "", github = "", oauth = ""] = secrets
      writeFileSync(new URL("leaky/more/helper.ts", plugins), `export const a = 1 // ${aws}\n`)
      writeFileSync(new URL("leaky/README.md", plugins), `curl -H 'token: ${github}'\n`)
      writeFileSync(join(fixtures, "leaky/ok.1.txt"), `x=${oauth}\n`)
      const findings = yield* check("leaky", { plugins, fixtures })
      assert.includeMembers(
        findings.map(({ says, where }) => `${where}: ${says.split(",")[0]}`),
        [
          "source: more/helper.ts contains a key of AWS",
          "README: README.md contains a token of GitHub",
          "fixtures/ok: ok.1.txt contains a token of GitHub"
        ]
      )
    })
  )

  it.each([
    "apikey",
    "apikey2",
    "api_key",
    "X-API-Key",
    "auth",
    "Authorization",
    "sig",
    "token",
    "access-token",
    "client_secret",
    "appid",
    "password"
  ])("may be the value of %s", (name) => assert.isTrue(isKeyName(name)))

  it.each([
    "keyword",
    "tokens_of",
    "author",
    "design",
    "page",
    "monkey",
    "id",
    "signal",
    "publickeys",
    "keys",
    "tokens",
    "keys",
    "tokens"
  ])("is not the value of %s", (name) => assert.isFalse(isKeyName(name)))
})

describe("what tells of persons", () => {
  const says = (text: string) =>
    personalFindings("fixtures/ok", "ok.json", text).map((finding) => `${finding.level} ${finding.says}`)
  it("is noted: e-mail addresses, and IP addresses of the public", () => {
    assert.deepStrictEqual(
      says('{"mail":"jo.doe@mail.acme.io","ip":"84.23.11.9:4001","more":"84.23.11.10"}'),
      [
        "note ok.json contains the e-mail address jo.doe@mail.acme.io",
        "note ok.json contains 2 public IP addresses, such as 84.23.11.9"
      ]
    )
    assert.deepStrictEqual(says('"/ip6/2a01:4f8:c0c:1::1/tcp/1"'), [
      "note ok.json contains the public IP address 2a01:4f8:c0c:1::1"
    ])
  })
  it("is not a private address, one of documentation, a version, a file or the key of a node", () => {
    const text = `10.1.2.3 127.0.0.1 192.168.1.1 172.20.0.1 100.64.0.1 192.0.2.7 203.0.113.5 224.0.0.1 300.1.1.1 1.2.3.4.5
      v1.2.3.4 2001:db8::1 user@a.example logo@2x.png ${letters(50)}@eu1.acme.io 2026-11-01T10:20:30Z`
    assert.deepStrictEqual(says(text), [])
  })
})

describe("a case", () => {
  const file = (name: string, kib: number) => ({ name, text: "x".repeat(kib * 1024) })
  const levels = (id: string, ...files: ReadonlyArray<ReturnType<typeof file>>) =>
    sizeFindings(id, files).map(({ level, where }) => `${level} ${where}`)
  it("above 256 KiB is noted and above 1 MiB refused, with the files of its bodies", () => {
    assert.deepStrictEqual(
      levels("acme", file("ok.json", 256), file("ok.tape.json", 2000), file("refused.json", 257)),
      ["note fixtures/refused"]
    )
    assert.deepStrictEqual(levels("acme", file("ok.json", 100), file("ok.1.json", 924)), ["note fixtures/ok"])
    assert.deepStrictEqual(levels("acme", file("ok.json", 100), file("ok.1.json", 925)), [
      "wrong fixtures/ok"
    ])
    assert.include(sizeFindings("acme", [file("ok.json", 2000)])[0]?.next, "--targets")
  })
  it("of those that were here before is let through", () => {
    assert.deepStrictEqual(levels("coingecko", file("ok.json", 2000)), ["note fixtures/ok"])
  })
})
