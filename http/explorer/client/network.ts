/** The page of a network: its values compared with what is signed. */

import { addToComparison } from "./parts/comparison.ts"
import { enableStars } from "./parts/star.ts"
import { currentPage } from "./parts/trusted.ts"
import { checkWhenIdle } from "./parts/verifying.ts"
import "./page.ts"

// As it came, before scripts add to it.
checkWhenIdle(currentPage())
enableStars()
addToComparison()
