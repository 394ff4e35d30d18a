/** What a search knows of the feeds of a process: their metrics in words, what they name, and the words of both. */
import { Category } from "../../plugin/kinds.ts"
import type { Manifest } from "../../plugin/Manifest.ts"
import { growthWords } from "./searchGrowth.ts"
import { type MetricWords, metricWordsOf, placeWords } from "./searchMetrics.ts"
import { pageWords } from "./searchPages.ts"
import { Subjects } from "./searchSubjects.ts"
import { allOtherNames, symbolWords, tellingWords, Vocabulary } from "./searchWords.ts"

/** What is made of the feeds of a process, which stay the same. */
export class Index {
  readonly all: ReadonlyArray<Manifest>
  readonly subjects: Subjects
  readonly #manifests: ReadonlyMap<string, Manifest>
  readonly #entries = new Map<string, MetricWords | undefined>()
  readonly vocabulary: Vocabulary

  constructor(all: ReadonlyArray<Manifest>) {
    this.all = all
    this.subjects = new Subjects(all)
    this.#manifests = new Map(all.map((manifest) => [manifest.id, manifest]))
    const texts = all.flatMap(({ id, metrics }) =>
      Object.keys(metrics).flatMap((metric) => {
        const entry = this.entry(id, metric)
        return entry === undefined ? [] : [...entry.all, ...entry.others.flat(), ...entry.text]
      })
    )
    this.vocabulary = new Vocabulary([
      ...texts,
      ...this.subjects.words,
      ...Category.literals,
      ...pageWords,
      ...placeWords,
      ...symbolWords,
      ...allOtherNames.flatMap(tellingWords),
      ...growthWords
    ])
  }

  /** A metric of a feed in words; undefined where the feed declares it no more. */
  entry(feed: string, metric: string): MetricWords | undefined {
    const key = `${feed} ${metric}`
    if (!this.#entries.has(key)) {
      const manifest = this.#manifests.get(feed)
      this.#entries.set(key, manifest === undefined ? undefined : metricWordsOf(manifest, metric))
    }
    return this.#entries.get(key)
  }
}

const indices = new WeakMap<ReadonlyArray<Manifest>, Index>()

export const indexOf = (manifests: ReadonlyArray<Manifest>): Index => {
  const before = indices.get(manifests)
  if (before !== undefined) return before
  const index = new Index(manifests)
  indices.set(manifests, index)
  return index
}
