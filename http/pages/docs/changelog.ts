/** `CHANGELOG.md` as a page and as a feed: what changed in the service and its API, by release. */
import { escapeXml } from "../../explorer/charts/xml.ts"
import type { AtomFeed } from "../../explorer/html/atom.ts"
import { prose } from "../../explorer/html/prose.ts"
import { anchor } from "./html.ts"

export interface Release {
  /** `2.0.0`, or `Unreleased`. */
  readonly version: string
  /** YYYY-MM-DD; undefined if it is not released, or was before dates were written down. */
  readonly date?: string
  readonly sections: ReadonlyArray<Section>
}

interface Section {
  /** `Added`, `Changed`, …; empty for what stands before the first one. */
  readonly title: string
  /** The points of the list, or paragraphs. */
  readonly points: ReadonlyArray<string>
}

/** The parts of a text that begin with a heading of this level, each with its heading. */
const parts = (markdown: string, level: string): ReadonlyArray<readonly [heading: string, text: string]> =>
  markdown
    .split(new RegExp(`^${level} `, "m"))
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n")
      return [
        part.slice(0, end === -1 ? undefined : end).trim(),
        end === -1 ? "" : part.slice(end + 1)
      ] as const
    })

/** A list's points, or a text's paragraphs, each on one line. */
const pointsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n\s*\n|^- /m)
    .map((point) => point.replace(/\s+/g, " ").trim())
    .filter((point) => point !== "")

const sectionsOf = (text: string): ReadonlyArray<Section> => {
  const [before = ""] = text.split(/^### /m)
  const introduction = pointsOf(before)
  return [
    ...(introduction.length === 0 ? [] : [{ title: "", points: introduction }]),
    ...parts(text, "###").map(([title, points]) => ({ title, points: pointsOf(points) }))
  ]
}

/** Newest first, as the file has them (https://keepachangelog.com/en/1.1.0/). */
export const releasesOf = (markdown: string): ReadonlyArray<Release> =>
  parts(markdown, "##").map(([heading, text]) => {
    const [, version = heading, date] = /^\[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?/.exec(heading) ?? []
    return { version, ...(date === undefined ? {} : { date }), sections: sectionsOf(text) }
  })

/** Links become their text: they lead into the repository. */
const line = (point: string): string =>
  prose(point.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replaceAll("**", ""))

const sectionBody = ({ points, title }: Section): string =>
  `${title === "" ? "" : `<h3>${escapeXml(title)}</h3>`}<ul>${points.map((point) => `<li>${line(point)}</li>`).join("\n")}</ul>`

const sectionsBody = ({ sections }: Release): string => sections.map(sectionBody).join("\n")

const idOf = ({ version }: Release): string => anchor(version)

/** HTML of the page's body. */
export const changelogBody = (releases: ReadonlyArray<Release>): string => `
<h1>Changelog</h1>
<p class="lede">What changed in the service, its API and its formats. Answers evolve by addition: a released field keeps its name and meaning.</p>
<p><a href="/changelog/atom.xml">Feed of releases (Atom)</a></p>
${releases
  .map(
    (release) =>
      `<h2 id="${idOf(release)}">${escapeXml(release.version)}${release.date === undefined ? "" : ` <span class="quiet">${release.date}</span>`}</h2>${sectionsBody(release)}`
  )
  .join("\n")}`

/** The feed of what was released: a release without a date is not in it yet. */
export const changelogFeed = (releases: ReadonlyArray<Release>, baseUrl: string): AtomFeed => ({
  id: `${baseUrl}/changelog`,
  title: "Plumbline: changelog",
  self: `${baseUrl}/changelog/atom.xml`,
  page: `${baseUrl}/changelog`,
  entries: releases.flatMap((release) => {
    if (release.date === undefined) return []
    const address = `${baseUrl}/changelog#${idOf(release)}`
    return [
      {
        id: address,
        title: `Plumbline ${release.version}`,
        updated: `${release.date}T00:00:00Z`,
        page: { href: address, type: "text/html" },
        content: sectionsBody(release)
      }
    ]
  })
})
