/** Values as they are written in other languages. Pure: what comes out is code, whatever goes in. */

/** A file whose bytes stand in a value as a data URL. */
export interface ValueFile {
  readonly name: string
  /** Its media type. */
  readonly type: string
}

/** Stands for a file: no text that a person types has its first character. */
const MARK = '\u0000'
const AS_JSON = /"\\u0000(file-\d{1,4}\.[a-z0-9]{1,10})\\u0000([\w./+-]{1,80})"/g
const DATA_URL = /^data:([\w./+-]{1,80});base64,/
/** In place of a media type: the bytes stand there as they are, without the head of a data URL. */
const PLAIN = 'plain'
const BASE64 = /^[\w+/]{16,100}={0,2}$/

/** A recording stands in a message as its bytes beside the name of their form. Source: OpenAI, `input_audio`. */
function isRecording(each: object): each is { readonly data: string; readonly format: string } {
  const { data, format } = each as { readonly data?: unknown; readonly format?: unknown }
  return typeof data === 'string' && typeof format === 'string' && BASE64.test(data.slice(0, 100))
}

/** What comes before the bytes of a file. */
const headOf = (type: string): string => (type === PLAIN ? '' : `data:${type};base64,`)

/**
 * The same value with its data URLs as files beside the code: people do not read them, and what is cut short does not run.
 *
 * @returns the files, in the order in which they are named.
 */
export function withFiles(value: unknown): { readonly value: unknown; readonly files: readonly ValueFile[] } {
  const names = new Map<string, ValueFile>()
  const fileOf = (url: string, type: string): ValueFile => {
    const known = names.get(url)
    if (known !== undefined) return known
    const [end = ''] = /[a-z0-9]{1,10}/.exec(type.slice(type.indexOf('/') + 1)) ?? []
    const file = { type, name: `file-${names.size + 1}.${end === 'jpeg' ? 'jpg' : end || 'bin'}` }
    names.set(url, file)
    return file
  }
  const replaced = (each: unknown): unknown => {
    if (typeof each === 'string') {
      const [, type] = DATA_URL.exec(each.slice(0, 100)) ?? []
      if (type === undefined) return each
      const { name } = fileOf(each, type)
      return `${MARK}${name}${MARK}${type}`
    }
    if (Array.isArray(each)) return each.map(replaced)
    if (typeof each !== 'object' || each === null) return each
    if (isRecording(each)) {
      return { ...each, data: `${MARK}${fileOf(each.data, `audio/${each.format}`).name}${MARK}${PLAIN}` }
    }
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, replaced(inner)]))
  }
  const named = replaced(value)
  return { value: named, files: [...names.values()] }
}

/** In single quotes for a POSIX shell. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** JSON is a subset of JavaScript. @param indent blanks before every line but the first. */
export function javaScript(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(AS_JSON, (_all, name: string, type: string) =>
      type === PLAIN ? `readFileSync('${name}', 'base64')` : `\`${headOf(type)}\${readFileSync('${name}', 'base64')}\``,
    )
    .replaceAll('\n', `\n${' '.repeat(indent)}`)
}

/** What prints a value as JSON in a POSIX shell, the bytes of its files among it: larger than an argument may be. */
export function shellJson(value: unknown): string {
  const parts = JSON.stringify(value, null, 2).split(AS_JSON)
  const words: string[] = []
  for (let at = 0; at < parts.length; at += 3) {
    const [text = '', name, type] = parts.slice(at, at + 3)
    const isFirst = at === 0
    words.push(
      `printf %s ${shellText(`${isFirst ? '' : '"'}${text}${name === undefined ? '' : `"${headOf(type ?? PLAIN)}`}`)}`,
    )
    if (name !== undefined) words.push(`base64 < ${name} | tr -d '\\n'`)
  }
  return words.join('; ')
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

/** A Python literal: JSON but for its three words. */
export function python(value: unknown, indent = 0): string {
  const blanks = ' '.repeat(indent)
  const inner = `${blanks}    `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((each) => `${inner}${python(each, indent + 4)},\n`).join('')}${blanks}]`
  }
  if (typeof value === 'object' && value !== null) {
    const lines = Object.entries(value).map(
      ([key, each]) => `${inner}${JSON.stringify(key)}: ${python(each, indent + 4)},\n`,
    )
    return lines.length === 0 ? '{}' : `{\n${lines.join('')}${blanks}}`
  }
  const text = JSON.stringify(value)
  return (
    PYTHON_WORDS[text] ??
    text.replaceAll(
      AS_JSON,
      (_all, name: string, type: string) =>
        `${type === PLAIN ? '' : `"${headOf(type)}" + `}b64encode(open("${name}", "rb").read()).decode()`,
    )
  )
}

/** Keyword arguments of a Python call, one on each line. */
export function pythonArguments(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([key, value]) => `    ${key}=${python(value, 4)},\n`)
    .join('')
}
