/** The operations of the API in the sections of its description, in a line each. Light, where the description itself takes a thread. */
import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { ForPeople } from "../api/Contract.ts"
import { lazily } from "../routing/lazy.ts"
import { openApiPath } from "../routing/routes.ts"
import { sections } from "./sections.ts"

export interface Summary {
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly summary: string
}

interface SummarySection {
  readonly name: string
  readonly operations: ReadonlyArray<Summary>
}

const summariesById = (): ReadonlyMap<string, Summary> => {
  const byId = new Map<string, Summary>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      if (Context.get(mergedAnnotations, ForPeople)) return
      const path = openApiPath(endpoint.path)
      const summary = Context.getOption(mergedAnnotations, OpenApi.Summary)
      byId.set(`${group.identifier}.${endpoint.identifier}`, {
        method: endpoint.method,
        path,
        summary: Option.getOrElse(summary, () => path)
      })
    }
  })
  return byId
}

/** Every operation for programs; sections without one are left out. */
export const summaries = lazily((): ReadonlyArray<SummarySection> => {
  const byId = summariesById()
  return sections.flatMap(({ name, operations }) => {
    const listed = operations.flatMap((id) => byId.get(id) ?? [])
    return listed.length === 0 ? [] : [{ name, operations: listed }]
  })
})
