/** Tests that need programs, which are skipped where one is missing. */
import { layer as built, describe, type Vitest } from "@effect/vitest"
import type { Layer } from "effect"
import { missing, type Name } from "./programs.ts"

/** `layer` of `@effect/vitest`; where a program is missing, the layer is not built. */
export const layerNeeding =
  (...names: ReadonlyArray<Name>) =>
  <R, E>(layer: Layer.Layer<R, E>, options?: Parameters<typeof built>[1]) =>
  (name: string, body: (it: Vitest.MethodsNonLive<R>) => void): void => {
    describe.skipIf(missing(...names))(name, () => built(layer, options)(body))
  }
