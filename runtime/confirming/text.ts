/** The whole sheet as text, for where there is no terminal to answer on. */
import { emptyLine, feedLines } from "./blocks.ts"
import { hasNothing, type Sheet } from "./sheet.ts"
import { reasons } from "./sitting.ts"

const width = 160

/** How many feeds and figures wait. */
export const waitingText = ({ feeds }: Sheet): string => {
  const figures = feeds.reduce((sum, feed) => sum + feed.figures.length, 0)
  return feeds.length === 0
    ? "no feed is unconfirmed"
    : `${feeds.length === 1 ? "1 feed" : `${feeds.length} feeds`} with ${figures === 1 ? "1 figure" : `${figures} figures`} unconfirmed, the oddest first`
}

export const sheetText = (sheet: Sheet): string =>
  [
    waitingText(sheet),
    ...sheet.feeds.flatMap((feed) =>
      hasNothing(feed)
        ? [emptyLine(feed, width)]
        : feedLines(feed, { mark: "- ", now: Date.parse(sheet.at), width })
    ),
    ...(sheet.feeds.length === 0
      ? []
      : [
          "on a terminal a key confirms what is chosen on a screen; otherwise name the feeds, and the reason:",
          `  plumbline confirm ${sheet.feeds
            .slice(0, 2)
            .map(({ plugin }) => plugin)
            .join(" ")} --because "${reasons["1"]}"`
        ])
  ].join("\n")
