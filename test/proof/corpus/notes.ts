/** Signed notes, keys and signatures. */
import type { Bundle } from "../../../core/proof/bundle.ts"
import { concat, fromBase64, toBase64, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { keyId, noteText, parseNote, signatureLine, verifierOf } from "../../../core/proof/checkpoint.ts"
import { cosignatureLine, cosignatureMessage, cosignerOf } from "../../../core/proof/cosignature.ts"
import { keyDocument, thumbprint } from "../../../core/proof/keys.ts"
import { noQuorum, quorumOf } from "../../../core/proof/policy.ts"
import { publicKeyOf, signEd25519 } from "../../support/ed25519.ts"
import {
  batches,
  bothPurposes,
  bundleOf,
  checkpointOf,
  keys,
  logOf,
  origin,
  secret
} from "../../support/publication.ts"
import { change, type Forgery, group, now, trueInput, type VerifierInput, verifyTold } from "./table.ts"

const stranger = new Uint8Array(32).fill(99)
const good = bundleOf(3, 2).log.checkpoint
const { text: signedText } = parseNote(good)
const checkpoint = (how: (note: string) => string) =>
  change((bundle) => ({ ...bundle, log: { ...bundle.log, checkpoint: how(bundle.log.checkpoint) } }))
/** The operator signs this text with his key. */
const resigned = (text: string) => () =>
  noteText(text, [signatureLine(verifierOf(origin, publicKeyOf(secret)), signEd25519(utf8(text), secret))])
const signature = (how: (bytes: Uint8Array) => Uint8Array) => (note: string) =>
  note.replace(/[^ \n]+\n$/, (encoded) => `${toBase64(how(fromBase64(encoded.trim())))}\n`)

/** S and S + L are the same number modulo the order of the group. */
const order = 2n ** 252n + 27742317777372353535851937790883648493n
const plusOrder = (bytes: Uint8Array): Uint8Array => {
  let s = order
  for (let at = 0; at < 32; at++) s += BigInt(bytes[36 + at] ?? 0) << BigInt(8 * at)
  return Uint8Array.from(bytes, (byte, at) => (at < 36 ? byte : Number((s >> BigInt(8 * (at - 36))) & 255n)))
}
const line = (name: string, id: Uint8Array, bytes: Uint8Array) =>
  `\u2014 ${name} ${toBase64(concat(id, bytes))}\n`
const id = keyId(origin, publicKeyOf(secret))
const [size, root] = [signedText.split("\n")[1] ?? "", signedText.split("\n")[2] ?? ""]

const noteTable: ReadonlyArray<readonly [name: string, foundBy: string, how: (note: string) => string]> = [
  ["a time that nobody can audit", "checkpoint form", resigned(`${signedText}time 2026-09-05T08:00:00Z\n`)],
  ["a time of the year 2099", "checkpoint form", resigned(`${signedText}time 2099-01-01T00:00:00Z\n`)],
  ["a time on 30 February", "checkpoint form", resigned(`${signedText}time 2026-02-30T00:00:00Z\n`)],
  ["two lines", "checkpoint form", resigned(`${origin}\n${size}\n`)],
  ["an empty line within", "checkpoint form", resigned(`${origin}\n\n${size}\n${root}\n`)],
  ["the size with a zero in front", "checkpoint form", resigned(`${origin}\n0${size}\n${root}\n`)],
  ["the size with a plus", "checkpoint form", resigned(`${origin}\n+${size}\n${root}\n`)],
  ["the size with an exponent", "checkpoint form", resigned(`${origin}\n${size}e0\n${root}\n`)],
  ["the size with a fraction", "checkpoint form", resigned(`${origin}\n${size}.0\n${root}\n`)],
  ["the size in hexadecimal", "checkpoint form", resigned(`${origin}\n0x${size}\n${root}\n`)],
  ["the size in other digits", "checkpoint form", resigned(`${origin}\n\u0664\n${root}\n`)],
  ["a size beyond the integers", "checkpoint form", resigned(`${origin}\n9007199254740993\n${root}\n`)],
  ["a size below zero", "checkpoint form", resigned(`${origin}\n-4\n${root}\n`)],
  ["a space after the size", "checkpoint form", resigned(`${origin}\n${size} \n${root}\n`)],
  [
    "the root without padding",
    "checkpoint form",
    resigned(`${origin}\n${size}\n${root.replace(/=+$/, "")}\n`)
  ],
  [
    "the root in hexadecimal",
    "checkpoint form",
    resigned(`${origin}\n${size}\n${toHex(fromBase64(root))}\n`)
  ],
  [
    "a root of 33 bytes",
    "checkpoint form",
    resigned(`${origin}\n${size}\n${toBase64(new Uint8Array(33))}\n`)
  ],
  [
    "the root with leftover bits",
    "checkpoint form",
    resigned(
      `${origin}\n${size}\n${root.slice(0, -2)}${String.fromCharCode((root.codePointAt(42) ?? 65) + 1)}=\n`
    )
  ],
  ["line ends of another system", "checkpoint form", (note) => note.replaceAll("\n", "\r\n")],
  ["a byte order mark", "checkpoint signature", (note) => `\ufeff${note}`],
  ["a NUL", "checkpoint form", (note) => note.replace("\n4\n", "\n4\0\n")],
  ["no signature", "checkpoint form", () => signedText],
  ["no empty line", "checkpoint form", () => signedText.trimEnd()],
  ["text after the signatures", "checkpoint form", (note) => `${note}more\n`],
  ["no line break at its end", "checkpoint form", (note) => note.trimEnd()],
  ["a hyphen for the dash", "checkpoint form", (note) => note.replace("\u2014", "-")],
  ["two spaces in a signature", "checkpoint form", (note) => note.replace("\u2014 ", "\u2014  ")],
  ["101 signatures", "checkpoint form", (note) => note + line("other", id, new Uint8Array(64)).repeat(100)],
  ["a signature without its padding", "checkpoint form", (note) => note.replace(/=+\n$/, "\n")],
  ["a signature with a line break", "checkpoint form", (note) => note.replace(/(.{20})\n$/, "\n$1\n")],
  ["another size", "checkpoint signature", (note) => note.replace("\n4\n", "\n5\n")],
  ["another log", "checkpoint signature", resigned(`log.example/other\n${size}\n${root}\n`)],
  [
    "the log's name in upper case",
    "checkpoint signature",
    resigned(`${origin.toUpperCase()}\n${size}\n${root}\n`)
  ],
  [
    "a signature of one bit less",
    "checkpoint signature",
    signature((bytes) => bytes.with(20, (bytes[20] ?? 0) ^ 1))
  ],
  [
    "a signature of zeros",
    "checkpoint signature",
    signature((bytes) => concat(bytes.slice(0, 4), new Uint8Array(64)))
  ],
  ["a signature with S + L", "checkpoint signature", signature(plusOrder)],
  ["a signature of 63 bytes", "checkpoint signature", signature((bytes) => bytes.slice(0, -1))],
  ["a signature of 65 bytes", "checkpoint signature", signature((bytes) => concat(bytes, Uint8Array.of(0)))],
  [
    "a signature under another key's id",
    "checkpoint signature",
    signature((bytes) => bytes.with(0, (bytes[0] ?? 0) ^ 1))
  ],
  [
    "a signature under another name",
    "checkpoint signature",
    (note) => note.replace(`\u2014 ${origin}`, "\u2014 log.example/other")
  ],
  [
    "a stranger's signature under our key's id",
    "checkpoint signature",
    () => noteText(signedText, [line(origin, id, signEd25519(utf8(signedText), stranger))])
  ],
  [
    "a stranger's signature alone",
    "checkpoint signature",
    () => checkpointOf(logOf(batches.slice(0, 4).map(({ entry }) => entry)), stranger)
  ],
  [
    "a good and a broken signature of one key",
    "checkpoint signature",
    (note) => note + line(origin, id, new Uint8Array(64))
  ]
]

export const notes = group(
  "a bundle's checkpoint",
  () => trueInput(),
  verifyTold,
  noteTable.map(([name, foundBy, how]): Forgery<VerifierInput> => ({ name, foundBy, forge: checkpoint(how) }))
)

const forged = keyDocument({ origin, keys: bothPurposes(stranger, "2026-08-01T00:00:00Z", null), now })
type Members = Record<string, unknown>
/** Changes the key document; `log` is the member of the key that signs the log. */
const document = (how: (document: Members, log: Members) => unknown) =>
  change((bundle): Bundle => {
    const copy: Members & { keys: Array<Members> } = JSON.parse(JSON.stringify(keys))
    const log = copy.keys.find(({ purpose, status }) => purpose === "log" && status === "current") ?? {}
    return { ...bundle, keys: how(copy, log) ?? copy }
  })
const set = (members: Members | ((log: Members) => Members)) =>
  document((_, log) => void Object.assign(log, typeof members === "function" ? members(log) : members))
const unstamped = change((bundle) => ({
  ...bundle,
  anchor: { network: "bitcoin-regtest-fixture", status: "none" }
}))
const period = (from: string, to: string | null) =>
  change((bundle) => ({
    ...bundle,
    keys: keyDocument({ origin, keys: bothPurposes(secret, from, to), now })
  }))

const small = `01${"00".repeat(31)}`
export const keyDocuments = group("a bundle's key document", () => trueInput(), verifyTold, [
  {
    name: "the forger's own, with his signature",
    foundBy: "operator's key",
    forge: change((bundle) => ({
      ...bundle,
      keys: forged,
      log: {
        ...bundle.log,
        checkpoint: checkpointOf(logOf(batches.slice(0, 4).map(({ entry }) => entry)), stranger)
      },
      anchor: { network: "bitcoin-regtest-fixture", status: "none" }
    }))
  },
  {
    name: "nobody vouches for it",
    foundBy: "operator's key",
    notProved: true,
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, pins: [] } })
  },
  {
    name: "vouched for by another's key",
    foundBy: "operator's key",
    forge: ({ bundle, options }) => ({
      bundle,
      options: { ...options, pins: [thumbprint(publicKeyOf(stranger))] }
    })
  },
  { name: "empty", foundBy: "checkpoint signature", forge: document(() => ({})) },
  { name: "a list", foundBy: "checkpoint signature", forge: document((it) => [it]) },
  { name: "without keys", foundBy: "checkpoint signature", forge: document((it) => ({ ...it, keys: [] })) },
  {
    name: "without the log's key",
    foundBy: "checkpoint signature",
    forge: document((it) => ({ ...it, keys: [forged.keys[1]] }))
  },
  {
    name: "of another log",
    foundBy: "checkpoint signature",
    forge: document((it) => ({ ...it, checkpoint_origin: "log.example/other" }))
  },
  {
    name: "without an origin",
    foundBy: "checkpoint signature",
    forge: document(({ checkpoint_origin: _, ...rest }) => rest)
  },
  {
    name: "without rotations",
    foundBy: "checkpoint signature",
    forge: document(({ rotations: _, ...rest }) => rest)
  },
  {
    name: "without its promise",
    foundBy: "checkpoint signature",
    forge: document(({ promise: _, ...rest }) => rest)
  },
  {
    name: "with half an hour in its promise",
    foundBy: "checkpoint signature",
    forge: document((it) => ({ ...it, promise: { batch_within_hours: 8.5 } }))
  },
  {
    name: "with one key twice",
    foundBy: "checkpoint signature",
    forge: document((it, log) => ({ ...it, keys: [log, log] }))
  },
  {
    name: "with another kid",
    foundBy: "checkpoint signature",
    forge: set({ kid: thumbprint(publicKeyOf(stranger)) })
  },
  { name: "with another x", foundBy: "checkpoint signature", forge: set({ x: forged.keys[0]?.x }) },
  {
    name: "with another hex key",
    foundBy: "checkpoint signature",
    forge: set({ public_key_hex: forged.keys[0]?.public_key_hex })
  },
  {
    name: "with the hex key in upper case",
    foundBy: "checkpoint signature",
    forge: set((log) => ({ public_key_hex: String(log.public_key_hex).toUpperCase() }))
  },
  {
    name: "with padding on x",
    foundBy: "checkpoint signature",
    forge: set((log) => ({ x: `${log.x}=` }))
  },
  {
    name: "with another verifier key",
    foundBy: "checkpoint signature",
    forge: set({ vkey: forged.keys.find(({ purpose }) => purpose === "log")?.vkey })
  },
  {
    name: "without the verifier key",
    foundBy: "checkpoint signature",
    forge: set(() => ({ vkey: undefined }))
  },
  {
    name: "with a key of small order",
    foundBy: "checkpoint signature",
    forge: set({ public_key_hex: small, x: "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })
  },
  { name: "with a key of another curve", foundBy: "checkpoint signature", forge: set({ crv: "Ed448" }) },
  {
    name: "with the log's key said to sign answers",
    foundBy: "checkpoint signature",
    forge: set({ purpose: "answers" })
  },
  { name: "with a purpose of its own", foundBy: "checkpoint signature", forge: set({ purpose: "both" }) },
  { name: "retired without an end", foundBy: "checkpoint signature", forge: set({ status: "retired" }) },
  {
    name: "in use from 30 February",
    foundBy: "checkpoint signature",
    forge: set({ not_before: "2026-02-30T00:00:00Z" })
  },
  {
    name: "in use from a time with an offset",
    foundBy: "checkpoint signature",
    forge: set({ not_before: "2026-08-20T00:00:00+00:00" })
  },
  { name: "in use only after the block", foundBy: "key in use", forge: period("2026-09-05T11:00:01Z", null) },
  {
    name: "ended before the block",
    foundBy: "key in use",
    notProved: true,
    forge: period("2026-08-20T00:00:00Z", "2026-09-05T08:59:59Z")
  },
  {
    name: "announced, said to be current, where nothing dates the head",
    foundBy: "key in use",
    says: /announced/,
    forge: (it) => unstamped(period("2026-10-05T11:00:01Z", null)(it))
  },
  {
    name: "ended before it began",
    foundBy: "checkpoint signature",
    forge: period("2026-08-20T00:00:00Z", "2026-08-19T00:00:00Z")
  }
])

const witnessSecret = new Uint8Array(32).fill(21)
const witness = cosignerOf("witness.example", publicKeyOf(witnessSecret))
const seconds = Date.parse("2026-09-05T08:30:00Z") / 1000
const cosigned = (text: string, time = seconds, by = witnessSecret, statedTime = time) =>
  cosignatureLine(witness, statedTime, signEd25519(cosignatureMessage(text, time), by)).slice(0, -1)
const lines = (...all: ReadonlyArray<string>) =>
  change((bundle) => ({ ...bundle, log: { ...bundle.log, cosignatures: all } }))
const whole = cosigned(signedText)
const witnessed = (): VerifierInput => {
  const { bundle, options } = trueInput()
  return {
    bundle: { ...bundle, log: { ...bundle.log, cosignatures: [whole] } },
    options: { ...options, witnesses: [witness], quorum: quorumOf([witness], 1) }
  }
}

export const cosignatures = group("a bundle's cosignatures", witnessed, verifyTold, [
  { name: "none", foundBy: "witnesses", notProved: true, forge: lines() },
  {
    name: "on another checkpoint",
    foundBy: "witnesses",
    forge: lines(cosigned("log.example/plumbline\n3\n\n"))
  },
  {
    name: "of a stranger under the witness's name",
    foundBy: "witnesses",
    forge: lines(cosigned(signedText, seconds, stranger))
  },
  {
    name: "with another time than the one signed",
    foundBy: "witnesses",
    forge: lines(cosigned(signedText, seconds, witnessSecret, seconds - 3600))
  },
  {
    name: "from before the batch was closed",
    foundBy: "witnesses",
    says: /before the batch/,
    forge: lines(cosigned(signedText, Date.parse("2026-09-05T07:00:00Z") / 1000))
  },
  {
    name: "from before the day of the batch began",
    foundBy: "witnesses",
    forge: lines(cosigned(signedText, Date.parse("2026-09-03T07:00:00Z") / 1000))
  },
  {
    name: "of the year 2100",
    foundBy: "witnesses",
    says: /not come yet/,
    forge: lines(cosigned(signedText, Date.parse("2100-01-01T00:00:00Z") / 1000))
  },
  {
    name: "one good and one broken",
    foundBy: "witnesses",
    forge: lines(whole, cosigned(signedText, seconds, stranger))
  },
  {
    name: "of 71 bytes",
    foundBy: "witnesses",
    forge: lines(line(witness.name, witness.keyId, new Uint8Array(67)).trimEnd())
  },
  {
    name: "of a time beyond the integers",
    foundBy: "witnesses",
    forge: lines(line(witness.name, witness.keyId, new Uint8Array(72).fill(255)).trimEnd())
  },
  {
    name: "under an unknown name",
    foundBy: "witnesses",
    notProved: true,
    forge: lines(whole.replace("witness.example", "other.example"))
  },
  { name: "with its line break", foundBy: "witnesses", forge: lines(`${whole}\n`) },
  { name: "with a carriage return", foundBy: "witnesses", forge: lines(`${whole}\r`) },
  { name: "without the dash", foundBy: "witnesses", forge: lines(whole.slice(2)) },
  {
    name: "the log's own signature",
    foundBy: "witnesses",
    notProved: true,
    forge: lines(good.trimEnd().split("\n").at(-1) ?? "")
  },
  {
    name: "one twice, where two witnesses are asked for",
    foundBy: "witnesses",
    notProved: true,
    forge: ({ bundle, options }) => ({
      bundle: { ...bundle, log: { ...bundle.log, cosignatures: [whole, whole] } },
      options: { ...options, quorum: { least: 2, members: [{ witness }, noQuorum].slice(0, 1) } }
    })
  }
])
