/** What tests use of it. The types of Node have none of it, and those of browsers would bring all else of them. */
declare namespace WebAssembly {
  const compile: (bytes: Uint8Array) => Promise<Module>
}
