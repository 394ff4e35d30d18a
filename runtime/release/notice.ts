/** `npm run notice` writes NOTICE.md: the packages of a release and their licences. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { packages } from "./packages.ts"

export const noticeFile = fileURLToPath(new URL("NOTICE.md", import.meta.url))

export const notice = (): string =>
  [
    "# Third-party software",
    "",
    "Plumbline itself is under Apache-2.0. A release installs these packages, each with its licence in its own folder.",
    "`npm run notice` writes this file from `package-lock.json`.",
    "",
    "| package | version | licence |",
    "|---|---|---|",
    ...packages().map(({ licence, name, version }) => `| ${name} | ${version} | ${licence} |`),
    ""
  ].join("\n")

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(noticeFile, notice())
