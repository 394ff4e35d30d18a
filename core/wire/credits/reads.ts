/** The keyless paths that are also sold by the page: what a page has, and its list price in USD. They run in a browser. */

interface SoldRead {
  readonly content: string
  readonly price: `${number}`
  /** Present if what to read is said in the body. */
  readonly method?: "POST"
}

export const soldReads = {
  "/v1/networks": { content: "One page of the catalog with every network", price: "0.005" },
  "/v1/network/{symbol}": { content: "The latest value of every metric of one network", price: "0.005" },
  "/v1/provenance": { content: "One page of the sources of every series", price: "0.005" },
  "/v1/supply": {
    content: "One page of first-party telemetry of every network, or that of one network",
    price: "0.02"
  },
  "/v1/market": { content: "One page of market figures of every network", price: "0.02" },
  "/v1/revenue": { content: "One page of fees and value locked of every network", price: "0.02" },
  "/v1/query": {
    content: "One page of values of every network: latest, change, growth with proofs, rank",
    price: "0.02",
    method: "POST"
  },
  "/v1/asof": {
    content: "What was known of up to 10,000 rows of series of every network, each at times of its own",
    price: "0.02",
    method: "POST"
  },
  "/v1/history": {
    content: "One page of 30 days of daily history: of networks, or of one metric of all",
    price: "0.02"
  }
} as const satisfies Readonly<Record<`/v1/${string}`, SoldRead>>

/** A path whose pages are sold one by one. */
export type ReadPath = keyof typeof soldReads

const isSold = (path: string): path is ReadPath => Object.hasOwn(soldReads, path)

export const readPaths: ReadonlyArray<ReadPath> = Object.keys(soldReads).filter(isSold)

/** The path as one that is sold by the page; undefined if it is not. */
export const readPath = (path: string): ReadPath | undefined => (isSold(path) ? path : undefined)

/** How what is sold under a key of the price list is asked for: a product by GET, a path by its own method. */
export const methodOf = (key: string): "GET" | "POST" => {
  const read: SoldRead | undefined = isSold(key) ? soldReads[key] : undefined
  return read?.method ?? "GET"
}

/** Where the pages of a path are paid. */
export const paidPathOf = (path: ReadPath): `/x402/v1/${string}` => `/x402/v1/${path.slice("/v1/".length)}`
