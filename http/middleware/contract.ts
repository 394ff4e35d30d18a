/** Enforces the contract of each endpoint (`api/Contract.ts`). */
import { Clock, Context, Effect, Layer, type Types } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as DataClock from "../../core/data/DataClock.ts"
import { Feeds } from "../../core/data/Feeds.ts"
import { knownSymbol } from "../../core/data/read/parameters.ts"
import { Basis, periods, Versions } from "../../core/data/read/Versions.ts"
import type { Dependency } from "../../core/wire/data/dependency.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { type Asked, Contract, DependsOn, WithoutBody } from "../api/Contract.ts"
import type { Keeping } from "../delivery/answer.ts"
import { RequestState } from "../delivery/RequestState.ts"
import type { Routes } from "../routes.ts"
import { isOfRequest, undecodable } from "../toProblem.ts"

export const layer = (routes: Routes): Layer.Layer<Contract, never, Feeds | Versions> =>
  Layer.effect(
    Contract,
    Effect.gen(function* () {
      const feeds = yield* Feeds
      const { cell } = yield* Versions

      /** The dependencies with the names of their networks as the read side knows them; none if it knows no such network. */
      const resolved = (named: ReadonlyArray<Dependency> | undefined) =>
        Effect.forEach(named ?? [], (one) =>
          typeof one === "string"
            ? Effect.succeed<Dependency>(one)
            : Effect.map(knownSymbol("symbol", one.symbol), (symbol): Dependency => ({ symbol }))
        ).pipe(
          Effect.map((all) => (named === undefined ? undefined : all)),
          Effect.orElseSucceed(() => undefined),
          Effect.provideService(Feeds, feeds)
        )

      /** Notes what the response will depend on, before its handler reads any of it. */
      const noteBasis = Effect.fnUntraced(function* (dependsOn: DependsOn, asked: Asked) {
        const dependencies = yield* resolved(dependsOn(asked))
        if (dependencies === undefined) return
        const exchange = yield* RequestState
        exchange.basis = new Basis(dependencies.map(cell), yield* DataClock.now)
        exchange.keeping = keepingOf(dependencies, yield* DataClock.now, yield* Clock.currentTimeMillis)
      })

      return Contract.of((handle, { endpoint }) => {
        const route = routes.ofEndpoint(endpoint)
        const dependsOn = Context.get(endpoint.annotations, DependsOn)
        const withoutBody = Context.get(endpoint.annotations, WithoutBody)
        const names = new Set(
          route?.parameters.filter((parameter) => parameter.in === "query").map((parameter) => parameter.name)
        )
        const valid = (field: string) => {
          const found = route?.parameters.find((parameter) => parameter.name === field)
          return {
            ...(found?.valid_values === undefined ? {} : { valid_values: found.valid_values }),
            ...(found?.valid === undefined ? {} : { valid: found.valid })
          }
        }
        return Effect.gen(function* () {
          const query: Record<string, string> = {}
          for (const [name, value] of Object.entries(yield* HttpServerRequest.ParsedSearchParams)) {
            // Links to pages pick up parameters of others on their way.
            if (!names.has(name) && route?.forPeople === true) continue
            if (!names.has(name)) return yield* unknownName(name, [...names])
            if (typeof value !== "string") return yield* givenTwice(name)
            query[name] = value
          }
          yield* noteBasis(dependsOn, { params: yield* HttpRouter.params, query })
          const decoded =
            withoutBody === undefined
              ? handle
              : Effect.updateService(handle, HttpServerRequest.HttpServerRequest, bodyOr(withoutBody))
          return yield* Effect.catch(
            decoded,
            (error): Effect.Effect<never, Types.unhandled | BadParameter> =>
              HttpApiError.HttpApiSchemaError.is(error) && isOfRequest(error)
                ? Effect.fail(undecodable(error, valid))
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
const keepingOf = (dependencies: ReadonlyArray<Dependency>, dataNow: number, now: number): Keeping => {
  if (dependencies.length === 0) return "forever"
  const period = dependencies.includes("second")
    ? periods.second
    : dependencies.includes("clock")
      ? periods.clock
      : undefined
  return period === undefined ? undefined : now + period - (dataNow % period)
}

/** The request, with `otherwise` in place of an empty body. */
const bodyOr =
  (otherwise: string) =>
  (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
    Object.create(request, {
      text: { value: Effect.map(request.text, (sent) => (sent === "" ? otherwise : sent)) }
    })

const unknownName = (name: string, names: ReadonlyArray<string>) =>
  new BadParameter({
    message:
      `Unknown parameter ${JSON.stringify(name.slice(0, 100))}. ` +
      (names.length === 0 ? "This path takes no parameters." : `Valid parameters: ${names.join(", ")}.`),
    field: name.slice(0, 100),
    valid_values: names
  })

const givenTwice = (name: string) =>
  new BadParameter({
    message: `${name} was sent more than once; send it once.`,
    field: name,
    valid: "one value"
  })
