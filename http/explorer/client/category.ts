/** The page of a category, whose rows can be compared. */
import { addToComparison } from "./parts/comparison.ts"
import "./page.ts"

addToComparison()
