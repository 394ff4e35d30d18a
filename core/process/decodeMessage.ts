/** Explains to a client why its input does not decode. */
import { SchemaIssue } from "effect"

export interface DecodeIssue {
  /** Path to the invalid member, outermost first; empty if the whole input is invalid. */
  readonly path: ReadonlyArray<string>
  readonly message: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  // "Missing key" would read as if an API key were missing.
  leafHook: (issue) => (issue._tag === "MissingKey" ? "it is required" : SchemaIssue.defaultLeafHook(issue))
})

/** The first fault. */
export const firstIssue = (issue: SchemaIssue.Issue): DecodeIssue => {
  const [first] = format(issue).issues
  return {
    path: (first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)),
    message: first?.message ?? "it is not valid"
  }
}
