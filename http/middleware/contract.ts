/** Enforces the contract of each endpoint (`api/Contract.ts`). */
import { Context, Effect, Layer, type Types } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { Contract, Lasts, WithoutBody } from "../api/Contract.ts"
import { Exchange } from "../delivery/Exchange.ts"
import type { Routes } from "../routes.ts"
import { isOfRequest, undecodable } from "../toProblem.ts"

export const layer = (routes: Routes): Layer.Layer<Contract> =>
  Layer.succeed(Contract, (handle, { endpoint }) => {
    const route = routes.ofEndpoint(endpoint)
    const lasts = Context.get(endpoint.annotations, Lasts)
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
      const query = yield* HttpServerRequest.ParsedSearchParams
      for (const [name, value] of Object.entries(query)) {
        if (!names.has(name)) return yield* unknownName(name, [...names])
        if (typeof value !== "string") return yield* givenTwice(name)
      }
      const exchange = yield* Exchange
      exchange.lasts = lasts
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
