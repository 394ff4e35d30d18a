/** What an endpoint says of itself, what its answers depend on, and in which forms it gives them: all annotations of a read in one place. */
import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { ByTier, DependsOn } from "./Contract.ts"

export interface About {
  readonly summary: string
  readonly description: string
  /** Without it no answer is kept. */
  readonly depends?: DependsOn
  /** How its operation says which other forms it has. */
  readonly forms?: (operation: Record<string, unknown>) => Record<string, unknown>
  /** It works without a key, and the key of a higher tier shows more. */
  readonly wider?: true
  readonly byTier?: true
}

export const about = ({ byTier, depends, description, forms, summary, wider }: About) => {
  const says = OpenApi.annotations({
    summary,
    description,
    ...(forms === undefined ? {} : { transform: forms }),
    ...(wider === undefined ? {} : { override: { security: [{}, { apiKey: [] }] } })
  })
  const annotations = depends === undefined ? says : Context.add(says, DependsOn, depends)
  return byTier === undefined ? annotations : Context.add(annotations, ByTier, true)
}

/** Summary and description alone. */
export const describe = (summary: string, description: string) => about({ summary, description })
