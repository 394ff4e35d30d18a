/** Errors that an answer states in its body, whatever its status: of JSON-RPC, of GraphQL, and of many an API's own form. */

/** An error as an answer states it. */
export interface StatedError {
  readonly detail: string
  /** Of JSON-RPC and the like. */
  readonly code?: number
}

type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

const textIn = (body: Body, names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => body[name]).find(isText)

/** Members that say in words what went wrong. */
const words = ["message", "msg", "detail", "details", "description", "error_description", "reason", "title"]

/** What a member `error`, or an entry of `errors`, says. */
const errorOf = (error: unknown): StatedError | undefined => {
  if (isText(error)) return { detail: error }
  if (!isBody(error)) return undefined
  const { code } = error
  const text = textIn(error, words) ?? (isText(error["error"]) ? error["error"] : undefined)
  if (text === undefined && code === undefined) return undefined
  return {
    detail: text ?? "an error without a message",
    ...(typeof code === "number" ? { code } : {})
  }
}

/** Errors of GraphQL and of JSON:API: a list of them. */
export const errorsIn = (body: unknown): ReadonlyArray<StatedError> => {
  const errors = isBody(body) ? body["errors"] : undefined
  return Array.isArray(errors)
    ? errors.map((error) => errorOf(error) ?? { detail: "an error without a message" })
    : []
}

const failures: ReadonlySet<unknown> = new Set(["error", "fail", "failed", "failure"])

/** Whether members that tell success say that there is none. */
const isFailed = ({ error, ok, state, status, success }: Body): boolean =>
  error === true ||
  success === false ||
  ok === false ||
  [status, state].some((word) => failures.has(typeof word === "string" ? word.toLowerCase() : word))

/** Statuses of HTTP that some answers repeat in the body of another. */
const isRefusal = (code: unknown): boolean => typeof code === "number" && code >= 400 && code < 600

/** The error of a gRPC gateway, such as that of a Cosmos node: its codes are 1 to 16. */
const isOfGrpc = ({ code, details, message }: Body): boolean =>
  isText(message) && Array.isArray(details) && typeof code === "number" && code > 0 && code <= 16

/** The error of Etherscan and the explorers that answer as it does: its text stands where the data would. */
const ofExplorer = ({ message, result, status }: Body): StatedError | undefined =>
  status === "0" && isText(result)
    ? { detail: isText(message) ? `${message}: ${result}` : result }
    : undefined

/** The error that a body states, whether or not it has data as well. */
export const errorIn = (body: unknown): StatedError | undefined => {
  if (!isBody(body)) return undefined
  const own = errorOf(body["error"]) ?? errorsIn(body)[0] ?? ofExplorer(body)
  if (own !== undefined) return own
  const code = isOfGrpc(body)
    ? body["code"]
    : [body["code"], body["status"], body["statusCode"], body["status_code"]].find(isRefusal)
  if (!isFailed(body) && code === undefined) return undefined
  const detail =
    textIn(body, [...words, "data", "result"]) ??
    errorOf(body["data"])?.detail ??
    "a failure without a message"
  return typeof code === "number" ? { detail, code } : { detail }
}

/** What a body says where it has none of the data that was asked for: an error, or words in a member that is usual for one. */
export const statedIn = (body: unknown): StatedError | undefined => {
  const stated = errorIn(body)
  if (stated !== undefined || !isBody(body)) return stated
  const detail = textIn(body, [...words, "Error"])
  return detail === undefined ? undefined : { detail }
}

/** Members of an error that are no data. */
const errorMembers: ReadonlySet<string> = new Set([
  ...words,
  "code",
  "error",
  "errors",
  "id",
  "instance",
  "jsonrpc",
  "ok",
  "path",
  "requestId",
  "request_id",
  "state",
  "status",
  "statusCode",
  "status_code",
  "success",
  "timestamp",
  "trace_id",
  "type"
])

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

/** The error that a body states and that is all of it: nothing beside it could be a figure. */
export const bareErrorIn = (body: unknown): StatedError | undefined =>
  isBody(body) &&
  Object.entries(body).every(
    ([name, value]) =>
      errorMembers.has(name) ||
      isEmpty(value) ||
      (typeof value === "string" && (name === "data" || name === "result"))
  )
    ? (errorIn(body) ?? onlyWords(body))
    : undefined

/** A text in the place of the data and no other member, as gateways refuse. */
const onlyWords = (body: Body): StatedError | undefined => {
  const [only, more] = Object.entries(body)
  return only !== undefined && more === undefined && words.includes(only[0]) ? errorOf(only[1]) : undefined
}

/** Codes of JSON-RPC with which nodes limit their callers: those of HTTP, of EIP-1474, and of jsonrpsee. */
const limitCodes: ReadonlySet<number> = new Set([429, -32005, -32029, -32090, -32429, -32999])
const limitWords =
  /rate.?limit|too many (?:[\w-]+ )?(?:requests|calls|queries|connections)|throttl|quota|slow down|resource.?exhausted|calls per (?:sec|min|hour|day)|(?:limit|capacity|credits|allowance) (?:is |was |has been )?(?:exceeded|reached)|exceeded .*(?:limit|capacity|credits|allowance)|\b(?:error|status|code|http)\W{0,3}429\b/i

/** Statuses of a page that is not there: its words say nothing of a limit. */
const absences: ReadonlySet<number> = new Set([404, 410])

/**
 * Whether a refusal limits how often its caller may ask: by status, by a code in the body, or in words beside a status of 200 or
 * of another refusal, as GitHub's 403.
 */
export const isRateLimit = ({
  code,
  detail,
  said: excerpt = "",
  status
}: StatedError & { readonly status: number; readonly said?: string | undefined }): boolean =>
  status === 429 ||
  (status === 200 && ((code !== undefined && limitCodes.has(code)) || limitWords.test(detail))) ||
  (status >= 400 && !absences.has(status) && limitWords.test(excerpt))

/** The longest text that is looked at for a refusal: a page or a list is longer. */
const longestRefusal = 2000

/** The error that a text states that should have been something else: JSON that is an error, or words that name a limit. */
export const statedInText = (source: string): StatedError | undefined => {
  const text = source.slice(0, longestRefusal + 1).trim()
  if (text.length > longestRefusal) return undefined
  if (text.startsWith("{")) return bareErrorIn(jsonIn(text))
  const plain = text
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
  return limitWords.test(plain) ? { detail: plain.slice(0, 300) } : undefined
}

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
