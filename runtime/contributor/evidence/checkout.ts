/** Reads the files that evidence names, out of checkouts on this machine. Git is only asked for objects: it runs nothing of theirs. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { Effect, Option, Schema } from "effect"
import { onDisk } from "../../outside/disk.ts"
import type { SourceFile } from "../check/evidence.ts"

/** A file that no checkout gives. The message says what was looked for. */
export class SourceUnreadable extends Schema.TaggedError<SourceUnreadable>()("SourceUnreadable", {
  message: Schema.String,
  /** The checkout is there, and has no such file: the evidence itself is wrong. */
  isWrong: Schema.Boolean
}) {}

/** The text of a file as a checkout has it. */
export interface SourceText {
  readonly text: string
  /** Folder of the checkout. */
  readonly checkout: string
  /** Whether it is the file of the commit that the evidence names, and not of another one. */
  readonly isOfCommit: boolean
}

interface Checkout {
  readonly folder: string
  /** Git's own folder; a checkout may be without one, such as an unpacked archive. */
  readonly git: string | undefined
  /** Whether files lie in the folder itself. */
  readonly hasFiles: boolean
}

/** The largest file that is read, in bytes. */
const most = 32 * 1024 * 1024

const isBare = (folder: string): boolean =>
  existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"))

const checkoutAt = (folder: string): Checkout | undefined => {
  if (existsSync(join(folder, ".git"))) return { folder, git: join(folder, ".git"), hasFiles: true }
  return isBare(folder) ? { folder, git: folder, hasFiles: false } : undefined
}

const foldersIn = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  onDisk(() => readdir(folder, { withFileTypes: true })).pipe(
    Effect.map((entries) =>
      entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
    ),
    Effect.orElseSucceed(() => [])
  )

/** The checkout of `<owner>/<repository>` below `from`, or one folder deeper. */
const checkoutOf = Effect.fnUntraced(function* (repository: string, from: string) {
  const name = basename(repository)
  const places = [repository, repository.replace("/", "+"), name].flatMap((path) => [
    join(from, path),
    join(from, `${path}.git`)
  ])
  for (const place of places) {
    const folders = [place, ...(yield* foldersIn(place)).toSorted()]
    const [checkout] = folders.map(checkoutAt).filter((one) => one !== undefined)
    if (checkout !== undefined) return checkout
  }
  const plain = places.find((place) => existsSync(place))
  return plain === undefined ? undefined : { folder: plain, git: undefined, hasFiles: true }
})

const run = promisify(execFile)

/** The bytes of an object of git; none if there is no such object. */
const objectIn = (git: string, ...name: ReadonlyArray<string>) =>
  Effect.option(
    onDisk(() =>
      run("git", [`--git-dir=${git}`, "cat-file", ...name], { encoding: "buffer", maxBuffer: most })
    )
  ).pipe(Effect.map(Option.map(({ stdout }) => new TextDecoder().decode(stdout))))

/**
 * The text of a file at its commit. Where the checkout has another commit only, the text of that one, which
 * `isOfCommit` says.
 */
export const sourceText = Effect.fn("Evidence.sourceText")(function* (file: SourceFile, from: string) {
  const { commit, path, repository } = file
  const checkout: Checkout | undefined = yield* checkoutOf(repository, from)
  if (checkout === undefined) {
    const message = `no checkout of ${repository} in ${from}; git clone https://github.com/${repository} there`
    return yield* new SourceUnreadable({ message, isWrong: false })
  }
  const { folder, git, hasFiles } = checkout
  if (path.split("/").includes("..") || path.startsWith("/")) {
    return yield* new SourceUnreadable({ message: `${path} leads out of the repository`, isWrong: true })
  }
  const isThere = git !== undefined && Option.isSome(yield* objectIn(git, "-t", `${commit}^{commit}`))
  if (isThere) {
    const text = yield* objectIn(git, "blob", `${commit}:${path}`)
    if (Option.isSome(text))
      return { text: text.value, checkout: folder, isOfCommit: true } satisfies SourceText
    const message = `${repository}@${commit} has no file ${path}, or the checkout lacks its content`
    return yield* new SourceUnreadable({ message, isWrong: true })
  }
  const text = hasFiles
    ? yield* Effect.option(onDisk(() => readFile(join(folder, path), "utf8")))
    : yield* objectIn(folder, "blob", `HEAD:${path}`)
  if (Option.isSome(text))
    return { text: text.value, checkout: folder, isOfCommit: false } satisfies SourceText
  const message = `${folder} has neither the commit ${commit} nor a file ${path} of another one; git fetch there`
  return yield* new SourceUnreadable({ message, isWrong: false })
})
