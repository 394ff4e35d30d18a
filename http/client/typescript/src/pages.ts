/** Lists, page by page: each answer's `Link` header has the cursor of the next. */
import type { Client } from "openapi-fetch"
import type { paths } from "../generated/api.ts"

/** Paths with a GET. */
export type GetPath = {
  [Path in keyof paths]: paths[Path] extends { get: { responses: { 200: unknown } } } ? Path : never
}[keyof paths]

type Get<Path extends GetPath> = paths[Path] extends { get: infer Operation } ? Operation : never

/** The parameters of a GET. */
export interface Init<Path extends GetPath> {
  readonly params?: Get<Path> extends { parameters: infer Parameters } ? Parameters : never
}

/** The body of a GET's answer. */
export type Page<Path extends GetPath> =
  Get<Path> extends { responses: { 200: { content: { "application/json": infer Body } } } } ? Body : unknown

/** A refusal (RFC 9457). */
export class ServiceError extends Error {
  override readonly name = "ServiceError"
  readonly status: number
  /** The problem document. */
  readonly problem: unknown

  constructor(status: number, problem: unknown) {
    const message =
      typeof problem === "object" && problem !== null && "message" in problem ? problem.message : ""
    super(`${status}: ${String(message)}`)
    this.status = status
    this.problem = problem
  }
}

/** The cursor of the next page; undefined on the last. */
const nextCursor = ({ headers }: Response): string | undefined => {
  const [, url] = /<([^>]+)>;\s*rel="next"/.exec(headers.get("link") ?? "") ?? []
  return url === undefined ? undefined : (new URL(url).searchParams.get("cursor") ?? undefined)
}

export const pagesOf = (client: Pick<Client<paths, `application/${string}json`>, "GET">) => {
  // One function for all paths: what it takes and gives is in the type of `pages`.
  const get = client.GET as unknown as (
    path: string,
    init: object
  ) => Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>
  return async function* <Path extends GetPath>(
    path: Path,
    init?: Init<Path>
  ): AsyncGenerator<Page<Path>, void> {
    const params: { readonly query?: object } = init?.params ?? {}
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const query = { ...params.query, ...(cursor === undefined ? {} : { cursor }) }
      const { data, error, response } = await get(path, { params: { ...params, query } })
      if (error !== undefined) throw new ServiceError(response.status, error)
      yield data as Page<Path>
      cursor = nextCursor(response)
    }
  }
}
