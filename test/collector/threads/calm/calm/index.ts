export { default } from "../../calm.ts"
