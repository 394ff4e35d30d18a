/** Parameters shared by several endpoints. Their descriptions also appear in errors. */
import { Schema, SchemaTransformation } from "effect"
import type { OpenApi } from "effect/http-api"
import { Category } from "../../core/plugin/kinds.ts"
import { choosable, mostNames, sortable, staysWithFields } from "../../core/wire/data/selection.ts"

const bounds = new Map<string, { readonly minimum: number; readonly maximum: number }>()

/** A string of digits on the wire. The description names the bounds; core enforces them. */
export const wholeNumber = (minimum: number, maximum: number, what: string) => {
  const description = `a whole number from ${minimum} to ${maximum}: ${what}`
  bounds.set(description, { minimum, maximum })
  return Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^\d{1,15}$/))
      .annotate({ description })
      .pipe(Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString))
  )
}

export const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const cursor = text(
  "`next_cursor` of the previous page; its `Link` header has the full URL of the next one"
)

export const symbol = Schema.String.annotate({
  description: "a symbol of /v1/networks; subnets are SN0 to SN128",
  examples: ["FIL"]
})

const someOf = (what: string) => text(`up to ${mostNames} ${what} with commas between them`)

/** Which rows of a list, which of their members, and in which order. The same words as in core (`readings/read/selection.ts`). */
export const filters = {
  symbols: someOf("symbols of /v1/networks, such as `FIL,AR`,"),
  metrics: someOf("metrics of /v1/data-dictionary"),
  category: Schema.optionalKey(Category.annotate({ description: "only networks of this category" }))
}

/** The media type of an answer whose rows `fields` has cut. */
export const cutJson = "application/json; fields=some"

/** The members of the rows of a schema that an answer keeps, and by which it is sorted. */
export const rowOptions = (row: { readonly fields: object }) => {
  const columns = Object.keys(row.fields)
  const stays = columns.filter((column) => staysWithFields.has(column))
  return {
    fields: text(
      `which members of a row to keep, with commas between them: ${choosable(columns).join(", ")}. ` +
        `Always there: ${stays.join(", ")}`
    ),
    sort: text(`a member to sort by, with \`-\` before it the largest first: ${sortable(columns).join(", ")}`)
  }
}

/** For lists that are also served as a table. */
export const format = Schema.optionalKey(
  Schema.Literals(["json", "csv"]).annotate({
    description:
      "`csv`: the rows as CSV (RFC 4180) with a header line; what is absent is an empty cell. Default: what `Accept` prefers, `json` or `text/csv`"
  })
)

/** Describes further forms of a response. Typed clients know the JSON alone. */
const also =
  (content: Readonly<Record<string, { readonly schema: object }>>) =>
  (operation: Record<string, unknown>): Record<string, unknown> => {
    const { responses } = operation as unknown as OpenApi.OpenAPISpecOperation
    const success = responses[200]
    return {
      ...operation,
      responses: { ...responses, 200: { ...success, content: { ...success?.content, ...content } } }
    }
  }

const csvForm = {
  "text/csv; charset=utf-8": {
    schema: { type: "string", description: "With `format=csv`: CSV with a header line" }
  }
}

/** Describes the table among the responses, for answers whose form `Accept` says. */
export const alsoCsvByAccept = also({
  "text/csv; charset=utf-8": {
    schema: { type: "string", description: "With `Accept: text/csv`: CSV with a header line" }
  }
})

const cutForm = {
  [cutJson]: {
    schema: { description: "With `fields`: the same, and its rows have the chosen members alone" }
  }
}

/** Describes the table among the responses. */
export const alsoCsv = also(csvForm)

/** Describes the answer with some members of its rows. */
export const alsoCut = also(cutForm)

/** Describes both. */
export const alsoCsvAndCut = also({ ...csvForm, ...cutForm })

export const optionalSymbol = Schema.optionalKey(symbol)

/** Documents whole numbers as integers although parameters are strings on the wire. */
export const showWholeNumbers = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          typeof operation === "object" && "parameters" in operation
            ? { ...operation, parameters: operation.parameters.map(whole) }
            : operation
        ])
      )
    ])
  )
})

const whole = (parameter: OpenApi.OpenAPISpecParameter): OpenApi.OpenAPISpecParameter => {
  const schema: { readonly description?: string } = parameter.schema
  const range = bounds.get(schema.description ?? "")
  return range === undefined
    ? parameter
    : { ...parameter, schema: { type: "integer", ...range, description: schema.description } }
}
