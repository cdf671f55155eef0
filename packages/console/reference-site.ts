/** Writes the pages of the reference: the documents and the contract as HTML, once, when the console is built. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { precompress } from './precompress.ts'
import { ERRORS, guides } from './src/reference/guides.ts'
import { makeSite, type SitePage } from './src/reference/site.tsx'

const DOCUMENTS = path.join(import.meta.dirname, '..', '..', 'docs')
/** What `docs.html` has in place of a page. */
const [TITLE, ABOUT, PAGE] = ['__SVC_TITLE__', '__SVC_ABOUT__', '<!--page-->']

/** There are many pages. Source: measured, 2 % larger than the best in a tenth of the time. */
const PAGE_QUALITY = 9

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function documentOf(shell: string, { title, about, html }: SitePage): string {
  // Functions, since a text may hold what `replace` reads as a pattern.
  return shell
    .replace(TITLE, () => escaped(title))
    .replace(ABOUT, () => escaped(about))
    .replace(PAGE, () => html)
}

/**
 * Removes the pages of an earlier build that are no more.
 *
 * @param kept with their folder, without what compressed them.
 */
function removeOthers(folder: string, kept: ReadonlySet<string>): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isFile() && !kept.has(file.replace(/\.(?:br|gz)$/, ''))) rmSync(file)
  }
}

export function referenceSite(): Plugin {
  return {
    name: 'svc-reference-site',
    apply: 'build',
    // After the shell is on disk with the names of its script and style.
    writeBundle({ dir = '' }) {
      const shellFile = path.join(dir, 'docs.html')
      const shell = readFileSync(shellFile, 'utf8')
      rmSync(shellFile)
      const names = [...guides.map(({ name }) => name), ERRORS]
      const documents = Object.fromEntries(
        names.map((name) => [name, readFileSync(path.join(DOCUMENTS, `${name}.md`), 'utf8')]),
      )
      const { pages, files } = makeSite(documents)
      const all = [...pages.map((page) => [`${page.path}.html`, documentOf(shell, page)] as const), ...files]
      const site = path.join(dir, 'site')
      const written = new Set<string>()
      for (const [place, text] of all) {
        const file = path.join(site, place)
        mkdirSync(path.dirname(file), { recursive: true })
        writeFileSync(file, text)
        precompress(file, PAGE_QUALITY)
        written.add(file)
      }
      removeOthers(site, written)
    },
  }
}
