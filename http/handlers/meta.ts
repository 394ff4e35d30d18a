import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RegistrationsPerDay } from "../../core/credits/Accounts.ts"
import { LimitSettings } from "../../core/credits/Limits.ts"
import { healthData } from "../../core/data/read/health.ts"
import { uptime } from "../../core/data/read/uptime.ts"
import { publishedKeys } from "../../core/log/read/keys.ts"
import { readiness } from "../../core/log/read/readiness.ts"
import { problems } from "../../core/wire/problems/all.ts"
import { NotFound } from "../../core/wire/problems/request.ts"
import { NotReady } from "../../core/wire/problems/service.ts"
import { Api } from "../api/Api.ts"
import { description } from "../description/description.ts"
import { ExtraRoutes } from "../ExtraRoutes.ts"
import { home } from "../explorer/pages/home.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { orProblem } from "../orProblem.ts"
import { slug } from "../pages/docs/html.ts"
import { overview } from "../pages/docs/overview.ts"
import { recipesPage } from "../pages/docs/recipes.ts"
import { section } from "../pages/docs/section.ts"
import { limitTexts } from "../pages/limits.ts"
import { page } from "../pages/page.ts"
import { problemBody } from "../pages/problems.ts"
import { terms } from "../pages/terms.ts"

const modeNotes = {
  replay: "Recorded and simulated data for a demonstration: nothing here is live.",
  mapped: "Upstream hosts are redirected to local stand-ins: nothing here is live."
}

export const layer = HttpApiBuilder.group(
  Api,
  "meta",
  Effect.fn(function* (handlers) {
    const settings = yield* HttpSettings
    const limits = limitTexts({ ...(yield* LimitSettings), registrations: yield* RegistrationsPerDay })
    const document = HttpServerResponse.jsonUnsafe({
      ...description,
      info: {
        ...description.info,
        description: [description.info.description, "## Limits", ...limits].join("\n\n")
      },
      servers: [{ url: settings.baseUrl }]
    })
    const { baseUrl } = settings
    const docsPage = page(
      `${description.info.title} ${description.info.version}`,
      overview(description, { ...settings, limits, extraRoutes: yield* ExtraRoutes })
    )
    const sections = new Map(
      description.tags.map(
        ({ name }) => [slug(name), page(name, section(description, baseUrl, name))] as const
      )
    )
    const recipes = Effect.map(Clock.currentTimeMillis, (now) => page("Recipes", recipesPage(baseUrl, now)))
    const termsPage = page("Terms of use", terms)
    return handlers.handleAll({
      health: () =>
        Effect.map(healthData, (data) => ({
          status: "ok" as const,
          version: description.info.version,
          mode: settings.mode,
          ...(settings.mode === "live" ? {} : { mode_note: modeNotes[settings.mode] }),
          data
        })),
      ready: () =>
        Effect.flatMap(readiness, ({ generated_utc, reasons, warnings }) =>
          reasons.length === 0
            ? Effect.succeed({ status: "ready" as const, generated_utc, warnings })
            : Effect.fail(
                new NotReady({ message: reasons.map(({ message }) => message).join(" "), reasons, warnings })
              )
        ),
      uptime: () => orProblem(uptime),
      keys: () => orProblem(publishedKeys),
      openapi: () => Effect.succeed(document),
      index: () =>
        Effect.succeed({
          name: "Plumbline" as const,
          version: description.info.version,
          description:
            "Verifiable data about decentralized physical infrastructure networks and the physical world.",
          docs: "/docs",
          openapi: "/openapi.json",
          explorer: "/",
          keys: "/.well-known/service-signing-key.json",
          start: [
            "/try",
            "/v1/symbols",
            "/v1/network/FIL",
            "/v1/world",
            "/v1/events",
            "/v1/archive/",
            "/v1/attestations"
          ]
        }),
      home: ({ query }) => home(query),
      docs: () => Effect.succeed(docsPage),
      docsPage: ({ params }) => {
        if (params.page === "recipes") return recipes
        const found = sections.get(params.page)
        return found === undefined
          ? Effect.fail(new NotFound({ message: "Unknown page. See /docs for all of them." }))
          : Effect.succeed(found)
      },
      terms: () => Effect.succeed(termsPage),
      problem: ({ params }) => {
        const found = problems.get(params.id)
        return found === undefined
          ? Effect.fail(new NotFound({ message: "Unknown problem. See /docs for all problems." }))
          : Effect.succeed(page(found.title, problemBody(params.id, found)))
      }
    })
  })
)
