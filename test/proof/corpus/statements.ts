/** Events as streams, lists and webhooks carry them; who is paid, and receipts. */
import { utf8 } from "../../../core/proof/bytes.ts"
import { eventText, type SignedEvent, servedEvent } from "../../../core/proof/event.ts"
import { signJws } from "../../../core/proof/jws.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { type Payee, signPayee } from "../../../core/proof/payee.ts"
import type { ReceiptPayload } from "../../../core/proof/receipt.ts"
import { signatureHeader } from "../../../core/proof/statement.ts"
import { verifyPayee, verifyReceipt } from "../../../core/proof/verifyReceipt.ts"
import { eventsIn, verifyEvents } from "../../../http/client/verifier/src/verifyEvents.ts"
import { publicKeyOf, signEd25519 } from "../../support/ed25519.ts"
import { keys, secret } from "../../support/publication.ts"
import { group, now, pins } from "./table.ts"

const kid = thumbprint(publicKeyOf(secret))
const sign = (message: Uint8Array) => signEd25519(message, secret)

const eventOf = (id: number, value: number, more: Partial<SignedEvent> = {}): string => {
  const event: SignedEvent = {
    v: "service-event-v1",
    id,
    kind: "values",
    at: "2026-09-05T09:00:00Z",
    signed_at: "2026-09-05T09:00:00Z",
    symbol: "FIL",
    data: { rows: [value] },
    ...more
  }
  const text = eventText(event)
  return servedEvent(text, { kid, signature: signatureHeader(sign(utf8(text))) })
}
const [first, second] = [eventOf(5, 41.5), eventOf(6, 42)]
const forged = first.replace("41.5", "9999")

const verify = (text: string) => verifyEvents(eventsIn(utf8(text)), { keys, pins, now })

const block = (id: number, data: string, kind = "values") => `id: ${id}\nevent: ${kind}\ndata: ${data}\n\n`
const opened = 'retry: 3000\nevent: open\ndata: {"after":4}\n\n'
const stream = `${opened}${block(5, first)}: heartbeat\nid: 5\n\n${block(6, second)}`

/** A client of the HTML standard dispatches each of these. */
const streamTable: ReadonlyArray<readonly [name: string, forge: (text: string) => string]> = [
  ["a block without an id", (text) => `${text}event: values\ndata: ${forged}\n\n`],
  ["a block without an id or a kind", (text) => `${text}data: ${forged}\n\n`],
  ["a block whose id has no colon", (text) => `${text}id\nevent: values\ndata: ${forged}\n\n`],
  ["a block with CR for line ends", (text) => `${text}event: values\rdata: ${forged}\r\r`],
  ["a block after CR LF", (text) => `${text}event: values\r\ndata: ${forged}\r\n\r\n`],
  ["a block that is cut off", (text) => `${text}event: values\ndata: ${forged}`],
  ["a genuine block under another id", (text) => text.replace("id: 6\n", "id: 7\n")],
  [
    "a genuine block under another kind",
    (text) => text.replace("event: values\ndata", "event: revisions\ndata")
  ],
  ["a genuine block without its kind", (text) => text.replace("event: values\ndata", "data")],
  [
    "a second line of data",
    (text) => text.replace(`data: ${second}\n`, `data: ${second}\ndata: ${forged}\n`)
  ],
  ["an event that says it is the stream's", (text) => text.replace("event: values\n", "event: open\n")],
  ["data that is no JSON", (text) => `${text}event: values\ndata: forged\n\n`],
  ["data that is a list of events", (text) => `${text}id: 7\nevent: values\ndata: [${forged}]\n\n`],
  ["data without the space", (text) => `${text}event:values\ndata:${forged}\n\n`],
  ["a block of a made-up kind", (text) => `${text}event: note\ndata: {"text":"trust me"}\n\n`],
  ["a byte order mark before a forged block", () => `\uFEFFdata: ${forged}\n\n`]
]

export const streams = group(
  "a saved stream",
  () => stream,
  verify,
  streamTable.map(([name, forge]) => ({ name, foundBy: "read", forge }))
)

const list = JSON.stringify({
  generated_utc: "2026-09-05T09:00:00Z",
  events: [JSON.parse(first), JSON.parse(second)],
  next_after: 6,
  more: false,
  oldest_id: 1,
  newest_id: 6,
  access: {}
})

export const eventLists = group("a page of events", () => list, verify, [
  { name: "another value", foundBy: "signatures", forge: (text) => text.replace("41.5", "9999") },
  {
    name: "a member beside the events",
    foundBy: "read",
    forge: (text) => text.replace("{", `{"data":${forged},`)
  },
  { name: "the same id twice", foundBy: "signatures", forge: () => `{"events":[${first},${eventOf(5, 7)}]}` },
  {
    name: "an event of a demo among them",
    foundBy: "signatures",
    says: /event 7 and the keys disagree on whether they are simulated/,
    forge: () => `{"events":[${first},${eventOf(7, 42, { v: "service-event-v1-demo", simulated: true })}]}`
  },
  {
    name: "events of a demo alone, by the keys of a live service",
    foundBy: "signatures",
    says: /disagree on whether they are simulated/,
    forge: () => `{"events":[${eventOf(7, 42, { v: "service-event-v1-demo", simulated: true })}]}`
  },
  { name: "no event", foundBy: "signatures", notProved: true, forge: () => '{"events":[]}' }
])

const webhook = `{"type":"values","timestamp":"2026-09-05T09:00:01Z","data":${first}}`

export const webhookBodies = group("the body of a webhook", () => webhook, verify, [
  { name: "another value", foundBy: "signatures", forge: (text) => text.replace("41.5", "9999") },
  {
    name: "another type",
    foundBy: "read",
    forge: (text) => text.replace('"type":"values"', '"type":"revisions"')
  },
  { name: "a member of its own", foundBy: "read", forge: (text) => text.replace("{", `{"event":${forged},`) },
  { name: "a list of events", foundBy: "read", forge: (text) => text.replace(first, `[${first}]`) }
])

const domain = "plumbline.test"
const payee: Payee = {
  v: "service-payee-v1",
  domain,
  payees: [{ network: "eip155:8453", asset: "0xa", pay_to: "0xb" }],
  signed_at: "2026-09-06T08:59:00Z",
  valid_until: "2026-09-06T09:04:00Z"
}
const signedPayee = (members: Partial<Payee> = {}) => signPayee({ ...payee, ...members }, { kid, sign })
const paid = { payTo: "0xb", network: "eip155:8453", asset: "0xa" }

export const payees = group(
  "a payee statement",
  () => signedPayee(),
  (statement) => verifyPayee(statement, { keys, pins, now }, { domain, paid, fresh: true }),
  [
    {
      name: "that holds for ten years",
      foundBy: "payee's times",
      forge: () => signedPayee({ valid_until: "2036-09-06T09:04:00Z" })
    },
    {
      name: "that is signed in the future",
      foundBy: "payee's times",
      forge: () => signedPayee({ signed_at: "2026-09-06T10:00:00Z", valid_until: "2026-09-06T10:05:00Z" })
    },
    {
      name: "that ends before it is signed",
      foundBy: "payee's times",
      forge: () => signedPayee({ signed_at: "2026-09-06T09:00:00Z", valid_until: "2026-09-06T08:00:00Z" })
    },
    {
      name: "of another address",
      foundBy: "payee",
      forge: () => signedPayee({ payees: [{ network: "eip155:8453", asset: "0xa", pay_to: "0xc" }] })
    },
    {
      name: "of another domain",
      foundBy: "payee's domain",
      forge: () => signedPayee({ domain: "other.test" })
    }
  ]
)

const receipt: ReceiptPayload = {
  version: 1,
  network: "eip155:8453",
  resourceUrl: `https://${domain}/x402/depin_networks`,
  payer: "0xd",
  issuedAt: Date.parse("2026-09-06T08:00:00Z") / 1000,
  transaction: "0xe",
  purchaseId: "pur_1",
  productKey: "depin_networks",
  asset: "0xa",
  payTo: "0xb",
  amount: "990000",
  payloadSha256: "0".repeat(64),
  checkpoint: null
}
const signedReceipt = (members: Partial<ReceiptPayload> = {}) =>
  signJws({ ...receipt, ...members }, domain, { kid, sign }).signature
/** The header spelled in another way, and signed as it stands. */
const respelled = (how: (header: string) => string): string => {
  const [head = "", body = ""] = signedReceipt().split(".")
  const spelled = Buffer.from(how(Buffer.from(head, "base64url").toString())).toString("base64url")
  const signed = `${spelled}.${body}`
  return `${signed}.${Buffer.from(sign(utf8(signed))).toString("base64url")}`
}

const solana = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
const onSolana = {
  payTo: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
  asset: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
}
/** A receipt of a payment on a chain, beside a statement of who is paid there. */
const paidOn = (network: string, receiptOf: typeof onSolana, payeeOf: typeof onSolana) => ({
  text: signJws({ ...receipt, network, ...receiptOf }, domain, { kid, sign }).signature,
  payee: signedPayee({ payees: [{ network, asset: payeeOf.asset, pay_to: payeeOf.payTo }] })
})

export const payments = group(
  "a receipt of a payment on Solana",
  () => paidOn(solana, onSolana, onSolana),
  ({ payee, text }) => verifyReceipt(utf8(text), { keys, pins, now, payee }),
  [
    {
      name: "to an address in other letter case",
      foundBy: "payee",
      forge: () => paidOn(solana, { ...onSolana, payTo: onSolana.payTo.toLowerCase() }, onSolana)
    },
    {
      name: "in a token in other letter case",
      foundBy: "payee",
      forge: () => paidOn(solana, { ...onSolana, asset: onSolana.asset.toUpperCase() }, onSolana)
    },
    {
      name: "on a chain in other letter case",
      foundBy: "payee",
      forge: () => ({
        ...paidOn(solana, onSolana, onSolana),
        text: signJws({ ...receipt, network: solana.toLowerCase(), ...onSolana }, domain, { kid, sign })
          .signature
      })
    },
    {
      name: "beside the statement of a demo",
      foundBy: "payee statement",
      forge: () => ({
        ...paidOn(solana, onSolana, onSolana),
        payee: signedPayee({ v: "service-payee-v1-demo", simulated: true })
      })
    }
  ]
)

export const evmPayment = paidOn(
  "eip155:8453",
  { payTo: "0xABCDEF", asset: "0xFEDCBA" },
  { payTo: "0xabcdef", asset: "0xfedcba" }
)
export const verifyPayment = ({ payee, text }: typeof evmPayment) =>
  verifyReceipt(utf8(text), { keys, pins, now, payee })

export const receipts = group(
  "a receipt",
  () => signedReceipt(),
  (text) => verifyReceipt(utf8(text), { keys, pins, now }),
  [
    ...(
      [
        ["of a network without its namespace", { network: "base" }],
        ["of a network in capitals", { network: "EIP155:8453" }],
        ["of a network with a space", { network: "eip155:84 53" }],
        ["of an amount below 0", { amount: "-1" }],
        ["of no amount", { amount: "0" }],
        ["of an amount with an exponent", { amount: "1e18" }],
        ["of an amount in hexadecimal", { amount: "0x10" }],
        ["of an amount with a fraction", { amount: "0.99" }],
        ["of an amount with a leading zero", { amount: "0990000" }],
        ["of an amount with a sign", { amount: "+990000" }],
        ["of a time in milliseconds", { issuedAt: Date.parse("2026-09-06T08:00:00Z") }],
        ["of a time before there was anything to sell", { issuedAt: 1 }]
      ] as const
    ).map(([name, members]) => ({ name, foundBy: "receipt", forge: () => signedReceipt(members) })),
    {
      name: "of a time to come",
      foundBy: "receipt",
      says: /in the future/,
      forge: () => signedReceipt({ issuedAt: Date.parse("2027-09-06T08:00:00Z") / 1000 })
    },
    {
      name: "of a demo by the keys of a live service",
      foundBy: "receipt",
      says: /disagree on whether they are simulated/,
      forge: () => signedReceipt({ simulated: true })
    },
    {
      name: "with the head of a demo's log",
      foundBy: "receipt",
      says: /disagree on whether they are simulated/,
      forge: () =>
        signedReceipt({ checkpoint: { origin: "log.example/demo", size: 1, root: "0".repeat(64) } })
    },
    {
      name: "for a script",
      foundBy: "receipt",
      forge: () => signedReceipt({ resourceUrl: `javascript://${domain}/%0Aalert(1)` })
    },
    {
      name: "for a file",
      foundBy: "receipt",
      forge: () => signedReceipt({ resourceUrl: `file://${domain}/etc/passwd` })
    },
    {
      name: "for another host",
      foundBy: "receipt",
      forge: () => signedReceipt({ resourceUrl: "https://other.test/x402/depin_networks" })
    },
    {
      name: "with its header in another order",
      foundBy: "receipt",
      forge: () => respelled((head) => head.replace(/^\{(.*?),(.*)\}$/, "{$2,$1}"))
    },
    {
      name: "with white space in its header",
      foundBy: "receipt",
      forge: () => respelled((head) => head.replace(":", ": "))
    }
  ]
)
