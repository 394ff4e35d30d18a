/** Checks the receipt of a payment per request, and the statement of who is paid. Both need only files. */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromUtf8, Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord } from "./canonical.ts"
import { type Check, check, demand, notChecked, notProved, ofPart, type Pins, reading } from "./check.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import { parseJson } from "./json.ts"
import { readJws } from "./jws.ts"
import { isDemoLog, parseKeyDocument } from "./keys.ts"
import { clockTolerance } from "./leaf.ts"
import { type Payee, readPayee } from "./payee.ts"
import { type ReceiptPayload, readReceipt } from "./receipt.ts"
import { day } from "./time.ts"
import { inUse, vouched } from "./verifyResponse.ts"
import { readWarranty, soldAtOf, warrantedTree } from "./warranty.ts"

export interface PaymentOptions {
  /** The service's own authority, if the caller knows it: the statement must be of it. */
  readonly authority?: string
  /** The service's key document, as parsed JSON. */
  readonly keys: unknown
  readonly pins?: Pins
  /** Wall clock in epoch milliseconds. */
  readonly now?: number
}

/** A sale as delivered, or a receipt alone: a JWS, or the object around it. Throws `Malformed`. */
const receiptIn = (bytes: Uint8Array) => {
  const text = fromUtf8(bytes).trim()
  if (!text.startsWith("{")) return { jws: text, sale: undefined }
  const value = parseJson(text)
  const sale = isRecord(value) && isRecord(value.receipt) ? value : undefined
  const signed = sale === undefined ? value : sale.receipt
  const jws = isRecord(signed) ? signed.signature : undefined
  if (typeof jws !== "string") throw new Malformed("there is no receipt in it", "missing")
  return { jws, sale }
}

const answerKey = (keys: unknown, kid: string, isSignedBy: (publicKey: Uint8Array) => boolean) => {
  const document = parseKeyDocument(keys)
  const key = document.answers.find((each) => each.kid === kid)
  demand(key !== undefined, `it names key ${kid}, which is not a key for answers`, "key")
  demand(isSignedBy(key.publicKey), `it is not what key ${kid} signed`, "signature")
  return { document, key }
}

/** Throws `Malformed` if what is signed says that it is of a demo, and its keys are not, or vice versa. */
const demandSameMode = (
  what: string,
  { simulated }: { readonly simulated?: true },
  { document }: ReturnType<typeof answerKey>
): void =>
  demand(
    isDemoLog(document.checkpointOrigin) === (simulated === true),
    `${what} and the keys disagree on whether they are simulated`,
    "contradiction"
  )

const keyChecks = (
  { document, key }: ReturnType<typeof answerKey>,
  at: string,
  { now, pins = [] }: PaymentOptions
): ReadonlyArray<Check> => [inUse(key, at, now), vouched(key, document, pins)]

/** Whether this is a web address at the place, which is a host, and maybe a path below it. */
const isOf = (address: string, place: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.host}${url.pathname}`.startsWith(`${place}/`)
  )
}

const hostOf = (place: string): string => place.split("/", 1)[0] ?? place

const noKey: Check = notProved("key in use", "no key matches the signature", "unavailable")

const timeOf = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`

/** The members of a sale that its receipt repeats. */
const saidBy = (sale: Readonly<Record<string, unknown>>) => {
  const payment = isRecord(sale.payment) ? sale.payment : {}
  return {
    purchaseId: sale.purchase_id,
    productKey: sale.product_key,
    payloadSha256: sale.payload_sha256,
    checkpoint: sale.checkpoint,
    network: payment.network,
    asset: payment.asset,
    amount: payment.amount,
    payer: payment.payer,
    payTo: payment.pay_to,
    transaction: payment.transaction
  } satisfies Partial<Record<keyof ReceiptPayload, unknown>>
}

const saleChecks = (
  receipt: ReceiptPayload,
  sale: Readonly<Record<string, unknown>> | undefined,
  signer: ReturnType<typeof answerKey>
): ReadonlyArray<Check> =>
  sale === undefined
    ? [
        notChecked(
          "data",
          "the file has only the receipt; save the whole answer to check the data too",
          "unavailable"
        )
      ]
    : [
        check("data", () => {
          const hash = toHex(sha256(utf8(canonical(sale.data))))
          demand(hash === receipt.payloadSha256, "the data is not what the receipt names", "hash")
          return `SHA-256 ${hash}`
        }),
        check("sale", () => {
          const saleMembers = Object.entries(saidBy(sale))
          const signed: Readonly<Record<string, unknown>> = { ...receipt }
          const wrong = saleMembers.find(
            ([name, value]) => canonical(value ?? null) !== canonical(signed[name])
          )
          demand(wrong === undefined, `its ${wrong?.[0]} is not the one in the receipt`, "contradiction")
          return `${receipt.purchaseId}: ${receipt.productKey} for ${receipt.amount} of ${receipt.asset}`
        }),
        ...warrantyChecks(receipt, sale, signer)
      ]

/** A payment settles at most so long after its sale was made, in milliseconds, be it in a process after a crash. */
const longestSettlement = day

/** Whether the warranty beside the receipt is of this sale, by the same key, and of the values of its data. */
const warrantyChecks = (
  receipt: ReceiptPayload,
  { data, warranty: served }: Readonly<Record<string, unknown>>,
  { key }: ReturnType<typeof answerKey>
): ReadonlyArray<Check> =>
  served === undefined
    ? []
    : [
        check("warranty", () => {
          const { isSignedBy, kid, warranty } = readWarranty(served)
          demand(
            kid === key.kid && isSignedBy(key.publicKey),
            "the warranty is not signed by the key of the receipt",
            "signature"
          )
          demand(
            warranty.purchase_id === receipt.purchaseId &&
              warranty.payload_sha256 === receipt.payloadSha256 &&
              warranty.simulated === receipt.simulated,
            "the warranty is of another sale than the receipt",
            "contradiction"
          )
          const soldAt = soldAtOf(warranty)
          // A demo sells by the clock of its data.
          demand(
            receipt.simulated === true ||
              (soldAt <= receipt.issuedAt * 1000 + clockTolerance &&
                soldAt >= receipt.issuedAt * 1000 - longestSettlement &&
                Date.parse(warranty.until) > receipt.issuedAt * 1000),
            `the warranty ends at ${warranty.until}, which does not fit ${warranty.days} days from a sale at ${timeOf(receipt.issuedAt)}`,
            "time"
          )
          const tree = warrantedTree(data, { ...warranty, soldAt })
          demand(
            tree?.size === warranty.rows.size && tree.root === warranty.rows.root,
            "the values that are warranted are not those of the data",
            "hash"
          )
          return `${tree.size} values until ${warranty.until}, for ${warranty.pays_usd} USD`
        })
      ]

const headCheck = ({ checkpoint }: ReceiptPayload, earlier: string | undefined): Check => {
  const name = "log head"
  if (checkpoint === null) return notChecked(name, "the log had no checkpoint at that time", "unavailable")
  const says = `${checkpoint.origin}, ${checkpoint.size} entries, root ${checkpoint.root}`
  if (earlier === undefined) return notChecked(name, `${says}; pass a checkpoint of that size with --kept`)
  return check(name, () => {
    const { origin, root, size } = parseCheckpointText(parseNote(earlier).text)
    demand(origin === checkpoint.origin, `the kept checkpoint is of another log, ${origin}`, "origin")
    demand(
      size === checkpoint.size,
      `the kept checkpoint has ${size} entries, the receipt ${checkpoint.size}`,
      "contradiction"
    )
    demand(
      toHex(root) === checkpoint.root,
      "the kept checkpoint has another root: there are two logs",
      "contradiction"
    )
    return `${says}, as in the kept checkpoint`
  })
}

/**
 * Checks a receipt, and the sale around it if there is one. `payee` is the statement of who is paid, and `earlierCheckpoint` a checkpoint
 * of the size that the receipt names.
 */
export const verifyReceipt = (
  file: Uint8Array,
  options: PaymentOptions & { readonly payee?: unknown; readonly earlierCheckpoint?: string | undefined }
): ReadonlyArray<Check> => {
  const read = reading(
    "receipt",
    () => {
      const { jws, sale } = receiptIn(file)
      const { isSignedBy, kid, payload, place } = readJws(jws)
      const signer = answerKey(options.keys, kid, isSignedBy)
      const receipt = readReceipt(payload)
      demandSameMode("the receipt", receipt, signer)
      const { now } = options
      demand(
        now === undefined || receipt.simulated === true || receipt.issuedAt * 1000 <= now + clockTolerance,
        `it says that it was issued at ${timeOf(receipt.issuedAt)}, which is in the future`,
        "time"
      )
      demand(
        isOf(receipt.resourceUrl, place),
        `its resource ${receipt.resourceUrl} is not of ${place}`,
        "origin"
      )
      const { authority = hostOf(place) } = options
      demand(
        hostOf(place) === authority.toLowerCase(),
        `it is of ${hostOf(place)}, not of ${authority}`,
        "origin"
      )
      return { receipt, sale, signer, place }
    },
    ({ receipt, signer }) =>
      `${receipt.simulated === true ? "SIMULATED: " : ""}${receipt.resourceUrl}, paid by ${receipt.payer} in ${receipt.transaction} on ${receipt.network}, key ${signer.key.kid}`
  )
  if (read.value === undefined) return [read.check, noKey]
  const { place, receipt, sale, signer } = read.value
  return [
    read.check,
    ...keyChecks(signer, timeOf(receipt.issuedAt), options),
    ...saleChecks(receipt, sale, signer),
    headCheck(receipt, options.earlierCheckpoint),
    ...(options.payee === undefined
      ? [notChecked("payee", "pass the payee statement of the domain with --payee")]
      : verifyPayee(options.payee, options, { domain: hostOf(place), paid: receipt }))
  ]
}

/** What a buyer expects of a payee statement. */
export interface Expected {
  readonly domain?: string
  /** The authority that was asked for the statement. That it is another than the domain's contradicts nothing, and proves nothing. */
  readonly reachedAt?: string
  /** Where money is about to go, or went. */
  readonly paid?: Pick<ReceiptPayload, "payTo"> & Partial<Pick<ReceiptPayload, "network" | "asset">>
  /** True before a payment: the statement must still hold. */
  readonly fresh?: boolean
}

/** Checks a payee statement: its signature, key, domain, time and address. */
export const verifyPayee = (
  value: unknown,
  options: PaymentOptions,
  expected: Expected = {}
): ReadonlyArray<Check> => {
  const read = reading(
    "payee statement",
    () => {
      const { isSignedBy, kid, payee } = readPayee(value)
      const signer = answerKey(options.keys, kid, isSignedBy)
      demandSameMode("the statement", payee, signer)
      return { payee, signer }
    },
    ({ payee, signer }) =>
      `${payee.simulated === true ? "SIMULATED: " : ""}${payee.domain} is paid at ${describePayees(payee)}, key ${signer.key.kid}`
  )
  if (read.value === undefined) return [read.check, noKey]
  const { payee, signer } = read.value
  const { reachedAt, fresh = false, paid } = expected
  const domain = expected.domain ?? options.authority
  const { now } = options
  return [
    read.check,
    ...ofPart("payee", keyChecks(signer, payee.signed_at, options)),
    ...domainChecks(payee, domain, reachedAt),
    check("payee's times", () => {
      const [from, until] = [Date.parse(payee.signed_at), Date.parse(payee.valid_until)]
      demand(
        from < until && until - from <= longestStatement,
        `the statement says that it holds from ${payee.signed_at} to ${payee.valid_until}; one holds for a day at most`,
        "time"
      )
      demand(
        now === undefined || from <= now + clockTolerance,
        `the statement is signed at ${payee.signed_at}, which is in the future`,
        "time"
      )
      return `signed at ${payee.signed_at}, holds until ${payee.valid_until}`
    }),
    ...(fresh && now !== undefined
      ? [
          check("payee statement not stale", () => {
            demand(
              now <= Date.parse(payee.valid_until),
              `it held until ${payee.valid_until}; get it again`,
              "time"
            )
            return `holds until ${payee.valid_until}`
          })
        ]
      : []),
    ...(paid === undefined ? [] : [paidCheck(payee, paid)])
  ]
}

const domainChecks = (
  payee: Payee,
  domain: string | undefined,
  reachedAt: string | undefined
): ReadonlyArray<Check> => {
  const name = "payee's domain"
  if (domain === undefined && reachedAt === undefined) return []
  if (domain === undefined && reachedAt !== payee.domain)
    return [
      notProved(
        name,
        `the statement is of ${payee.domain}, and you asked ${reachedAt}; if that is the same service, pass --authority ${payee.domain}`,
        "origin"
      )
    ]
  return [
    check(name, () => {
      const expected = domain?.toLowerCase() ?? payee.domain
      demand(payee.domain === expected, `the statement is of ${payee.domain}, not of ${expected}`, "origin")
      return expected
    })
  ]
}

/** For so many milliseconds a statement holds at most. */
const longestStatement = day

const describePayees = ({ payees }: Payee): string =>
  payees.map(({ network, pay_to }) => `${pay_to} on ${network}`).join(", ") || "no address"

/** Whether an address of a network is the one that is meant. Only that of an EVM chain is the same in other letter case (EIP-55). */
const isSameAddress = (network: string, a: string, b: string | undefined): boolean =>
  b === undefined || (network.startsWith("eip155:") ? a.toLowerCase() === b.toLowerCase() : a === b)

const paidCheck = (payee: Payee, { asset, network, payTo }: NonNullable<Expected["paid"]>): Check =>
  check("payee", () => {
    const account = payee.payees.find(
      (one) =>
        (network === undefined || one.network === network) &&
        isSameAddress(one.network, one.pay_to, payTo) &&
        isSameAddress(one.network, one.asset, asset)
    )
    demand(
      account !== undefined,
      `${payTo} is not where ${payee.domain} is paid (${describePayees(payee)})`,
      "contradiction"
    )
    return `${account.pay_to} on ${account.network}`
  })
