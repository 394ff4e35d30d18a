declare module "solc" {
  const solc: { readonly version: () => string; readonly compile: (input: string) => string }
  export default solc
}
