/**
 * Loads the Opus codec as WebAssembly. The package's native half ends the whole process when a thread that has used it
 * ends.
 */
export async function loadOpus(): Promise<typeof import('@evan/opus')> {
  const file: string = '@evan/opus/wasm/index.mjs'
  return (await import(file)) as typeof import('@evan/opus')
}
