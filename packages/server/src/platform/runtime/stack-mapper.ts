import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** One call of a stack, as far as it is looked at. V8 writes the whole of it. */
export interface StackFrame extends Pick<NodeJS.CallSite, 'getFileName' | 'getLineNumber' | 'getColumnNumber'> {
  toString(): string
}

/** Writes the stack of an error. The form is that of `Error.prepareStackTrace`. */
export type StackWriter = (error: unknown, frames: readonly StackFrame[]) => string

/**
 * Stacks that name sources, for programs that are built: places in files of one folder become those that their maps
 * say. Maps are read when the first stack needs them, so that a start does without; Node's own way reads all at once.
 *
 * @param folder address of the folder of the built files, with a slash at its end.
 */
export function createStackMapper(folder: string): StackWriter {
  const maps = new Map<string, SourceMap | null>()
  const mapOf = (file: string): SourceMap | null => {
    const known = maps.get(file)
    if (known !== undefined) return known
    const read = readMap(file)
    maps.set(file, read)
    return read
  }
  return (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${textOf(frame, folder, mapOf)}`)].join('\n')
}

/** As V8 begins a stack; an error may have a `toString` that fails. */
function headOf(error: unknown): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}

function textOf(frame: StackFrame, folder: string, mapOf: (file: string) => SourceMap | null): string {
  const text = frame.toString()
  const file = frame.getFileName()
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()]
  if (!file?.startsWith(folder) || line === null || column === null) return text
  const entry = mapOf(file)?.findEntry(line - 1, column - 1)
  if (entry === undefined || !('originalSource' in entry)) return text
  // Node's types leave out that code of no source, such as what the build itself has added, names none.
  const original: string | undefined = entry.originalSource
  if (original?.endsWith('.ts') !== true) return text
  const source = new URL(original, file).href
  return text.replace(`${file}:${line}:${column}`, `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`)
}

/** Null where there is none that can be read: the stack then names the built file. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')))
  } catch {
    return null
  }
}
