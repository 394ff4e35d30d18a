/** Spellings: the same bundle, key document or log document in another text; answers, ledgers and rotations. */
import { readFileSync } from "node:fs"
import { parseBundle } from "../../../core/proof/bundle.ts"
import { utf8 } from "../../../core/proof/bytes.ts"
import { isRecord } from "../../../core/proof/canonical.ts"
import { type Check, check } from "../../../core/proof/check.ts"
import { parseFeeds } from "../../../core/proof/feeds.ts"
import { parseIncidents } from "../../../core/proof/incidents.ts"
import { parseJson } from "../../../core/proof/json.ts"
import { parseRevisions } from "../../../core/proof/revisions.ts"
import { verifyBundle } from "../../../core/proof/verifyBundle.ts"
import { verifyResponse } from "../../../core/proof/verifyResponse.ts"
import { bundleOf } from "../../support/publication.ts"
import { type Forgery, group, network, now, pins } from "./table.ts"

const good = JSON.stringify(bundleOf(3, 2))
const verifyText = (text: string): ReadonlyArray<Check> =>
  verifyBundle(parseBundle(text), { network, pins, now }).checks
const put = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to)
/** Inside the text of the leaf, which is a string of the bundle. */
const inner = (from: string, to: string) =>
  put(JSON.stringify(from).slice(1, -1), JSON.stringify(to).slice(1, -1))

const spellings: ReadonlyArray<readonly [name: string, foundBy: string, forge: (text: string) => string]> = [
  ["a byte order mark", "read", (text) => `\ufeff${text}`],
  ["a NUL after it", "read", (text) => `${text}\0`],
  ["a second bundle after it", "read", (text) => text + text],
  ["a comment", "read", (text) => `/* true */${text}`],
  ["a comma after the last member", "read", put(/\}$/, ",}")],
  ["in a list", "read", (text) => `[${text}]`],
  ["as a text", "read", (text) => JSON.stringify(text)],
  ["cut off", "read", (text) => text.slice(0, -1)],
  ["a row twice, the false one last", "read", put(/\}$/, ',"row":{"value":42}}')],
  ["a row twice, the false one first", "read", put("{", '{"row":{"value":42},')],
  ["a row twice, one with an escaped name", "read", put("{", '{"\\u0072ow":{"value":42},')],
  ["a value twice in the row", "read", put('"value":41.5', '"value":42,"value":41.5')],
  ["a value twice in the row, one escaped", "read", put('"value":41.5', '"value":42,"v\\u0061lue":41.5')],
  ["an index twice", "read", put('"index":2', '"index":2,"index":3')],
  ["keys twice", "read", put(/\}$/, ',"keys":{}}')],
  ["a kid twice", "read", put('"kid":', '"kid":"x","kid":')],
  ["a member of its own", "read", put(/\}$/, ',"note":"x"}')],
  ["a prototype", "read", put(/\}$/, ',"__proto__":{}}')],
  ["an index of 2.0", "read", put('"index":2', '"index":2.0')],
  ["an index of 2e0", "read", put('"index":2', '"index":2e0')],
  ["an index of 02", "read", put('"index":2', '"index":02')],
  ["an index of +2", "read", put('"index":2', '"index":+2')],
  ["an index of -0", "read", put('"index":2', '"index":-0')],
  ["an index of 0x2", "read", put('"index":2', '"index":0x2')],
  ["an index as a text", "read", put('"index":2', '"index":"2"')],
  ["an index beyond the integers", "read", put('"index":2', '"index":9007199254740993')],
  ["a size of 7.0", "read", put('"size":7', '"size":7.0')],
  ["a height of 2e2", "read", put('"height":200', '"height":2e2')],
  ["a value of 41.50", "read", put('"value":41.5', '"value":41.50')],
  ["a value of 415e-1", "read", put('"value":41.5', '"value":415e-1')],
  ["a value of NaN", "read", put('"value":41.5', '"value":NaN')],
  ["a value of 1e999", "read", put('"value":41.5', '"value":1e999')],
  ["a lone surrogate", "read", put('"symbol":"FIL"', '"symbol":"FIL\\ud800"')],
  [
    "a thousand lists in one another",
    "read",
    put('"value":41.5', `"value":${"[".repeat(1000)}${"]".repeat(1000)}`)
  ],
  [
    "a million lists in one another",
    "read",
    put('"value":41.5', `"value":${"[".repeat(1e6)}${"]".repeat(1e6)}`)
  ],
  ["seventeen million characters", "read", (text) => text + " ".repeat(17 * 1024 * 1024)],
  ["version 1", "read", put("service-bundle-v2", "service-bundle-v1")],
  ["a leaf with white space", "leaf", inner('{"as_of"', '{ "as_of"')],
  ["a leaf with a line break after it", "leaf", inner('"version":1}', '"version":1}\n')],
  ["a leaf with a byte order mark", "leaf", put('"leaf":"', '"leaf":"\ufeff')],
  [
    "a leaf whose members are in another order",
    "leaf",
    (text) =>
      text.replace(
        JSON.stringify(bundleOf(3, 2).leaf),
        JSON.stringify(
          JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(bundleOf(3, 2).leaf)).toReversed()))
        )
      )
  ],
  ["a leaf with its value twice", "leaf", inner('"value":41.5', '"value":41.5,"value":41.5')],
  ["a leaf with an escape that needs none", "leaf", inner('"symbol":"FIL"', '"symbol":"\\u0046IL"')],
  ["a leaf with version 1.0", "leaf", inner('"version":1}', '"version":1.0}')],
  ["a leaf with version 1e0", "leaf", inner('"version":1}', '"version":1e0}')],
  ["a leaf with a value of 41.50", "leaf", inner('"value":41.5', '"value":41.50')],
  ["an entry with white space", "batch entry", inner('{"absent_sha256"', '{ "absent_sha256"')],
  ["an entry with a count twice", "batch entry", inner('"n_late":0', '"n_late":0,"n_late":0')],
  ["an entry with a count of -0", "batch entry", inner('"n_late":0', '"n_late":-0')],
  ["an entry with a count of 0.0", "batch entry", inner('"n_late":0', '"n_late":0.0')]
]
export const texts = group(
  "a bundle's text",
  () => good,
  verifyText,
  spellings.map(([name, foundBy, forge]): Forgery<string> => ({ name, foundBy, forge }))
)

const folder = new URL("../../../fixtures/vectors/", import.meta.url)
const vector = (name: string) => readFileSync(new URL(name, folder), "utf8")
const vectorKeys: unknown = parseJson(vector("keys.json"))
const kids = (purpose: string): ReadonlyArray<string> =>
  isRecord(vectorKeys) && Array.isArray(vectorKeys.keys)
    ? vectorKeys.keys.flatMap((one) => (isRecord(one) && one.purpose === purpose ? [String(one.kid)] : []))
    : []

const headerLines = vector("response.headers").split(/\r?\n/).slice(1)
const answered = {
  status: 200,
  headers: Object.fromEntries(
    headerLines.flatMap((line) => {
      const colon = line.indexOf(":")
      return colon > 0 ? [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const] : []
    })
  ) as Readonly<Record<string, string>>,
  body: vector("response.body"),
  request: { method: "GET", authority: "vectors.example", path: "/v1/supply", query: "?limit=3" }
}
type Answer = typeof answered
const header =
  (name: string, how: (text: string) => string | undefined) =>
  (answer: Answer): Answer => {
    const { [name]: old = "", ...rest } = answer.headers
    const text = how(old)
    return { ...answer, headers: text === undefined ? rest : { ...rest, [name]: text } }
  }
const request =
  (members: Partial<Answer["request"]>) =>
  (answer: Answer): Answer => ({
    ...answer,
    request: { ...answer.request, ...members }
  })
const query = "query and status (RFC 9421)"

export const answers = group(
  "a saved answer",
  () => answered,
  (answer) =>
    verifyResponse({ ...answer, body: utf8(answer.body) }, { keys: vectorKeys, pins: kids("answers"), now }),
  [
    {
      name: "another body",
      foundBy: "statement",
      forge: (it) => ({ ...it, body: it.body.replace("{", "{ ") })
    },
    {
      name: "a body with a space after it",
      foundBy: "statement",
      forge: (it) => ({ ...it, body: `${it.body} ` })
    },
    {
      name: "a body with a byte order mark",
      foundBy: "statement",
      forge: (it) => ({ ...it, body: `\ufeff${it.body}` })
    },
    { name: "no body", foundBy: "statement", forge: (it) => ({ ...it, body: "" }) },
    { name: "another path", foundBy: "statement", forge: request({ path: "/v1/history" }) },
    { name: "the path with a slash after it", foundBy: "statement", forge: request({ path: "/v1/supply/" }) },
    { name: "another query", foundBy: query, forge: request({ query: "?limit=4" }) },
    { name: "no query", foundBy: query, forge: request({ query: "?" }) },
    { name: "another host", foundBy: query, forge: request({ authority: "other.example" }) },
    { name: "another method", foundBy: query, forge: request({ method: "POST" }) },
    { name: "another status", foundBy: query, forge: (it) => ({ ...it, status: 404 }) },
    { name: "another type", foundBy: query, forge: header("content-type", () => "text/plain") },
    {
      name: "another time",
      foundBy: "statement",
      forge: header("x-service-timestamp", (text) => text.replace("2026", "2027"))
    },
    {
      name: "a time with milliseconds",
      foundBy: "statement",
      forge: header("x-service-timestamp", (text) => text.replace("Z", ".000Z"))
    },
    { name: "no time", foundBy: "statement", forge: header("x-service-timestamp", () => undefined) },
    { name: "no signature", foundBy: "statement", forge: header("x-service-signature", () => undefined) },
    {
      name: "a signature in upper case",
      foundBy: "statement",
      forge: header("x-service-signature", (text) => `ed25519:${text.slice(8).toUpperCase()}`)
    },
    {
      name: "a signature of another scheme",
      foundBy: "statement",
      forge: header("x-service-signature", (text) => text.replace("ed25519", "hmac"))
    },
    {
      name: "a signature of one bit less",
      foundBy: "statement",
      forge: header("x-service-signature", (text) => text.replace(/.$/, (one) => (one === "0" ? "1" : "0")))
    },
    {
      name: "a signature of zeros",
      foundBy: "statement",
      forge: header("x-service-signature", () => `ed25519:${"00".repeat(64)}`)
    },
    {
      name: "the signatures of RFC 9421 taken away",
      foundBy: query,
      notProved: true,
      forge: header("signature", () => undefined)
    },
    {
      name: "their parameters taken away",
      foundBy: query,
      notProved: true,
      forge: header("signature-input", () => undefined)
    },
    {
      name: "another digest",
      foundBy: query,
      forge: header("unencoded-digest", (text) => text.replace(/:./, ":_"))
    },
    { name: "no digest", foundBy: query, forge: header("unencoded-digest", () => undefined) },
    {
      name: "another key in the parameters",
      foundBy: query,
      forge: header("signature-input", (text) => text.replace(/keyid="./, 'keyid="_'))
    },
    {
      name: "another time in the parameters",
      foundBy: query,
      forge: header("signature-input", (text) => text.replace(/created=\d/, "created=9"))
    },
    {
      name: "fewer components in the parameters",
      foundBy: query,
      notProved: true,
      forge: header("signature-input", (text) => text.replace('"@status" ', ""))
    },
    { name: "a 304 in place of a 200", foundBy: "statement", forge: (it) => ({ ...it, status: 304 }) }
  ]
)

const logKid = kids("log").slice(0, 1)
export const rotations = group(
  "a bundle after a rotation",
  () => vector("bundle.rotated.json"),
  (text) =>
    verifyBundle(parseBundle(text), { network, pins: logKid, now: Date.parse("2026-11-22T00:00:00Z") })
      .checks,
  (
    [
      ["another new key in the note", /\\"new\\":\\"[^+]*\+../, '\\"new\\":\\"x+00'],
      ["another period in the note", /not_after\\":\\"2026/, 'not_after\\":\\"2027'],
      ["another log in the note", /\\"origin\\":\\"/, '\\"origin\\":\\"x'],
      ["no rotation at all", /"rotations": ?\[[\s\S]*\](?=,\s*"promise")/, '"rotations":[]'],
      ["another document in the log", /\\"subject\\":\\"/, '\\"subject\\":\\"x'],
      ["another kind of document in the log", /\\"kind\\":\\"rotation/, '\\"kind\\":\\"brief']
    ] as const
  ).map(([name, from, to]) => ({ name, foundBy: "operator's key", forge: put(from, to) }))
)

const revisions =
  '{"revisions":[{"after_value":2,"as_of":"2026-09-04T11:00:00Z","before_value":1,"id":7,"metric":"m","recorded_at":"2026-09-05T11:00:00Z","run":"r","source":"s","symbol":"FIL","version":2,"why":"restated"}],"v":"service-revisions-v2"}'
const incidents =
  '{"events":[{"at":"2026-09-05T11:00:00Z","event":"opened","from":"2026-09-04T11:00:00Z","incident":3,"kind":"automatic","metric":"m","n":1,"reason":"a jump","symbol":"FIL"}],"v":"service-incidents-v1"}'
const feeds = `{"feeds":[{"code_hash":"${"a".repeat(64)}","n":1,"plugin":"FIL","since":"2026-09-04T11:00:00Z","state":"unconfirmed"}],"v":"service-feeds-v1"}`
const read =
  (parse: (text: string) => unknown) =>
  (text: string): ReadonlyArray<Check> => [
    check("document", () => {
      parse(text)
      return `${text.length} characters`
    })
  ]
const wrong = (name: string, from: string | RegExp, to: string): Forgery<string> => ({
  name,
  foundBy: "document",
  forge: put(from, to)
})
const anyDocument = [
  wrong("a space after it", /$/, " "),
  wrong("a byte order mark", /^/, "\ufeff"),
  wrong("the demo's tag", /-v(\d)"\}$/, '-v$1-demo"}'),
  {
    ...wrong("version 9", /-v\d"\}$/, '-v9"}'),
    notProved: true as const,
    says: /made by a newer release/
  },
  wrong("a member of its own", /\}$/, ',"z":1}'),
  wrong("a NUL in a name", '"symbol":"', '"symbol":"\\u0000'),
  wrong("a name with an escape that needs none", '"FIL"', '"\\u0046IL"'),
  wrong("an empty list", /\[.*\]/, "[]"),
  wrong("a time on 30 February", "2026-09-04", "2026-02-30"),
  wrong("a name that is empty", '"FIL"', '""')
]
export const revisionDocuments = group("a document of revisions", () => revisions, read(parseRevisions), [
  ...anyDocument,
  wrong("an id of 0", '"id":7', '"id":0'),
  wrong("an id of 7.0", '"id":7', '"id":7.0'),
  wrong("an exact text of another number", '"after_value":2', '"after_text":"3","after_value":2'),
  wrong("one revision twice", /\[(.*)\]/, "[$1,$1]"),
  wrong("version 1, which revises nothing", '"version":2', '"version":1')
])
export const incidentDocuments = group("a document of incidents", () => incidents, read(parseIncidents), [
  ...anyDocument,
  wrong("an event twice", /\[(.*)\]/, "[$1,$1]"),
  wrong("an event of no known kind", '"opened"', '"reopened"'),
  wrong("closed without an end", '"opened"', '"closed"'),
  wrong("an end before its beginning", '"symbol":"FIL"', '"symbol":"FIL","to":"2026-09-03T11:00:00Z"'),
  wrong("a number of no event", '"n":1', '"n":0')
])
export const feedDocuments = group("a document of feeds", () => feeds, read(parseFeeds), [
  ...anyDocument.filter(({ name }) => name !== "a NUL in a name"),
  wrong("a change twice", /\[(.*)\]/, "[$1,$1]"),
  wrong("a state that is none", '"unconfirmed"', '"doubted"'),
  wrong("a confirmation without what it rests on", '"unconfirmed"', '"confirmed"'),
  wrong("a hash that is none", '"code_hash":"a', '"code_hash":"A'),
  wrong("a number of no change", '"n":1', '"n":0')
])
