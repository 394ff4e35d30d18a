/** What the check says of the evidence, the hosts' signs of life, the terms and the relations of a manifest. */
import { isOld, oldAfterDays, signOf } from "../../../core/catalog/SignsOfLife.ts"
import {
  dueAfterDays,
  isDue,
  type Manifest,
  metricNamed,
  type Permission,
  type Terms,
  uses
} from "../../../core/plugin/Manifest.ts"
import { metricsIn, type Relation } from "../../../core/plugin/relations.ts"
import { type Finding, note, scaffoldMark, todo, wrong } from "./Finding.ts"

/** A file of a public repository at a commit, and the line where a member is filled. */
export interface SourceFile {
  readonly repository: string
  readonly commit: string
  readonly path: string
  readonly line: number | undefined
}

const sourceForm = /^([\w.-]+\/[\w.-]+)@([0-9a-f]{7,40}) (\S+?)(?::(\d+)(?:-\d+)?)?$/

/** The file that `<owner>/<repository>@<commit> <path>:<line>` names; undefined for a document, or for anything else. */
export const sourceFileOf = (source: string): SourceFile | undefined => {
  const match = sourceForm.exec(source)
  if (match === null) return undefined
  const [, repository = "", commit = "", path = "", line] = match
  return { repository, commit, path, line: line === undefined ? undefined : Number(line) }
}

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

const isAddress = (text: string): boolean => text.startsWith("https://") && URL.canParse(text)

const example =
  '{ source: "<owner>/<repository>@<commit> <path>:<line>, or the https address of a document", read: "<YYYY-MM-DD>", members: ["<name>"] }'

/** Each place can be opened by a stranger, has its day, and names the members that were read there. */
export const evidenceFindings = ({ evidence = [] }: Manifest): ReadonlyArray<Finding> => {
  if (evidence.length === 0) {
    return [wrong("manifest", "evidence is missing", `add evidence: [${example}]`)]
  }
  return evidence.flatMap((entry, index) => {
    const where = `evidence[${index}]`
    if (entry.source.includes(scaffoldMark))
      return [todo("manifest", `${where} is still the scaffold's`, `write ${example}`)]
    const findings: Array<Finding> = []
    if (sourceFileOf(entry.source) === undefined && !isAddress(entry.source)) {
      findings.push(
        wrong(
          "manifest",
          `${where}.source does not say where a stranger can read it`,
          "write <owner>/<repository>@<commit> <path>, or the https address of a document"
        )
      )
    }
    if (!isDay(entry.read))
      findings.push(wrong("manifest", `${where}.read ${entry.read} is not a day`, "write it as YYYY-MM-DD"))
    if (entry.members.length === 0)
      findings.push(
        wrong("manifest", `${where}.members is empty`, "name the members of the answers that were read there")
      )
    return findings
  })
}

/** A note for each place that was read so long ago that the upstream may have changed since. */
export const dueFindings = ({ evidence = [] }: Manifest, now: number): ReadonlyArray<Finding> =>
  evidence
    .filter((entry) => isDue(entry, now))
    .map(({ read, source }) =>
      note(
        "manifest",
        `evidence of ${read} is older than ${dueAfterDays} days: ${source}`,
        "read it again, and write the day"
      )
    )

const writeSign = "write what you read of it, with its day and its source, in core/catalog/signs-of-life.json"

/** Notes of the hosts that nobody saw alive in public, and of those that nobody saw lately. */
export const lifeFindings = ({ hosts }: Manifest, now: number): ReadonlyArray<Finding> => {
  const unseen = hosts.filter((host) => signOf(host) === undefined)
  const old = hosts.flatMap((host) => {
    const sign = signOf(host)
    return sign !== undefined && isOld(sign, now) ? [`${host} (${sign.date})`] : []
  })
  return [
    ...(unseen.length > 0
      ? [note("manifest", `no public sign of life is written down: ${unseen.join(", ")}`, writeSign)]
      : []),
    ...(old.length > 0
      ? [
          note(
            "manifest",
            `the newest public sign of life is older than ${oldAfterDays} days: ${old.join(", ")}`,
            writeSign
          )
        ]
      : [])
  ]
}

const permissions: ReadonlyArray<Permission> = ["yes", "no", "unknown"]

/** The terms are read, or say that they could not be. */
export const termsFindings = ({ terms }: Manifest): ReadonlyArray<Finding> => {
  if (terms === undefined) return []
  const fields: ReadonlyArray<readonly [member: keyof Terms, isValid: boolean, next: string]> = [
    [
      "address",
      terms.address === undefined || isAddress(terms.address) || sourceFileOf(terms.address) !== undefined,
      "write an https address, or <owner>/<repository>@<commit> <path>"
    ],
    ["read", isDay(terms.read), "write it as YYYY-MM-DD"],
    ["licence", terms.licence.trim() !== "", "write an SPDX identifier, proprietary, or unknown"],
    ...uses.map((use) => [use, permissions.includes(terms[use]), "write yes, no or unknown"] as const),
    ["attribution", terms.attribution.trim() !== "", "write the words that credit the source"],
    ["quote", (terms.quote ?? "").length <= 300, "write at most 300 characters"]
  ]
  return fields.flatMap(([member, isValid, next]) =>
    isValid ? [] : [wrong("manifest", `terms.${member} is not valid`, next)]
  )
}

/** Relations and agreements name metrics of the manifest. */
export const relationFindings = ({
  agreesWith = [],
  metrics,
  relations = []
}: Manifest): ReadonlyArray<Finding> => {
  const isDeclared = (name: string) =>
    Object.hasOwn(metrics, name) || metricNamed(metrics, name) !== undefined
  const named = [
    ...relations.flatMap((relation) => metricsIn(relation).map((name) => [nameOf(relation), name] as const)),
    ...agreesWith.map(({ metric }) => ["agreesWith", metric] as const)
  ]
  return [
    ...named.flatMap(([where, name]) =>
      isDeclared(name)
        ? []
        : [
            wrong(
              "manifest",
              `${where} names ${name}, which is not in metrics`,
              "name a metric of the plugin"
            )
          ]
    ),
    ...relations.flatMap((relation) => [
      ...familyFindings(metrics, relation),
      ...(relation.optional ?? [])
        .filter((name) => !metricsIn(relation).includes(name))
        .map((name) =>
          wrong(
            "manifest",
            `${nameOf(relation)} does without ${name}, which is none of its figures`,
            "name in optional a figure of the relation"
          )
        )
    ]),
    ...[...relations, ...agreesWith].flatMap(({ tolerance = 0 }) =>
      tolerance >= 0 && tolerance < 1
        ? []
        : [
            wrong(
              "manifest",
              `a tolerance of ${tolerance} is not a share`,
              "write a number from 0 to below 1, such as 0.02"
            )
          ]
    )
  ]
}

/** A sum over a family names members that are always there, or it could not be told from one of which some are missing. */
const familyFindings = (metrics: Manifest["metrics"], relation: Relation): ReadonlyArray<Finding> => {
  if (relation.kind !== "sumOf" || !relation.parts.some((part) => part.endsWith("*"))) return []
  const { parts, words } = relation
  if (words.length === 0)
    return [
      wrong(
        "manifest",
        `${nameOf(relation)} is a sum over a family`,
        "name in words members that are always there"
      )
    ]
  return words
    .filter((word) => {
      const names = parts.map((part) => (part.endsWith("*") ? `${part.slice(0, -1)}${word}` : part))
      return !names.some((name) => metricNamed(metrics, name) !== undefined)
    })
    .map((word) =>
      wrong("manifest", `${nameOf(relation)}: no part ends in ${word}`, "name in words members of the family")
    )
}

/** How a finding names a relation: `partOf(used, total)`. */
export const nameOf = (relation: Relation): string => `${relation.kind}(${metricsIn(relation).join(", ")})`
