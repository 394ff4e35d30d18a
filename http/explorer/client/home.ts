import { addToComparison } from "./parts/comparison.ts"
import { enableStars } from "./parts/star.ts"
import { currentPage } from "./parts/trusted.ts"
import { checkByButton } from "./parts/verifying.ts"
import "./page.ts"

// As it came, before scripts add to it.
checkByButton(currentPage())
enableStars()
addToComparison()
