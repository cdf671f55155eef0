import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { VERSION } from '../../platform/runtime/version.ts'
import { AdminError } from './admin-error.ts'
import { printOutput, type CommandDeps } from './run-command.ts'

/** What changed in one version. */
export interface ReleaseNotes {
  readonly version: string
  /** What stands behind the version in its heading, such as its date; empty for nothing. */
  readonly released: string
  /** Markdown, without the heading. */
  readonly text: string
}

const CHANGELOG = new URL('../../../../../CHANGELOG.md', import.meta.url)

const HEADING = /^## (\d{1,6}\.\d{1,6}\.\d{1,6})(?: \(([^)\n]{1,40})\))?$/gm

/** `release-notes`: what an operator reads before an upgrade, of the version that is installed here. */
export function releaseNotesCommand(deps: CommandDeps): Command {
  return new Command('release-notes')
    .description('print what changed in this version, or in all since another one')
    .option('--since <version>', 'the version that runs until now, such as 0.1.0')
    .action(({ since }: { readonly since?: string }, command: Command) => {
      const all = parseChangelog(readFileSync(CHANGELOG, 'utf8'))
      const notes = since === undefined ? all.filter(({ version }) => version === VERSION) : notesSince(all, since)
      const text = notes.map(renderNotes).join('\n\n')
      printOutput(deps, command, { text: text === '' ? `Nothing changed since ${since}.` : text, json: notes })
    })
}

/** Reads the versions of a changelog, newest first as they stand there. */
export function parseChangelog(text: string): readonly ReleaseNotes[] {
  const headings = [...text.matchAll(HEADING)]
  return headings.map((heading, index) => ({
    version: heading[1] ?? '',
    released: heading[2] ?? '',
    text: text.slice(heading.index + heading[0].length, headings[index + 1]?.index ?? text.length).trim(),
  }))
}

/**
 * What came after a version.
 *
 * @throws {AdminError} for one that the changelog does not have.
 */
export function notesSince(all: readonly ReleaseNotes[], since: string): readonly ReleaseNotes[] {
  const index = all.findIndex(({ version }) => version === since)
  if (index < 0) {
    const known = all.map(({ version }) => version).join(', ')
    throw new AdminError(`There are no notes of version ${since}. Known are ${known}.`)
  }
  return all.slice(0, index)
}

function renderNotes({ version, released, text }: ReleaseNotes): string {
  return `${version}${released === '' ? '' : ` (${released})`}\n\n${text}`
}
