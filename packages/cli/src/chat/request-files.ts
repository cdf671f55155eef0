/** Files that say what a request may do: the schema of its answer, the tools that it offers. */
import { readFile, stat } from 'node:fs/promises'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** Source: own choice; the gateway holds every byte as prompt. */
const FILE_BYTES_MAX = 1024 * 1024
const NAME = /^[\w-]{1,64}$/

/**
 * The schema that an answer follows: from a file, or as it is given where it begins with a brace.
 *
 * @throws {CommandError} when it is no JSON object.
 */
export async function readSchema(given: string): Promise<object> {
  const isInline = given.trimStart().startsWith('{')
  const what = isInline ? 'The schema' : given
  const value = parsed(isInline ? given : await textOf(given), what)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw wrong(`${what} is no JSON Schema: expected an object.`)
}

/** The field of a request that asks for such an answer. Source: OpenAI, structured outputs. */
export function schemaFormat(schema: object): object {
  const title: unknown = Reflect.get(schema, 'title')
  const name = typeof title === 'string' && NAME.test(title) ? title : 'answer'
  return { type: 'json_schema', json_schema: { name, schema } }
}

/**
 * Tools, as the API writes them, or their functions alone.
 *
 * @throws {CommandError} when the file has none, or one without a name.
 */
export async function readTools(file: string): Promise<readonly object[]> {
  const value = parsed(await textOf(file), file)
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 0) throw wrong(`${file} has no tools.`)
  return list.map((each, index) => {
    const tool: object = Object(each)
    const isWhole = Reflect.get(tool, 'type') === 'function' && typeof Reflect.get(tool, 'function') === 'object'
    const described: object = isWhole ? Object(Reflect.get(tool, 'function')) : tool
    if (typeof Reflect.get(described, 'name') === 'string') return isWhole ? tool : { type: 'function', function: tool }
    throw wrong(`Tool ${index + 1} of ${file} has no name.`)
  })
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > FILE_BYTES_MAX) throw wrong(`${file} is larger than ${FILE_BYTES_MAX} bytes.`)
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw cause instanceof CommandError ? cause : wrong(`${file} cannot be read.`, cause)
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw wrong(`${what} is no JSON.`, cause)
  }
}

function wrong(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { exitCode: exitCodes.wrongUsage, cause })
}
