/**
 * What a product is: its names, its price and its payload, and the GET that shows it. Everything else that says something
 * of products (price list, tiers, OpenAPI, MCP, pages) is made from these definitions. They run in a browser.
 */
import type { Schema } from "effect"
import type { Capability } from "../wire/credits/tiers.ts"

/** How a product is sold. */
export interface Sale {
  /** What the payload contains, as the price list says it. */
  readonly content: string
  /** List price in USD, a decimal number. */
  readonly price: `${number}`
  /** Also sold per request without an account, at the same price. */
  readonly perRequest?: true
  /** The GET with the same content is metered by x402 and subscriptions, at the same price. */
  readonly perQuery?: true
  /** The keyless GET with the same content, where no view has it. */
  readonly sameAs?: `/v1/${string}`
  /** What of it is free, and where, in words: said in the price list beside the price. */
  readonly free?: string
  /** Optional inputs and their values. */
  readonly inputs?: Readonly<Record<string, string>>
  /** True if somebody writes statements in it: the author is named before the sale. */
  readonly written?: true
}

/** A GET that a tier unlocks. */
export interface View {
  readonly path: `/v1/${string}`
  readonly title: string
  /** What a tier must include. */
  readonly capability: Capability
  /** The section of the API description. */
  readonly section: "Comparisons" | "Engines"
  /** What it is about: a query parameter, or the last part of the path for `symbol`. */
  readonly takes?: "metric" | "symbol"
  /** True if it has pages; otherwise it is one document. */
  readonly pages?: true
}

interface Named {
  /** The product's key, or the name of a view that is not sold. Also its folder. */
  readonly key: string
  /** Its name for people. */
  readonly title: string
  /** Why it cannot be had as of an earlier time (`as_known_at`); absent if it can. */
  readonly onlyNow?: string
}

interface Payload {
  readonly schema: Schema.Codec<unknown, unknown>
}

export interface Sold extends Named, Payload {
  readonly sale: Sale
  readonly withdrawn?: never
  readonly view?: View
}

export interface Viewed extends Named, Payload {
  readonly sale?: never
  readonly withdrawn?: never
  readonly view: View
}

/** A product that is listed and refused. */
export interface Withdrawn extends Named {
  readonly sale: Sale
  /** Why. */
  readonly withdrawn: string
  readonly schema?: never
  readonly view?: never
}

export type Definition = Sold | Viewed | Withdrawn

/** A definition with a view. */
export type Viewable = Exclude<Definition, Withdrawn> & { readonly view: View }

/** The name of a view, as datasets have it: `node-quality`. */
export const viewName = ({ path }: View): string => path.slice("/v1/".length)

/** Where a view is read, as texts for people and machines have it: `/v1/health-profile/{symbol}`. */
export const viewRest = ({ path, takes }: View): string => (takes === "symbol" ? `${path}/{symbol}` : path)

/** A definition, with its literals. */
export const define = <const D extends Definition>(definition: D): D => definition
