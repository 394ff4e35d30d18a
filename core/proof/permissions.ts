/**
 * The document of what upstreams allowed this operator beyond their public terms, as he states it: log entries of kind
 * `permissions` commit to it. Each has all of them, so the newest is what holds.
 */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** Uses of a feed's values that its upstream allows this operator from a day until another, both included. */
export interface StatedPermission {
  readonly feed: string
  readonly uses: ReadonlyArray<"bodies" | "bulk" | "sell" | "show">
  readonly from: string
  readonly until: string
  /** The document that says so, in the operator's words. */
  readonly reference: string
}

export interface PermissionsDocument {
  readonly v: Tag<"service-permissions-v1">
  /** Counts the documents from 1, without gaps. */
  readonly n: number
  /** Empty once the operator has none any more. */
  readonly permissions: ReadonlyArray<StatedPermission>
  /** Of a demo: nobody gave any of them. */
  readonly simulated?: true
}

export const permissionsTag = "service-permissions-v1"
export const permissionsKind = "permissions"

const permissionShape: s.Shape<StatedPermission> = {
  feed: s.name,
  uses: s.listOf(s.oneOf("bodies", "bulk", "sell", "show")),
  from: s.day,
  until: s.day,
  reference: s.name
}

const shape: s.Shape<PermissionsDocument> = {
  v: s.oneOf<Tag<"service-permissions-v1">>(permissionsTag, `${permissionsTag}-demo`),
  n: s.ordinal,
  permissions: s.listOf(s.nested("a permission", permissionShape)),
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): PermissionsDocument => {
  const document = s.readShape("a document of permissions", value, shape)
  checkTag(document, permissionsTag)
  for (const { feed, from, until, uses } of document.permissions) {
    if (uses.length === 0) throw new Malformed(`the permission of ${feed} names no use`)
    if (until < from) throw new Malformed(`the permission of ${feed} ends on ${until}, before ${from}`)
  }
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const permissionsText = (document: PermissionsDocument): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parsePermissionsDocument = (text: string): PermissionsDocument => check(parseCanonical(text))

/** Subject of the document's log entry: its number. */
export const permissionsSubject = ({ n }: Pick<PermissionsDocument, "n">): string => String(n)
