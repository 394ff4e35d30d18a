import { addToComparison } from "./parts/comparison.ts"
import { enableStars } from "./parts/star.ts"
import { checkByButton } from "./parts/verifying.ts"
import "./page.ts"

checkByButton()
enableStars()
addToComparison()
