import type { Finding } from './finding.ts'
import type { TextFile } from './tree.ts'

/** The list of all decisions. */
export const DECISION_INDEX = 'docs/decisions/README.md'

const DECISION = /^docs\/decisions\/(\d{4}-[a-z0-9-]+\.md)$/

/** Writes the index from the titles and statuses of the decisions themselves. */
export function renderDecisionIndex(files: readonly TextFile[]): string {
  const rows = decisionsOf(files).map(
    ({ name, title, status }) => `- [${title}](${name})${status === null ? '' : `: ${status}`}`,
  )
  const head =
    '# Decisions\n\nOne page for each choice and its reasons. Made from their titles by `node tools/index-decisions.ts`.\n\n'
  return `${head}${rows.join('\n')}\n`
}

/** Decisions without a title or a status in the one form, and an index that is not what they say. */
export function findStaleIndex(files: readonly TextFile[]): Finding[] {
  const formless = files
    .filter(({ path, text }) => DECISION.test(path) && (titleOf(text) === null || !/^Status: accepted\b/m.test(text)))
    .map(({ path }) => ({ path, message: 'begins with no `# 0000 · Title` or lacks a `Status:` line' }))
  const index = files.find(({ path }) => path === DECISION_INDEX)
  if (index?.text === renderDecisionIndex(files)) return formless
  return [...formless, { path: DECISION_INDEX, message: 'is stale: run `node tools/index-decisions.ts`' }]
}

interface Decision {
  readonly name: string
  readonly title: string
  /** What the status says beside `accepted`; null for nothing. */
  readonly status: string | null
}

function decisionsOf(files: readonly TextFile[]): readonly Decision[] {
  return files
    .flatMap(({ path, text }) => {
      const name = DECISION.exec(path)?.[1]
      return name === undefined ? [] : [{ name, title: titleOf(text) ?? name, status: statusOf(text) }]
    })
    .sort((one, other) => one.name.localeCompare(other.name))
}

function titleOf(text: string): string | null {
  const [, number, title] = /^# (\d{4}) · (.+)$/m.exec(text) ?? []
  return number === undefined ? null : `${number} ${title}`
}

/** The rest of the status, without its links, up to the paragraph's end. */
function statusOf(text: string): string | null {
  const [, rest = ''] = /^Status: accepted[.;,]?[ ]*((?:.|\n(?!\n|#))*)/m.exec(text) ?? []
  const plain = rest
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain === '' ? null : plain
}
