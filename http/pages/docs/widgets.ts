/**
 * `/widgets.json`: the tables of this service as a backend of OpenBB Workspace
 * (https://docs.openbb.co/workspace/developers/json-specs/widgets-json-reference). A widget for each keyless read whose answer is
 * a list of rows, or has one; its columns are the plain members of a row.
 */
import {
  type Document,
  isObject,
  type JsonSchema,
  nameOf,
  type Operation,
  operationsOf,
  type Parameter,
  responseOf
} from "../../description/document.ts"

/** How the grid shows a member, and what a parameter takes, by the type of its schema. Others are no plain values, and have no column. */
const cellTypes: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean"
}

/** The alternatives of a schema; itself, if it has none. */
const alternatives = (schema: unknown): ReadonlyArray<unknown> =>
  isObject(schema) && Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema]

const isNull = (schema: unknown): boolean => isObject(schema) && schema["type"] === "null"

/** By the one type that a schema has beside null. */
const typeOf = (schema: unknown): string | undefined => {
  const [only, ...others] = alternatives(schema).filter((one) => !isNull(one))
  return isObject(only) && typeof only["type"] === "string" && others.length === 0
    ? cellTypes[only["type"]]
    : undefined
}

/** `price_usd` as "Price usd". */
const heading = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const followed = (document: Document, schema: unknown): JsonSchema | undefined => {
  if (!isObject(schema)) return undefined
  const { $ref } = schema
  return typeof $ref === "string" ? document.components.schemas[nameOf($ref)] : schema
}

const propertiesOf = (schema: JsonSchema | undefined): ReadonlyArray<readonly [string, unknown]> =>
  isObject(schema?.["properties"]) ? Object.entries(schema["properties"]) : []

const columnsOf = (row: JsonSchema | undefined) =>
  propertiesOf(row).flatMap(([field, schema]) => {
    const cellDataType = typeOf(schema)
    return cellDataType === undefined ? [] : [{ field, headerName: heading(field), cellDataType }]
  })

/** The list of what an answer lacks is not its rows. */
const leftOut = "left_out"

interface Rows {
  /** The member of the answer that has them; undefined if the answer is the list. */
  readonly key?: string
  readonly columns: ReturnType<typeof columnsOf>
}

const rowsIn = (document: Document, schema: JsonSchema | undefined): ReturnType<typeof columnsOf> =>
  schema?.["type"] === "array" ? columnsOf(followed(document, schema["items"])) : []

/** The rows of an operation's answer: the first list in it whose items have plain members. */
const rowsOf = (document: Document, operation: Operation): Rows | undefined => {
  const success = operation.responses["200"]
  if (success === undefined) return undefined
  const answers = alternatives(responseOf(document, success).content?.["application/json"]?.schema)
  for (const schema of answers.map((one) => followed(document, one))) {
    const whole = rowsIn(document, schema)
    if (whole.length > 0) return { columns: whole }
    for (const [key, member] of propertiesOf(schema)) {
      if (key === leftOut) continue
      const columns = rowsIn(document, followed(document, member))
      if (columns.length > 0) return { key, columns }
    }
  }
  return undefined
}

const isOpen = ({ parameters, security }: Operation): boolean =>
  security.every((one) => Object.keys(one).length === 0 || security.length > 1) &&
  parameters.every(({ in: place, required }) => place === "query" && !required)

/** `cursor` and `format` are of programs. */
const shownParameters = ({ parameters }: Operation): ReadonlyArray<Parameter> =>
  parameters.filter(({ name }) => name !== "cursor" && name !== "format")

const parameter = ({ name, schema }: Parameter) => {
  const values = isObject(schema) && Array.isArray(schema["enum"]) ? schema["enum"].map(String) : []
  return {
    paramName: name,
    label: heading(name),
    type: typeOf(schema) ?? "text",
    description: isObject(schema) ? String(schema["description"] ?? "") : "",
    optional: true,
    show: true,
    ...(values.length === 0 ? {} : { options: values.map((value) => ({ label: value, value })) })
  }
}

const widget = (path: string, operation: Operation, { columns, key }: Rows) => ({
  name: operation.summary ?? path,
  description: operation.description ?? "",
  category: "Plumbline",
  subCategory: operation.tags[0] ?? "",
  source: ["Plumbline"],
  type: "table",
  endpoint: path.slice(1),
  gridData: { w: 40, h: 12 },
  params: shownParameters(operation).map(parameter),
  data: { ...(key === undefined ? {} : { dataKey: key }), table: { showAll: false, columnsDefs: columns } }
})

export const widgets = (description: Document) =>
  Object.fromEntries(
    operationsOf(description).flatMap(({ method, operation, path }) => {
      const rows =
        method === "GET" && path.startsWith("/v1/") && isOpen(operation)
          ? rowsOf(description, operation)
          : undefined
      return rows === undefined
        ? []
        : [[operation.operationId.replace(/^.*\./, ""), widget(path, operation, rows)]]
    })
  )
