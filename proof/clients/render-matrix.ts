/** The matrix as a table of a document. */
import { type Client, type ClientResult, type FeatureName, features } from './client.ts'

const BEGIN = '<!-- matrix: begin -->'
const END = '<!-- matrix: end -->'
/** Shown of a reason, in characters. */
const WHY_MAX = 200

/** Its name and the versions that were tried. */
export function titleOf({ name, packages }: Client): string {
  return `**${name}** ${packages.join(', ')}`
}

function cellOf({ results }: ClientResult, feature: FeatureName): string {
  const own = results.filter((result) => result.feature === feature)
  if (own.length === 0) return ''
  return own.every(({ passed }) => passed) ? 'yes' : '**no**'
}

/** What failed, each in a line: nothing is left out of a matrix silently. */
function remarksOf({ client, missing, results }: ClientResult): string[] {
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, WHY_MAX)
  if (missing !== null) return [`- ${client.name} could not be installed: ${oneLine(missing)}`]
  const failed = results.filter(({ passed }) => !passed)
  return failed.map(({ feature, why }) => `- ${client.name}, ${feature}: ${oneLine(why ?? 'failed')}`)
}

/** @param when the day of the run, as it is shown. */
export function renderMatrix(results: readonly ClientResult[], when: string): string {
  const head = ['client', ...features.map(({ title }) => title)]
  const rows = results.map((result) => [
    titleOf(result.client),
    ...features.map(({ name }) => (result.missing === null ? cellOf(result, name) : '?')),
  ])
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
  const passed = results.flatMap((result) => result.results).filter((result) => result.passed).length
  const remarks = results.flatMap(remarksOf)
  const end = remarks.length === 0 ? 'Everything that was tried works.' : remarks.join('\n')
  return `Of ${when}: ${results.length} clients, ${passed} features of them work.\n\n${table}\n\n${end}`
}

/**
 * Puts the matrix between the marks of a document.
 * @throws {Error} when it has no marks.
 */
export function replaceMatrix(document: string, matrix: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`the document has no "${BEGIN}" with "${END}"`)
  return `${document.slice(0, begin + BEGIN.length)}\n\n${matrix}\n\n${document.slice(end)}`
}
