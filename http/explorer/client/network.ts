/** The page of a network. */

import { addToComparison } from "./parts/comparison.ts"
import { enableStars } from "./parts/star.ts"
import { checkWhenIdle } from "./parts/verifying.ts"
import "./page.ts"

checkWhenIdle()
enableStars()
addToComparison()
