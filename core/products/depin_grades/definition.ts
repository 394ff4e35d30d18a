import { define } from "../definition.ts"

export default define({
  key: "depin_grades",
  title: "DePIN grades",
  withdrawn: "Withdrawn until measured grades return; nothing is charged.",
  onlyNow: "they are withdrawn",
  sale: {
    content: "A to F network grades",
    price: "9.99"
  }
})
