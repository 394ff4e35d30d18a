/** `/openapi.json` in each of its forms, for the service at its address. */
import { HttpServerResponse } from "effect/http"
import { compact, type Part } from "../../description/compact.ts"
import type { Document } from "../../description/document.ts"
import { examplesOf, sectionOf, short } from "../../description/forms.ts"
import { slug } from "./html.ts"
import type { About } from "./tasks.ts"

const path = "/openapi.json"

/** What a request asks for. */
interface Asked {
  readonly form?: "short" | "examples" | undefined
  readonly section?: string | undefined
}

/** Under which address `openapiDocuments` has what is asked for. */
export const openapiAddress = ({ form, section }: Asked): string => `${path}?${form ?? ""}&${section ?? ""}`

/** All of them, by their addresses. */
export const openapiDocuments = (
  description: Document,
  about: About
): ReadonlyMap<string, HttpServerResponse.HttpServerResponse> => {
  const { info, tags } = description
  const here = (served: Part) =>
    HttpServerResponse.jsonUnsafe({ ...served, servers: [{ url: about.baseUrl }] })
  const examples = { description: "An example of every answer", url: `${about.baseUrl}${path}?form=examples` }
  const whole: Part = {
    ...compact(description),
    info: { ...info, description: [info.description, "## Limits", ...about.limits].join("\n\n") },
    externalDocs: examples
  }
  const forms = [
    { form: undefined, served: whole },
    { form: "short", served: short(description) }
  ] as const
  return new Map([
    [openapiAddress({ form: "examples" }), HttpServerResponse.jsonUnsafe(examplesOf(description))],
    ...forms.flatMap(({ form, served }) => [
      [openapiAddress({ form }), here(served)] as const,
      ...tags.map(
        ({ name }) => [openapiAddress({ form, section: slug(name) }), here(sectionOf(served, name))] as const
      )
    ])
  ])
}
