/** Anchoring through the calendars and block explorers in the settings. */
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Anchors } from "../../core/log/Anchors.ts"
import * as Calendars from "../outside/calendars.ts"
import * as Esplora from "../outside/esplora.ts"
import { liveOf, Settings } from "../settings/Settings.ts"

/** `Anchors`, and the set of stamped networks that lists display. */
export const layer = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    Anchors.layerStamped.pipe(
      Layer.provideMerge(Anchors.layer),
      Layer.provide(
        Layer.mergeAll(
          Calendars.layer(() => liveOf(settings).otsCalendars),
          Esplora.layer(() => liveOf(settings).esploraUrls, settings.anchorNetwork),
          layerWebCrypto
        )
      )
    )
  )
)
