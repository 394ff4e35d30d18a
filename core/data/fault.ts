/** What is wrong with input that does not decode, in the words of a client. */
import { SchemaIssue } from "effect"

export interface Fault {
  /** Names of the members from the outermost to the one at fault; none where it is the whole. */
  readonly path: ReadonlyArray<string>
  readonly words: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  // "Missing key", beside a header that carries a key, reads as another thing.
  leafHook: (issue) => (issue._tag === "MissingKey" ? "it is required" : SchemaIssue.defaultLeafHook(issue))
})

/** The first thing that is wrong. */
export const firstFault = (issue: SchemaIssue.Issue): Fault => {
  const [first] = format(issue).issues
  return {
    path: (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)),
    words: first?.message ?? "it is not valid"
  }
}
