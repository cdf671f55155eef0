/** Where a result goes that is a file: its name is taken before anything is paid for, so that no work is lost. */
import { open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../terminal/output.ts'

/** Means standard output in place of a file's name. */
export const STANDARD_OUTPUT = '-'

export interface OutputFile {
  /** As the user wrote it; null for standard output. */
  readonly name: string | null
  /** Writes everything, and gives the file its name once it is whole. Returns how many bytes there were. */
  write(bytes: AsyncIterable<Uint8Array>): Promise<number>
  /** Forgets it: nothing is left behind. */
  discard(): Promise<void>
}

/**
 * Reserves a file. An existing one is never overwritten unless that was asked for.
 *
 * @throws {CommandError} when it exists or cannot be made.
 */
export async function reserveFile(
  name: string,
  options: { readonly force: boolean; readonly out: Output },
): Promise<OutputFile> {
  if (name === STANDARD_OUTPUT) return standardOutput(options.out)
  const known = await kindOf(name)
  if (known === 'folder') throw new CommandError(`${name} is a folder.`, { advice: 'Name a file in it.' })
  if (known === 'device' && options.force) return device(name)
  const draft = path.join(path.dirname(name), `.${path.basename(name)}.${process.pid}.part`)
  try {
    // Taken at once, so that two commands never write the same file, and a folder that takes none is known by now.
    await (options.force ? await open(draft, 'w') : await open(name, 'wx')).close()
  } catch (cause) {
    throw refusal(name, cause)
  }
  const discard = async (): Promise<void> => {
    await rm(draft, { force: true })
    if (!options.force) await rm(name, { force: true })
  }
  return {
    name,
    discard,
    write: async (bytes) => {
      try {
        const length = await writeAll(draft, bytes)
        await rename(draft, name)
        return length
      } catch (error) {
        await discard()
        throw error
      }
    },
  }
}

/** What has a name already; null for nothing. */
async function kindOf(name: string): Promise<'file' | 'folder' | 'device' | null> {
  try {
    const found = await stat(name)
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'device'
  } catch {
    return null
  }
}

/** A device or a named pipe is written to, and never exchanged for a file. */
function device(name: string): OutputFile {
  return { name, discard: () => Promise.resolve(), write: (bytes) => writeAll(name, bytes) }
}

async function writeAll(file: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const handle = await open(file, 'w')
  let length = 0
  try {
    for await (const chunk of bytes) {
      // Not `write`, which may write a part alone: of the last piece nothing would tell.
      await handle.writeFile(chunk)
      length += chunk.byteLength
    }
  } finally {
    await handle.close()
  }
  return length
}

function standardOutput(out: Output): OutputFile {
  if (out.isTerminal) {
    throw new CommandError('A file does not belong on a terminal.', {
      advice: 'Name a file with -o, or send the output on with a pipe.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  return {
    name: null,
    discard: () => Promise.resolve(),
    write: async (bytes) => {
      let length = 0
      for await (const chunk of bytes) {
        await out.bytes(chunk)
        length += chunk.byteLength
      }
      return length
    },
  }
}

function refusal(name: string, cause: unknown): CommandError {
  if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
    return new CommandError(`${name} exists already.`, { advice: 'Choose another name, or use --force.', cause })
  }
  return new CommandError(`${name} cannot be written.`, { advice: 'Check the folder and its rights.', cause })
}

/** An unused name, made from the time: "speech-20261128-101500.mp3". */
export function timedName(kind: string, extension: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
  return `${kind}-${stamp}.${extension}`
}
