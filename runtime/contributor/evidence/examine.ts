/** `plugin evidence`: whether the files that a manifest names have the members that they are evidence of. */
import { Effect, Result } from "effect"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import { sourceFileOf } from "../check/evidence.ts"
import { sourceText } from "./checkout.ts"
import { type Line, type Mention, mentionOf, remarksNear } from "./words.ts"

/** One entry of `evidence`, compared with its file. */
export interface Examined {
  readonly source: string
  /** Folder of the checkout, and whether the file is of the commit that the entry names. */
  readonly read: { readonly checkout: string; readonly isOfCommit: boolean } | undefined
  readonly mentions: ReadonlyArray<Mention>
  /** Members of the entry that are not in the file. */
  readonly missing: ReadonlyArray<string>
  readonly remarks: ReadonlyArray<Line>
  /** Why there is nothing to compare; `isWrong` if the evidence is to blame and not the machine. */
  readonly problem: { readonly says: string; readonly isWrong: boolean } | undefined
}

/** What the whole examination says. */
export interface Examination {
  readonly entries: ReadonlyArray<Examined>
  /** Members that the plugin reads of the case ok and no entry accounts for: in no file, and listed of no document. */
  readonly unaccounted: ReadonlyArray<string>
}

const unread = (source: string, says: string, isWrong: boolean): Examined => ({
  source,
  read: undefined,
  mentions: [],
  missing: [],
  remarks: [],
  problem: { says, isWrong }
})

/** Compares each file with the members of its entry, and all of them with the members that the plugin reads. */
export const examine = Effect.fn("Evidence.examine")(function* (
  { evidence = [] }: Manifest,
  membersRead: ReadonlySet<string>,
  from: string
) {
  const entries: Array<Examined> = []
  const accounted = new Set<string>()
  for (const { members, source } of evidence) {
    const file = sourceFileOf(source)
    if (file === undefined) {
      for (const member of members) accounted.add(member)
      entries.push(unread(source, "not a file of a repository: open it yourself", false))
      continue
    }
    const outcome = yield* Effect.result(sourceText(file, from))
    if (Result.isFailure(outcome)) {
      for (const member of members) accounted.add(member)
      entries.push(unread(source, outcome.failure.message, outcome.failure.isWrong))
      continue
    }
    const { checkout, isOfCommit, text } = outcome.success
    const all = [...new Set([...members, ...membersRead])].flatMap((member) => mentionOf(text, member) ?? [])
    for (const { member } of all) accounted.add(member)
    const mentions = all.filter(({ member }) => members.includes(member))
    const places = [
      ...(file.line === undefined ? [] : [file.line]),
      ...mentions.flatMap(({ lines }) => lines)
    ]
    entries.push({
      source,
      read: { checkout, isOfCommit },
      mentions,
      missing: members.filter((member) => !mentions.some((mention) => mention.member === member)),
      remarks: remarksNear(text, places),
      problem: undefined
    })
  }
  const unaccounted = [...membersRead].filter((member) => !accounted.has(member)).toSorted()
  return { entries, unaccounted } satisfies Examination
})

/** 1: a person should look; 2: nothing was compared, or not all of it; 0: every member is where the manifest says. */
export const exitCode = ({ entries, unaccounted }: Examination): 0 | 1 | 2 => {
  const compared = entries.filter(({ read }) => read !== undefined)
  const isWrong = entries.some(({ missing, problem }) => missing.length > 0 || problem?.isWrong === true)
  if (isWrong || (compared.length > 0 && unaccounted.length > 0)) return 1
  const files = entries.filter(({ source }) => sourceFileOf(source) !== undefined)
  return compared.length > 0 && files.every(({ read }) => read !== undefined) ? 0 : 2
}

/** The most lines of a mention to list. */
const mostLines = 6

const mentionLine = ({ lines, member, written }: Mention): string => {
  const some = lines.slice(0, mostLines).join(", ")
  const more = lines.length > mostLines ? ` and ${lines.length - mostLines} more` : ""
  return `  ${member}${written === member ? "" : ` (as ${written})`}: line ${some}${more}`
}

const entryLines = ({
  mentions,
  missing,
  problem,
  read,
  remarks,
  source
}: Examined): ReadonlyArray<string> => [
  source,
  ...(problem === undefined ? [] : [`  ${problem.isWrong ? "wrong: " : ""}${problem.says}`]),
  ...(read === undefined
    ? []
    : [
        read.isOfCommit
          ? `  read in ${read.checkout}`
          : `  not that commit, which ${read.checkout} does not have: its file of now, where lines may have moved`
      ]),
  ...missing.map((member) => `  missing: ${member} is not in the file`),
  ...mentions.map(mentionLine),
  ...(remarks.length === 0
    ? []
    : [
        "  limits, selections and defaults near them:",
        ...remarks.map(({ number, text }) => `    ${number}: ${text}`)
      ])
]

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** The lines for the terminal. */
export const report = (examination: Examination): string => {
  const { entries, unaccounted } = examination
  const compared = entries.filter(({ read }) => read !== undefined).length
  const missing = entries.reduce((all, entry) => all + entry.missing.length, 0)
  return [
    ...entries.flatMap(entryLines),
    ...(compared > 0 && unaccounted.length > 0
      ? [
          `the plugin reads ${unaccounted.join(", ")}, which no entry accounts for`,
          "  name the file that fills them, or record an answer that has what the upstream really sends"
        ]
      : []),
    `${counted(compared, "file")} of ${counted(entries.length, "entry").replace("entrys", "entries")} compared, ` +
      `${counted(missing, "member")} missing, ${unaccounted.length} read without evidence`
  ].join("\n")
}
