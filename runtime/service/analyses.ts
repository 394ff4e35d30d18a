/** The language model that the operator configured, if any, and the analyses it writes. */
import { Effect, Layer, Option } from "effect"
import { Analyses } from "../../core/products/shared/analyst.ts"
import { onDuty } from "../cluster/Duties.ts"
import * as LanguageModel from "../outside/languageModel.ts"
import { Settings } from "../settings/Settings.ts"

/** Writes the analyses that are due, once a minute. */
export const writing = Layer.effectDiscard(
  Effect.flatMap(Analyses, ({ run }) => onDuty("writing analyses", "1 minute", run))
)

/** Empty if no model is configured: analyses then come from rules. */
export const layer = Layer.unwrap(
  Effect.map(Settings, ({ aiApiBase, aiApiKey, aiModel }) =>
    Option.isNone(aiApiBase) || Option.isNone(aiModel)
      ? Layer.empty
      : Layer.merge(Analyses.layerAnalyst, writing).pipe(
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
