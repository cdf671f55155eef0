/** One step of an installation: a command that ends. */
import { execFile } from 'node:child_process'
import { PeerMissingError } from './peer.ts'

/** A compiler on a busy machine needs minutes. */
const STEP_MS_MAX = 1_200_000
const OUTPUT_MAX = 64 * 1_048_576

/**
 * Runs a command in a folder, with the settings of the machine: they say where its registries are.
 *
 * @returns what it printed.
 * @throws {PeerMissingError} with the last line of what it said, where it fails.
 */
export function runStep(folder: string, command: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, timeout: STEP_MS_MAX, maxBuffer: OUTPUT_MAX }
    execFile(command, words, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      const said = `${stderr}`.trim().split('\n').at(-1) || error.message
      reject(new PeerMissingError(`${command} ${words[0] ?? ''}: ${said}`.slice(0, 300)))
    })
  })
}
