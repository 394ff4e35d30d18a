/**
 * A request as the documentation shows it and as its form sends it. Works in a browser too, where the values are those that
 * somebody typed.
 */

export interface RequestParameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required: boolean
  /** True if programs give it as a number. */
  readonly isNumber: boolean
  /** All values that it can have, where they are few. */
  readonly values?: ReadonlyArray<string>
  readonly example?: string
}

/** How programs read the answer. */
export type AnswerKind = "json" | "text" | "bytes" | "stream"

export interface DescribedRequest {
  readonly method: string
  /** As it is described: `/v1/network/{symbol}`. */
  readonly path: string
  /** True if an `Idempotency-Key` makes a repetition harmless. */
  readonly takesIdempotencyKey: boolean
  readonly key: "none" | "optional" | "required"
  readonly parameters: ReadonlyArray<RequestParameter>
  /** An example of the JSON body; absent if there is no body. */
  readonly body?: unknown
  readonly answer: AnswerKind
}

/** What a page has for its script: the requests that it lets its reader send, by the id of their place. */
export interface Tried {
  /** Of the samples; the forms ask the host that the page is from. */
  readonly baseUrl: string
  readonly requests: Readonly<Record<string, DescribedRequest>>
}

/** What parameters are given, by name. One that is not here is not sent. */
export type Values = Readonly<Record<string, string>>

/** The values of the samples: of what is required, and of what has an example. */
export const exampleValues = ({ parameters }: DescribedRequest): Values =>
  Object.fromEntries(
    parameters.flatMap(({ example, name, required, values }) => {
      const value = example ?? (required ? values?.[0] : undefined)
      return value === undefined ? [] : [[name, value]]
    })
  )

/** Commas and colons stand in many values, and need no other form. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3A", ":")

/** What stands for a required value that has no example. */
export const placeholder = (name: string): string => `{${name}}`

/** Path and query. What is required and has no value stays a placeholder. */
export const targetOf = ({ parameters, path }: DescribedRequest, values: Values): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    return value === undefined ? placeholder(name) : encoded(value)
  })
  const query = parameters.flatMap(({ in: place, name, required }) => {
    const value = values[name]
    if (place !== "query" || (value === undefined && !required)) return []
    return [`${name}=${value === undefined ? placeholder(name) : encoded(value)}`]
  })
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`
}
