/** The ways to pay in words. Which of them are open is said by core alone (`core/credits/waysToPay.ts`). */
import type { WaysHere, WayToPay } from "../../../core/wire/credits/pricing.ts"

const names: Readonly<Record<WayToPay, string>> = {
  credits: "credits",
  card: "card",
  stablecoin: "stablecoins",
  x402: "x402",
  mpp: "MPP"
}

/** The ways that pay a product itself; card and stablecoins add the credits that do. */
export const payingWords = (ways: ReadonlyArray<WayToPay>): string =>
  ways
    .filter((way) => way !== "card" && way !== "stablecoin")
    .map((way) => names[way])
    .join(", ")

/** How a key gets credits here, as sentences. */
export const addingWords = ({ card, stablecoin }: Pick<WaysHere, "card" | "stablecoin">): string =>
  [
    card.available
      ? "A card adds credits to a key."
      : stablecoin.available
        ? (card.reason ?? "No card is taken now.")
        : "Nothing adds credits to a key here now: no card is taken.",
    stablecoin.available
      ? "A transfer of stablecoins adds them, too."
      : (stablecoin.reason ?? "No transfer of stablecoins is taken now.")
  ].join(" ")
