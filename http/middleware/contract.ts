/** Enforces the contract of each endpoint (`api/Contract.ts`). */
import { Clock, Context, Effect, Layer, Option, Schema, type Types } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { knownSymbol } from "../../core/readings/read/parameters.ts"
import { CacheValidators, periods, Versions } from "../../core/readings/read/Versions.ts"
import type { Dependency } from "../../core/wire/data/dependency.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { jsonHasNul } from "../../core/wire/text.ts"
import {
  Contract,
  DependsOn,
  NotFoundDependsOn,
  ReadsBody,
  type RequestParams,
  WithoutBody
} from "../api/Contract.ts"
import type { CachePolicy } from "../delivery/answer.ts"
import { RequestState } from "../delivery/RequestState.ts"
import { isOfRequest, toBadParameter } from "../problems/fromRequest.ts"
import type { Routes } from "../routing/routes.ts"

export const layer = (routes: Routes): Layer.Layer<Contract, never, Feeds | Versions> =>
  Layer.effect(
    Contract,
    Effect.gen(function* () {
      const feeds = yield* Feeds
      const versions = yield* Versions

      /**
       * The dependencies with the names of their networks as the read side knows them. Which names it does not know depends
       * on the feeds.
       */
      const resolved = (named: ReadonlyArray<Dependency>) =>
        Effect.forEach(named, (one) =>
          typeof one === "string"
            ? Effect.succeed<Dependency>(one)
            : knownSymbol("symbol", one.symbol).pipe(
                Effect.map((symbol): Dependency => ({ symbol })),
                Effect.orElseSucceed((): Dependency => "feeds")
              )
        ).pipe(Effect.provideService(Feeds, feeds))

      /** Notes what the response will depend on, before its handler reads any of it. */
      const noteBasis = Effect.fnUntraced(function* (
        {
          dependsOn,
          notFoundDependsOn
        }: { readonly dependsOn: DependsOn; readonly notFoundDependsOn: DependsOn },
        request: RequestParams
      ) {
        const named = dependsOn(request)
        if (named === undefined) return
        const dependencies = yield* resolved(named)
        const others = notFoundDependsOn(request)
        // Whether the answer will be a 404 is known only once it is made, so it waits for what either depends on.
        const ofNotFound = others === undefined ? undefined : [...dependencies, ...(yield* resolved(others))]
        yield* versions.settled(ofNotFound ?? dependencies)
        const exchange = yield* RequestState
        const now = yield* DataClock.now
        exchange.validators = new CacheValidators(dependencies.map(versions.cell), now)
        exchange.notFoundValidators =
          ofNotFound === undefined ? undefined : new CacheValidators(ofNotFound.map(versions.cell), now)
        exchange.cachePolicy = cachePolicyOf(dependencies, now, yield* Clock.currentTimeMillis)
      })

      return Contract.of((handle, { endpoint }) => {
        const route = routes.ofEndpoint(endpoint)
        const dependsOn = Context.get(endpoint.annotations, DependsOn)
        const notFoundDependsOn = Context.get(endpoint.annotations, NotFoundDependsOn)
        const withoutBody = Context.get(endpoint.annotations, WithoutBody)
        const readsBody = Context.get(endpoint.annotations, ReadsBody)
        const valid = (field: string) => {
          const parameter = route?.takes().parameters.find((parameter) => parameter.name === field)
          return {
            ...(parameter?.valid_values === undefined ? {} : { valid_values: parameter.valid_values }),
            ...(parameter?.valid === undefined ? {} : { valid: parameter.valid })
          }
        }
        return Effect.gen(function* () {
          const query: Record<string, string> = {}
          for (const [name, value] of Object.entries(yield* HttpServerRequest.ParsedSearchParams)) {
            const names = route?.takes().query ?? []
            if (!names.includes(name)) return yield* unknownName("parameter", name, names)
            if (typeof value !== "string") return yield* givenTwice(name)
            query[name] = value
          }
          yield* noteBasis({ dependsOn, notFoundDependsOn }, { params: yield* HttpRouter.params, query })
          const request = yield* HttpServerRequest.HttpServerRequest
          if (request.method !== "GET" && isJson(request)) yield* withoutNul(request)
          const members = request.method === "GET" || readsBody ? undefined : route?.takes().members
          const decoded =
            members !== undefined && isJson(request)
              ? Effect.provideService(
                  handle,
                  HttpServerRequest.HttpServerRequest,
                  withText(request, yield* checkedBody(request, members, withoutBody))
                )
              : handle
          return yield* Effect.catch(
            decoded,
            (error): Effect.Effect<never, Types.unhandled | BadParameter> =>
              HttpApiError.HttpApiSchemaError.is(error) && isOfRequest(error)
                ? Effect.fail(toBadParameter(error, valid))
                : Effect.fail(error)
          )
        })
      })
    })
  )

/**
 * A response that depends on nothing can be kept forever. One that depends on the clock says how things stand at its last
 * tick, so it can be kept until the next. Any other may change at any time.
 */
const cachePolicyOf = (
  dependencies: ReadonlyArray<Dependency>,
  dataNow: number,
  now: number
): CachePolicy => {
  if (dependencies.length === 0) return "forever"
  const period = dependencies.includes("second")
    ? periods.second
    : dependencies.includes("clock")
      ? periods.clock
      : undefined
  return period === undefined ? undefined : now + period - (dataNow % period)
}

/** Any other type is refused by the decoder, as is its absence unless the body is optional. */
export const isJson = (request: HttpServerRequest.HttpServerRequest): boolean =>
  /^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "application/json")

/** Postgres stores no text with NUL, whichever member has it, so whoever reads the body is never given one. */
const withoutNul = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (!jsonHasNul(yield* Effect.orDie(request.text))) return
  return yield* new BadParameter({
    field: "body",
    message: "The body must not contain a NUL character (\\u0000).",
    valid: "JSON without NUL characters"
  })
})

/**
 * The text of a JSON body without the members that are null: some clients send every member of a schema, with null for
 * those that they leave out. Fails on a member that the endpoint does not have, which may be a misspelt filter or bound.
 */
const checkedBody = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  members: ReadonlyArray<string>,
  withoutBody: string | undefined
) {
  const raw = yield* Effect.orDie(request.text)
  const text = raw === "" && withoutBody !== undefined ? withoutBody : raw
  const body = Option.getOrUndefined(decodeObject(text))
  if (body === undefined) return text
  const stray = Object.keys(body).find((name) => !members.includes(name))
  if (stray !== undefined) return yield* unknownName("member", stray, members)
  const present = Object.entries(body).filter(([, value]) => value !== null)
  return present.length === Object.keys(body).length ? text : JSON.stringify(Object.fromEntries(present))
})

const decodeObject = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)

const withText = (
  request: HttpServerRequest.HttpServerRequest,
  text: string
): HttpServerRequest.HttpServerRequest => Object.create(request, { text: { value: Effect.succeed(text) } })

const unknownName = (kind: "parameter" | "member", name: string, names: ReadonlyArray<string>) =>
  new BadParameter({
    message:
      `Unknown ${kind} ${JSON.stringify(name.slice(0, 100))}. ` +
      (names.length === 0 ? `This path takes no ${kind}s.` : `Valid ${kind}s: ${names.join(", ")}.`),
    field: name.slice(0, 100),
    valid_values: names
  })

const givenTwice = (name: string) =>
  new BadParameter({
    message: `${name} was sent more than once; send it once.`,
    field: name,
    valid: "one value"
  })
