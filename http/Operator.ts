/** Who runs the service and how he is reached, as far as he says so; `runtime` reads it from the environment. */
import { Context } from "effect"

export interface OperatorDetails {
  /** The person or company that answers for the service. */
  readonly name?: string
  /** The postal address, on one line. */
  readonly address?: string
  /** The law that the terms are under, such as "the law of Switzerland". */
  readonly law?: string
  /** Where mail of any kind reaches him. */
  readonly email?: string
  /** Where a weakness is reported: `mailto:` or `https:`. */
  readonly security?: string
  /** Where a contract is asked for. */
  readonly salesUrl?: string
  /** Terms of his own, which hold beside those of the page. */
  readonly termsUrl?: string
  /** A page of his own site that names the key of the log. */
  readonly keyUrl?: string
}

/** Empty where the operator says nothing, which pages then say. */
export const Operator = Context.Reference<OperatorDetails>("http/Operator", { defaultValue: () => ({}) })
