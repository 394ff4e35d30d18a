/** The releases, oldest first: what every other place that names their commits reads. */
import releasesJson from "./releases.json" with { type: "json" }

export interface Release {
  readonly version: string
  /** The commit that was released, in full. */
  readonly commit: string
  /** The day of that commit, YYYY-MM-DD. */
  readonly date: string
}

export const releases: ReadonlyArray<Release> = releasesJson
