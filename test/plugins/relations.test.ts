/** What the relations of all manifests have to name. */
import { assert, it } from "@effect/vitest"
import { metricNamed } from "../../core/plugin/Manifest.ts"
import { metricsIn } from "../../core/plugin/relations.ts"
import { plugins } from "../support/plugins.ts"

const manifests = plugins.map(({ manifest }) => manifest)

it("a sum over a family names members that are always there", () => {
  const sums = manifests.flatMap(({ id, metrics, relations = [] }) =>
    relations.flatMap((relation) =>
      relation.kind === "sumOf" && relation.parts.some((part) => part.endsWith("*"))
        ? [{ id, metrics, ...relation }]
        : []
    )
  )
  assert.isAbove(sums.length, 4)
  for (const { id, metrics, parts, total, words } of sums) {
    assert.isNotEmpty(words, `${id}: ${total} is a sum over ${parts.join(", ")}`)
    for (const word of words) {
      const names = parts.map((part) => (part.endsWith("*") ? `${part.slice(0, -1)}${word}` : part))
      assert.isTrue(
        names.some((name) => metricNamed(metrics, name) !== undefined),
        `${id}: no part of ${total} ends in ${word}`
      )
    }
  }
})

it("what a relation does without is one of its own figures", () => {
  for (const { id, relations = [] } of manifests) {
    for (const relation of relations) {
      assert.includeMembers([...metricsIn(relation)], [...(relation.optional ?? [])], id)
    }
  }
})
