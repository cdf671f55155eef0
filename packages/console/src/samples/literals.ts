/** Values as they are written in other languages. Pure: what comes out is code, whatever goes in. */

/** Longer texts, such as images as data URLs, are shortened: people do not read them. */
const TEXT_MAX = 2_000
const SHORTENED = 64

/** The same value with long texts cut. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length <= TEXT_MAX ? value : `${value.slice(0, SHORTENED)}… (${value.length} characters)`
  }
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]))
}

/** In single quotes for a POSIX shell. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** JSON is a subset of JavaScript. @param indent blanks before every line but the first. */
export function javaScript(value: unknown, indent = 0): string {
  return JSON.stringify(shortened(value), null, 2).replaceAll('\n', `\n${' '.repeat(indent)}`)
}

const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

/** A Python literal: JSON but for its three words. */
export function python(value: unknown, indent = 0): string {
  const blanks = ' '.repeat(indent)
  const inner = `${blanks}    `
  const short = shortened(value)
  if (Array.isArray(short)) {
    if (short.length === 0) return '[]'
    return `[\n${short.map((each) => `${inner}${python(each, indent + 4)},\n`).join('')}${blanks}]`
  }
  if (typeof short === 'object' && short !== null) {
    const lines = Object.entries(short).map(
      ([key, each]) => `${inner}${JSON.stringify(key)}: ${python(each, indent + 4)},\n`,
    )
    return lines.length === 0 ? '{}' : `{\n${lines.join('')}${blanks}}`
  }
  const text = JSON.stringify(short)
  return PYTHON_WORDS[text] ?? text
}

/** Keyword arguments of a Python call, one on each line. */
export function pythonArguments(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([key, value]) => `    ${key}=${python(value, 4)},\n`)
    .join('')
}
