/**
 * The sections of the description in reading order, each with its operations; a test holds them to every operation that there is.
 */
import type { View } from "../../core/products/definition.ts"
import { viewDefinitions } from "../../core/products/index.ts"
import { endpointName } from "../api/gated.ts"
import type { Document, Tag } from "./document.ts"
import { operationsOf } from "./document.ts"

interface Section extends Tag {
  readonly description: string
  readonly operations: ReadonlyArray<string>
}

const of = (group: string, ...names: ReadonlyArray<string>) => names.map((name) => `${group}.${name}`)

/** The endpoints of a section's views. */
const viewsOf = (section: View["section"]): ReadonlyArray<string> =>
  viewDefinitions.flatMap(({ view }) => (view.section === section ? [endpointName(view.path)] : []))

export const sections: ReadonlyArray<Section> = [
  {
    name: "Networks",
    description: "Which networks there are, and the latest values of each. No key is needed.",
    operations: [
      ...of("keyless", "try", "networks", "symbols", "coverage", "network"),
      ...of("measures", "measures", "measure")
    ]
  },
  {
    name: "Values",
    description: "The latest values of many networks at once, and of the physical world. No key is needed.",
    operations: [...of("keyless", "supply", "market", "revenue", "query", "world"), "measures.earned"]
  },
  {
    name: "History",
    description:
      "Daily values, and what was changed or excluded afterwards. Without a key, 30 days. No key is needed.",
    operations: [
      ...of("keyless", "history", "asof", "difference", "revisions", "incidents", "anomalies", "corrections"),
      "brief.brief"
    ]
  },
  {
    name: "Sources",
    description:
      "Where every value comes from, and the code that derived it from what the upstream sent. No key is needed.",
    operations: [
      ...of("keyless", "provenance", "dictionary", "recheck", "rechecks"),
      ...of("derivation", "derivation", "derivationOf", "inputOf", "noteOf", "codeOf")
    ]
  },
  {
    name: "Proofs",
    description:
      "The proof of a published value, the transparency log, and the keys that sign both. No key is needed.",
    operations: [
      ...of("log", "attest", "attestations"),
      "meta.keys",
      ...of(
        "log",
        "checkpoint",
        "checkpointAt",
        "tile",
        "partialTile",
        "leaves",
        "absent",
        "origin",
        "runLeaves",
        "agreementLeaves",
        "document",
        "sale"
      )
    ]
  },
  {
    name: "Files",
    description: "Whole days, months and years as Parquet files, and datasets as CSV or NDJSON.",
    operations: [
      ...of(
        "archive",
        "archive",
        "archiveSums",
        "archiveDuckdb",
        "archiveCroissant",
        "archiveTableIndex",
        "archiveTable",
        "archivedDay",
        "archivedMonth",
        "archivedYear"
      ),
      "export.export"
    ]
  },
  {
    name: "Account",
    description: "What everything costs, a key, its balance, and how to add credits. 1 credit is 1 USD.",
    operations: [
      "creditsOpen.pricing",
      "creditsOpen.register",
      ...of(
        "credits",
        "balance",
        "statement",
        "rotate",
        "keys",
        "createKey",
        "revokeKey",
        "rotateKey",
        "purchaseDryRun"
      ),
      ...of("topup", "topup", "subscription", "subscribe", "cancelSubscription", "portal"),
      ...of("buy", "crypto", "warranty"),
      ...of("topup", "challenge", "verify", "receipts"),
      ...of("buy", "order", "bySession", "keyBySession", "stripe")
    ]
  },
  {
    name: "Purchases",
    description:
      "Products that are bought once and delivered in the response. Credits never change the tier.",
    operations: of("credits", "purchase")
  },
  {
    name: "Receipts",
    description: "What was bought with credits: the list, and each receipt with the data that was delivered.",
    operations: of("credits", "purchases", "receipt")
  },
  {
    name: "Payment per request",
    description:
      "The same products without an account: x402 version 2, USDC by signed authorization, or MPP.",
    operations: of("x402", "catalog", "x402Openapi", "data", "payee", "did", "didBelow")
  },
  {
    name: "Reads by the page",
    description:
      "The keyless lists, whole, a page for a payment: outside the limits of reads, without an account.",
    operations: of(
      "paid",
      ...["networks", "network", "supply", "market", "revenue", "provenance", "history", "query", "asof"]
    )
  },
  {
    name: "Comparisons",
    description: "Networks beside each other and over time. They require a tier that includes them.",
    operations: of("gated", ...viewsOf("Comparisons"))
  },
  {
    name: "Engines",
    description:
      "Scores and indices that are derived from many series. They require a tier that includes them.",
    operations: of("gated", ...viewsOf("Engines"))
  },
  {
    name: "Events, alerts and webhooks",
    description:
      "What changed, as a list, as a stream, and sent to an address of yours. Each event is signed by itself.",
    operations: [
      ...of("events", "events", "stream"),
      ...of("alerts", "listAlerts", "createAlert", "alert", "removeAlert", "alertCrossings"),
      ...of(
        "webhooks",
        ...["listWebhooks", "createWebhook", "webhook", "removeWebhook", "pauseWebhook", "resumeWebhook"],
        ...["rotateWebhookSecret", "testWebhook", "webhookDeliveries", "redeliver"]
      )
    ]
  },
  {
    name: "Encoder",
    description: "Distances between symmetric positive definite matrices.",
    operations: ["manifold.distance"]
  },
  {
    name: "Service",
    description: "Health, this description, and the pages for people.",
    operations: of(
      "meta",
      "index",
      "health",
      "ready",
      "uptime",
      "openapi",
      "docs",
      "docsPage",
      "home",
      "terms",
      "problem"
    )
  }
]

/** The document with its operations in these sections and in their order. */
export const inSections = (document: Document): Document => {
  const place = new Map(
    sections.flatMap(({ name, operations }) => operations.map((id, n) => [id, { name, n }] as const))
  )
  const names = sections.map(({ name }) => name)
  const all = operationsOf(document)
    .map((entry) => {
      const listed = place.get(entry.operation.operationId)
      const name = listed?.name ?? entry.operation.tags[0] ?? ""
      const section = names.indexOf(name)
      return {
        ...entry,
        operation: { ...entry.operation, tags: [name] },
        section: section < 0 ? names.length : section,
        n: listed?.n ?? Number.POSITIVE_INFINITY
      }
    })
    .toSorted((a, b) => a.section - b.section || (a.n === b.n ? 0 : a.n - b.n))
  const used = new Set(all.map(({ operation }) => operation.tags[0]))
  const paths: Record<string, Record<string, Document["paths"][string][string]>> = {}
  for (const { method, operation, path } of all) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  return {
    ...document,
    paths,
    tags: [
      ...sections.map(({ description, name }) => ({ name, description })),
      ...document.tags.filter(({ name }) => !names.includes(name))
    ].filter(({ name }) => used.has(name))
  }
}
