/** The package has no types of its own: as much of it as the decoder thread uses. */
declare module '@ffmpeg/core' {
  export interface Ffmpeg {
    readonly FS: {
      writeFile(path: string, bytes: Uint8Array): void
      readFile(path: string): Uint8Array
      unlink(path: string): void
    }
    exec(...args: string[]): number
    reset(): void
    setLogger(logger: () => void): void
  }
  export default function create(options: {
    readonly wasmBinary: Uint8Array
    readonly mainScriptUrlOrBlob: string
  }): Promise<Ffmpeg>
}
