import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WarrantyTerms } from "../../core/credits/warranty/terms.ts"
import { publishedKeys } from "../../core/log/record/keys.ts"
import { readinessFor } from "../../core/log/record/readiness.ts"
import { healthData } from "../../core/readings/read/health.ts"
import { uptime } from "../../core/readings/read/uptime.ts"
import { problems } from "../../core/wire/problems/all.ts"
import { BadParameter, NotFound } from "../../core/wire/problems/request.ts"
import { NotReady } from "../../core/wire/problems/service.ts"
import packageJson from "../../package.json" with { type: "json" }
import { Api, version } from "../api/Api.ts"
import { sections } from "../description/sections.ts"
import { Assets } from "../explorer/assets/Assets.ts"
import { today } from "../explorer/pages/today.ts"
import { HttpSettings, testUrlOf } from "../HttpSettings.ts"
import { Operator } from "../Operator.ts"
import { Documents } from "../pages/docs/Documents.ts"
import { slug } from "../pages/docs/html.ts"
import { openapiAddress } from "../pages/docs/openapi.ts"
import { recipesPage } from "../pages/docs/recipes.ts"
import { testModePage } from "../pages/docs/testMode.ts"
import { page } from "../pages/page.ts"
import { problemBody } from "../pages/problems.ts"
import { terms } from "../pages/terms.ts"
import { orProblem } from "../problems/fromCore.ts"

const modeNotes = {
  replay: "Recorded and simulated data for a demonstration: nothing here is live.",
  mapped: "Upstream hosts are redirected to local stand-ins: nothing here is live."
}

const sectionSlugs = sections.map(({ name }) => slug(name))

/** Of a combination that the documents do not have. */
const noSuchSection = ({ form }: { readonly form?: string }): BadParameter =>
  form === "examples"
    ? new BadParameter({
        field: "section",
        message: "The examples are one document: leave out section, or form=examples."
      })
    : new BadParameter({
        field: "section",
        message: `There is no such section. Valid: ${sectionSlugs.join(", ")}.`,
        valid_values: sectionSlugs
      })

export const layer = HttpApiBuilder.group(
  Api,
  "meta",
  Effect.fn(function* (handlers) {
    const settings = yield* HttpSettings
    const { baseUrl, mode } = settings
    const frame = { settings, assets: yield* Assets }
    const documents = yield* Documents
    const recipes = Effect.map(Clock.currentTimeMillis, (now) =>
      page(
        {
          title: "Recipes",
          description: "The data in DuckDB, Python, pandas, R, Excel, Grafana and dbt, as commands to copy.",
          path: "/docs/recipes",
          body: recipesPage(baseUrl, now),
          isDocumentation: true
        },
        frame
      )
    )
    const testMode = page(
      {
        title: "Test mode",
        description: "How to buy before you pay: test keys, test cards and a test chain.",
        path: "/docs/test-mode",
        body: testModePage(testUrlOf(settings)),
        isDocumentation: true
      },
      frame
    )
    const termsPage = page(
      {
        title: "Terms of use",
        description: "What the values are, what the signatures say, and what holds for purchases and limits.",
        path: "/terms",
        body: terms(yield* Operator, yield* WarrantyTerms)
      },
      frame
    )
    return handlers.handleAll({
      health: () =>
        Effect.map(healthData, (data) => ({
          status: "ok" as const,
          version: packageJson.version,
          mode,
          ...(mode === "live" ? {} : { mode_note: modeNotes[mode] }),
          data
        })),
      ready: ({ query }) =>
        Effect.flatMap(readinessFor(query.for ?? "reads"), ({ generated_utc, reasons, warnings }) =>
          reasons.length === 0
            ? Effect.succeed({ status: "ready" as const, generated_utc, warnings })
            : Effect.fail(
                new NotReady({ message: reasons.map(({ message }) => message).join(" "), reasons, warnings })
              )
        ),
      uptime: () => orProblem(uptime),
      keys: () => orProblem(publishedKeys),
      openapi: ({ query }) =>
        Effect.flatMap(documents.find(openapiAddress(query)), (document) =>
          document === undefined ? Effect.fail(noSuchSection(query)) : Effect.succeed(document)
        ),
      index: () =>
        Effect.succeed({
          name: "Plumbline" as const,
          version,
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
      home: () => today(),
      docs: () => documents.at("/docs"),
      docsPage: ({ params }) =>
        params.page === "recipes"
          ? recipes
          : params.page === "test-mode"
            ? Effect.succeed(testMode)
            : Effect.flatMap(documents.find(`/docs/${params.page}`), (document) =>
                document === undefined
                  ? Effect.fail(new NotFound({ message: "Unknown page. See /docs for all of them." }))
                  : Effect.succeed(document)
              ),
      terms: () => Effect.succeed(termsPage),
      problem: ({ params }) => {
        const problem = problems.get(params.id)
        return problem === undefined
          ? Effect.fail(new NotFound({ message: "Unknown problem. See /docs for all problems." }))
          : Effect.succeed(
              page(
                {
                  title: problem.title,
                  description: problem.meaning,
                  path: `/problems/${params.id}`,
                  body: problemBody(params.id, problem)
                },
                frame
              )
            )
      }
    })
  })
)
