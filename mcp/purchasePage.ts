/** One page of a purchase: what a thread reads out of a long one, and the service out of a short one. */
import { pagesOf, withoutLongTexts } from "./paginate.ts"

export interface PageTask {
  /** The purchase with its payload as `data`, JSON. */
  readonly bytes: Uint8Array
  /** From 1. */
  readonly page: number
  /** Characters of a page. */
  readonly size: number
  /** The largest `size`: a page of a single item may be longer, and then loses its longest texts. */
  readonly largest: number
}

export interface PurchasePage {
  /** The purchase without its payload. */
  readonly head: { readonly purchase_id: string }
  readonly pages: number
  /** Absent if there is no such page. */
  readonly data?: unknown
}

/** The most characters in one string of an item that is larger than the largest page. */
const longestText = 100_000

/** Where the whole payload is. */
export const wholeOf = ({ purchase_id }: PurchasePage["head"]): string =>
  `GET /v1/credits/purchases/${purchase_id}?include=data`

export const purchasePage = ({ bytes, largest, page, size }: PageTask): PurchasePage => {
  const { data, ...head }: { readonly purchase_id: string; readonly data: unknown } = JSON.parse(
    new TextDecoder().decode(bytes)
  )
  const pages = pagesOf(data, size)
  const selected = pages[page - 1]
  if (selected === undefined) return { head, pages: pages.length }
  const isLong = JSON.stringify(selected).length > largest
  return {
    head,
    pages: pages.length,
    data: isLong ? withoutLongTexts(selected, longestText, wholeOf(head)) : selected
  }
}
