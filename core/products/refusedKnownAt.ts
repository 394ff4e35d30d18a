import { BadParameter } from "../wire/problems/request.ts"
import type { Definition } from "./definition.ts"

/** The refusal of `as_known_at` by what exists only as of now; undefined for all else. */
export const refusedKnownAt = ({ key, onlyNow }: Definition): BadParameter | undefined =>
  onlyNow === undefined
    ? undefined
    : new BadParameter({
        field: "as_known_at",
        message: `${key} has no as_known_at: ${onlyNow}. Nothing was charged.`
      })
