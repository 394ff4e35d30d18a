/** A page's data as schema.org's `Dataset`, which search engines for data read. */
import { catalogs } from "../../../core/log/archive/catalogs.ts"
import { type Html, html, raw } from "./markup.ts"
import { scriptJson } from "./scriptJson.ts"

export interface Dataset {
  readonly name: string
  readonly description: string
  /** Paths of the page and of its files. */
  readonly path: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly type: string }>
  readonly variables: ReadonlyArray<{ readonly name: string; readonly unit: string }>
  /** First and last day, `YYYY-MM-DD`. */
  readonly days?: readonly [first: string, last: string] | undefined
  /** Where the values come from. */
  readonly basedOn?: ReadonlyArray<string>
}

export const datasetOf = (
  { basedOn = [], days, description, files, name, path, variables }: Dataset,
  baseUrl: string
): Html => {
  const creator = { "@type": "Organization", name: "Plumbline", url: baseUrl }
  const document = {
    "@context": "https://schema.org",
    "@type": "Dataset",
    name,
    // The shortest that search engines take.
    description: description.length < 50 ? `${description} Daily values with their sources.` : description,
    url: `${baseUrl}${path}`,
    identifier: `${baseUrl}${path}`,
    license: `${baseUrl}/terms`,
    isAccessibleForFree: true,
    isPartOf: `${baseUrl}${catalogs.croissant}`,
    creator,
    publisher: creator,
    ...(days === undefined ? {} : { temporalCoverage: days.join("/") }),
    ...(basedOn.length === 0 ? {} : { isBasedOn: basedOn }),
    variableMeasured: variables.map((one) => ({
      "@type": "PropertyValue",
      name: one.name,
      unitText: one.unit
    })),
    distribution: files.map((file) => ({
      "@type": "DataDownload",
      encodingFormat: file.type,
      contentUrl: `${baseUrl}${file.path}`
    }))
  }
  return html`<script type="application/ld+json">${raw(scriptJson(document))}</script>`
}
