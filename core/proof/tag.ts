/** The version tags of documents. */
import { Malformed } from "./bytes.ts"

/** The version tag of a document. Demo documents have their own, so they cannot pass for live ones. */
export type Tag<Name extends string> = Name | `${Name}-demo`

/** The tag for live or demo data. */
export const tagged = <Name extends string>(name: Name, simulated: boolean): Tag<Name> =>
  simulated ? `${name}-demo` : name

/** Throws `Malformed` unless the tag and `simulated` agree. */
export const checkTag = (document: { readonly v: string; readonly simulated?: true }, name: string): void => {
  if (document.v !== tagged(name, document.simulated === true)) {
    throw new Malformed(`the tag ${document.v} and \`simulated\` contradict each other`)
  }
}
