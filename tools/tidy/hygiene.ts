import { posix } from 'node:path'
import type { Finding } from './finding.ts'
import type { TextFile } from './tree.ts'

const ROOT_DOCUMENTS = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md']

/** Folders that exist on one machine only. */
const MACHINE_PATH = /(^|[\s'"`(=:])(\/(?:home|Users|root|work)\/|[A-Z]:\\Users\\)/

const REGISTRY = /registry\.(?:npmjs|yarnpkg|npmmirror)\.|npm\.pkg\.github\./

/** Paths of a machine and hosts of package registries: neither means anything elsewhere. */
export function findForeignPlaces(files: readonly TextFile[]): Finding[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      if (MACHINE_PATH.test(line))
        return [{ path, message: `line ${index + 1} names a path of a machine: ${line.trim()}` }]
      return REGISTRY.test(line) ? [{ path, message: `line ${index + 1} names a package registry` }] : []
    }),
  )
}

/** Lock files that tie an install to one registry. A link to a workspace is no registry. */
export function findResolvedPackages(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => posix.basename(path) === 'package-lock.json')
    .flatMap(({ path, text }) => {
      const packages: Record<string, { resolved?: string; link?: boolean }> = JSON.parse(text).packages
      return Object.entries(packages)
        .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
        .map(([name]) => ({
          path,
          message: `${name} has a resolved address; set omit-lockfile-registry-resolved in npm`,
        }))
    })
}

/** Root documents that are missing or too many. */
export function findRootDocuments(files: readonly TextFile[]): Finding[] {
  const present = files.map(({ path }) => path).filter((path) => /^[^/]+\.md$|^[A-Z]+$/.test(path))
  return [
    ...ROOT_DOCUMENTS.filter((path) => !present.includes(path)).map((path) => ({ path, message: 'is missing' })),
    ...present.filter((path) => !ROOT_DOCUMENTS.includes(path)).map((path) => ({ path, message: 'belongs in docs/' })),
  ]
}

/** Links of documents to files or headings that do not exist. */
export function findDeadLinks(files: readonly TextFile[], exists: (path: string) => boolean): Finding[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => !isLive(link, path, texts, exists))
        .map((link) => ({ path, message: `links to ${link}, which does not exist` })),
    )
}

function linksOf(text: string): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g)]
    .map((match) => match[1] as string)
    .filter((link) => !/^[a-z]+:/.test(link))
}

function isLive(
  link: string,
  from: string,
  texts: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): boolean {
  const [file = '', heading] = link.split('#')
  const path = file === '' ? from : posix.join(posix.dirname(from), decodeURIComponent(file))
  if (!exists(path)) return false
  if (heading === undefined || !path.endsWith('.md')) return true
  return headingsOf(texts.get(path) ?? '').includes(heading)
}

/** The names that links to headings use: lower case, punctuation dropped, spaces as hyphens. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#{1,6}\s+(.+)$/gm)].map((match) =>
    (match[1] as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
}

/** A decision by its number, and a second one that is named in the same breath. */
const DECISIONS = /\b[Dd]ecisions? (\d+(?:\.\d+)*)(?:(?: \([^)]*\))? and (\d+(?:\.\d+)*))?/g

/** Mentions of a decision by number that no page of `docs/decisions` explains. */
export function findUnknownDecisions(files: readonly TextFile[]): Finding[] {
  const known = new Set(files.map(({ path }) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1]))
  return files
    .filter(({ path }) => !path.endsWith('.json'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(DECISIONS)]
        .flatMap(([, first, second]) => [first, second])
        .filter((number) => number !== undefined && !known.has(number))
        .map((number) => ({ path, message: `names decision ${number}, which is not in docs/decisions` })),
    )
}
