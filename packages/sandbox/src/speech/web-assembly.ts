/** What is used of WebAssembly. The types of Node know the name alone, and those of browsers do not belong here. */

/** A compiled program. */
export interface WasmModule {
  readonly brand?: 'WebAssembly.Module'
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

export type WasmCalls = Readonly<Record<string, (...values: never[]) => number>>

interface WasmRuntime {
  readonly Module: new (bytes: Uint8Array) => WasmModule
  readonly Instance: new (
    module: WasmModule,
    imports: Readonly<Record<string, WasmCalls>>,
  ) => { readonly exports: { readonly memory: WasmMemory; readonly _start: () => void } }
}

/** The runtime of this process. */
export function wasmRuntime(): WasmRuntime {
  return (globalThis as unknown as { readonly WebAssembly: WasmRuntime }).WebAssembly
}
