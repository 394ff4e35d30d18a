/** The language model that the operator configured, if any, and the analyses that it writes. */
import { Effect, Layer, Option, Schedule } from "effect"
import { Analyses } from "../../core/products/analyst.ts"
import * as LanguageModel from "../outside/languageModel.ts"
import { Settings } from "./Settings.ts"

const repeatedly = Layer.effectDiscard(
  Effect.gen(function* () {
    const analyses = yield* Analyses
    yield* analyses.run.pipe(
      Effect.catch((error) =>
        Effect.logError("analyses did not come to their end", { cause: error.message })
      ),
      Effect.repeat(Schedule.spaced("1 minute")),
      Effect.forkScoped
    )
  })
)

/** Nothing where no model is configured: the rules write then. */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ aiApiBase, aiApiKey, aiModel }) =>
    Option.isNone(aiApiBase) || Option.isNone(aiModel)
      ? Layer.empty
      : Layer.merge(Analyses.layerAnalyst, repeatedly).pipe(
          Layer.provide(Analyses.layer),
          Layer.provide(
            LanguageModel.layer({
              base: aiApiBase.value.href,
              model: aiModel.value,
              key: Option.getOrUndefined(aiApiKey)
            })
          )
        )
  )
)
